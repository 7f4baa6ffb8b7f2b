import Latchkey

extension Option {
    static let roleARN = value("role-arn", "ARN", .text, "aws: the role to take; its trust policy names the issuer")
    static let sessionName = value(
        "session-name", "NAME", .text, "aws: what AWS's logs call the session; latchkey if not given")
    static let roleDuration = value(
        "duration", "DURATION", .duration, "aws: how long the role is taken, 15m to 12h; 1h if not given")
    static let region = value(
        "region", "REGION", .text, "aws: whose STS is asked; $AWS_REGION or the global one if not given")
    static let endpoint = value(
        "endpoint", "URL", .url,
        "aws: asks the STS at this address instead; $AWS_ENDPOINT_URL_STS or $AWS_ENDPOINT_URL if not given")
    static let accessToken = flag("access-token", "aws: shows the access token instead of the ID token")
}

/// A role of AWS that is taken with a token of the profile (AssumeRoleWithWebIdentity).
struct RoleRequest: Sendable {
    private let invocation: Invocation
    private let role: String
    private let session: String
    private let seconds: Int64?
    private let endpoint: String
    /// Whether the endpoint is somebody's own, and not one of AWS.
    private let isOwn: Bool

    /// Reads the options.
    init(_ invocation: Invocation) throws {
        let arguments = invocation.arguments
        guard let role = arguments[.roleARN] else {
            throw UsageError("usage.goesWith", ["option": "aws", "others": "--role-arn"], command: .credential)
        }
        let session = arguments[.sessionName] ?? "latchkey"
        // Lengths and characters as STS takes them.
        guard (20...2_048).contains(role.utf8.count), role.hasPrefix("arn:"), role.utf8.allSatisfy({ $0 > 0x20 }) else {
            throw UsageError("usage.roleARN", command: .credential)
        }
        guard (2...64).contains(session.utf8.count), session.utf8.allSatisfy(Self.isNamePart) else {
            throw UsageError("usage.sessionName", command: .credential)
        }
        let duration = arguments.duration(.roleDuration)
        guard duration.map({ (.seconds(900) ... .seconds(43_200)).contains($0) }) ?? true else {
            throw UsageError("usage.roleDuration", command: .credential)
        }
        (self.invocation, self.role, self.session) = (invocation, role, session)
        seconds = duration?.wholeSecondsUp
        let own = try Self.ownEndpoint(invocation)
        (endpoint, isOwn) = (try own ?? Self.endpoint(invocation, for: role), own != nil)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "_+=,.@-".utf8.contains(byte)
    }

    /// Returns the address that the option or the environment names, in the order of the AWS programs
    /// (https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html).
    private static func ownEndpoint(_ invocation: Invocation) throws -> String? {
        let environment = invocation.environment
        var name = "--\(Option.endpoint.name)"
        var address = invocation.arguments[.endpoint]
        if address == nil, environment["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"]?.lowercased() != "true" {
            for variable in ["AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL"] where address == nil {
                guard let value = environment[variable], !value.isEmpty else { continue }
                (name, address) = ("$" + variable, value)
            }
        }
        guard let address else { return nil }
        guard let found = WebAddress(address), found.isSecure, found.query == nil, found.fragment == nil else {
            throw UsageError("usage.endpoint", ["name": name], command: .credential)
        }
        return found.path.isEmpty ? address + "/" : address
    }

    private static func endpoint(_ invocation: Invocation, for role: String) throws -> String {
        let variables = ["AWS_REGION", "AWS_DEFAULT_REGION"].lazy.compactMap { invocation.environment[$0] }
        guard let region = invocation.arguments[.region] ?? variables.first(where: { !$0.isEmpty }) else {
            return usualEndpoint(for: role)
        }
        guard (1...32).contains(region.utf8.count),
            region.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D })
        else { throw UsageError("usage.region", command: .credential) }
        return "https://sts.\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")/"
    }

    /// Returns the address to ask where no region is named. The global one knows the roles of the partition `aws` alone.
    static func usualEndpoint(for role: String) -> String {
        switch role.split(separator: ":").dropFirst().first {
        case "aws-cn": "https://sts.cn-north-1.amazonaws.com.cn/"
        case "aws-us-gov": "https://sts.us-gov-west-1.amazonaws.com/"
        default: "https://sts.amazonaws.com/"
        }
    }

    /// AWS refused the token, which a newer one may help.
    private struct TokenRefused: Error {
        let told: ToolError
    }

    /// Takes the role with `token`, and returns what the AWS programs read. If AWS refuses the token, takes it once
    /// more with the one that `newer` returns.
    func send(
        _ token: Secret, from profile: Profile, newer: () async throws -> Secret
    ) async throws -> [UInt8] {
        do { return try await send(token, from: profile, hiding: [token]) } catch let refused as TokenRefused {
            let second: Secret
            do { second = try await newer() } catch let error as AuthError
                where error.code == .signInRequired(.notAccepted)
            {
                throw refused.told
            }
            do { return try await send(second, from: profile, hiding: [token, second]) } catch let refused
                as TokenRefused
            {
                throw refused.told
            }
        }
    }

    private func send(_ token: Secret, from profile: Profile, hiding secrets: [Secret]) async throws -> [UInt8] {
        let request = TransportRequest(
            "POST", endpoint,
            fields: ["Content-Type": "application/x-www-form-urlencoded", "Accept": "text/xml"],
            body: RoleWire.body(role: role, session: session, seconds: seconds, token: token))
        // The authorities of a company's own services say nothing of AWS.
        let transport = Composition.resourceTransport(
            for: profile, in: invocation, trustingOwn: isOwn)
        let response: TransportResponse
        do {
            let deadline = max(invocation.arguments.serviceTimeout ?? .zero, .seconds(30))
            response = try await transport.send(request, deadline: deadline)
        } catch let error as TransportError {
            throw ResourceRequest.report(error, to: request)
        }
        let host = WebAddress(endpoint)?.origin ?? endpoint
        if response.status == 200, let found = RoleWire.credentials(response.body) { return found }
        guard response.status != 200, let (code, message) = RoleWire.refusal(response.body),
            !SecretSearch(secrets.map { $0.revealText() }).finds(in: code)
        else {
            throw response.status >= 500
                ? ToolError(.serviceTrouble, "error.roleTrouble", ["host": host, "status": "\(response.status)"])
                : ToolError(
                    .untrusted(.malformed), "error.roleAnswer", ["host": host], hint: ToolText("hint.roleOptions"))
        }
        let said = ServiceText(message, to: request, hiding: secrets)?.words
        let refresh = invocation.line("refresh", for: profile.name)
        let told = Self.refused(code, said.map { ": \($0)" } ?? "", host, refresh)
        guard Self.codesOfTokens.contains(code) else { throw told }
        throw TokenRefused(told: told)
    }

    /// The codes that may be about this token, and not about the role (AssumeRoleWithWebIdentity, "Errors").
    private static let codesOfTokens = ["ExpiredTokenException", "InvalidIdentityToken", "IDPRejectedClaim"]

    private static func refused(_ code: String, _ message: String, _ host: String, _ refresh: String) -> ToolError {
        let values = [
            "host": host, "code": code, "message": message.hasSuffix(".") ? String(message.dropLast()) : message,
        ]
        return switch code {
        case "ExpiredTokenException":
            ToolError(
                .refused(.expired), "error.role", values, hint: ToolText("hint.roleExpired", ["command": refresh]))
        case "AccessDenied", "InvalidIdentityToken", "IDPRejectedClaim":
            ToolError(.refused(.denied), "error.role", values, hint: ToolText("hint.roleTrust"))
        case "IDPCommunicationError", "Throttling", "RequestLimitExceeded", "ServiceUnavailable", "InternalFailure":
            ToolError(.serviceTrouble, "error.role", values)
        default: ToolError(.configuration(.invalid), "error.role", values, hint: ToolText("hint.roleOptions"))
        }
    }
}
