import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// The request that a command line describes.
struct ResourceRequest: Sendable {
    private static let largestBody = 16 << 20
    private let request: TransportRequest
    private let origins: [String]
    private let deadline: Duration

    /// Reads the operands, the fields and the body.
    init(_ invocation: Invocation) throws {
        let arguments = invocation.arguments
        var request = TransportRequest(arguments.operands[0], arguments.operands[1])
        for line in arguments.all(.header) { try Self.add(line, to: &request) }
        if let file = arguments[.bodyFile] { request.body = try Self.content(of: file, invocation) }
        self.request = request
        origins = arguments.all(.allowOrigin)
        deadline = arguments.duration(.timeout) ?? .seconds(30)
    }

    /// Sends it with a token of the profile.
    func send(from workplace: Workplace) async throws -> TransportResponse {
        let project = workplace.profile.service == .supabase ? WebAddress(workplace.profile.issuer)?.origin : nil
        // A project's tokens are for the project.
        let allowed = workplace.profile.allowedOrigins + origins + (project.map { [$0] } ?? [])
        try check(allowed)
        var request = request
        if let project, WebAddress(request.url)?.origin == project, request.fields["apikey"] == nil {
            // Its gateway wants the key beside the token; it is no secret.
            request.fields.add("apikey", workplace.profile.clientID)
        }
        let account = try await workplace.account(among: try await workplace.accounts())?.id
        let transport = try workplace.client.authorized(
            Composition.resourceTransport(), origins: allowed, audience: workplace.audience, account: account)
        do {
            return try await transport.send(request, deadline: deadline)
        } catch let error as TransportError {
            throw Self.report(error, to: request)
        }
    }

    private func check(_ allowed: [String]) throws {
        guard let origin = WebAddress(request.url)?.origin else {
            throw AuthError(.configuration(.invalid), "The address is malformed.")
        }
        guard !allowed.contains(where: { WebAddress($0)?.origin == origin }) else { return }
        var report = ErrorReport(
            AuthError(.configuration(.invalid), "The token may not go to \(origin); nothing was sent."))
        report.hint =
            "Allow it here with --allow-origin \(origin), or for good: latchkey login --allow-origin \(origin)"
        throw report
    }

    /// The answer for programs.
    static func json(_ response: TransportResponse) -> JSON {
        var members: [String: JSON] = [
            "status": .integer(Int64(response.status)),
            "headers": .array(
                response.fields.lines.map { ["name": .string($0.name), "value": .string($0.value)] }),
        ]
        if let text = String(validating: response.body, as: UTF8.self) {
            members["body"] = .string(text)
        } else {
            members["bodyBase64"] = .string(Base64.encode(response.body))
        }
        return .object(members)
    }

    private static func add(_ line: String, to request: inout TransportRequest) throws {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard parts.count == 2 else {
            throw UsageError("A value of --header is not of the form 'Name: value'", command: .request)
        }
        guard name.lowercased() != "authorization" else {
            throw UsageError("The Authorization header is latchkey's to send", command: .request)
        }
        let value = String(parts[1].drop { $0 == " " || $0 == "\t" })
        guard ReservedFields.isLine(name, value) else {
            throw UsageError("A value of --header is not of the form 'Name: value'", command: .request)
        }
        guard !ReservedFields.contains(name) else {
            throw UsageError("--header: the field \(name) would decide where the token goes", command: .request)
        }
        request.fields.add(name, value)
    }

    private static func content(of file: String, _ invocation: Invocation) throws -> [UInt8] {
        let bytes =
            file == "-"
            ? try invocation.console.readAll(largestBody)
            : try? invocation.world.files.read(
                file, limit: largestBody)
        guard let bytes else {
            throw UsageError("The file of --body cannot be read, or is larger than 16 MiB", command: .request)
        }
        return bytes
    }

    private static func report(_ error: TransportError, to request: TransportRequest) -> AuthError {
        let host = WebAddress(request.url)?.origin ?? "the address"
        switch error.code {
        case .invalidRequest:
            return AuthError(.configuration(.invalid), "The request is malformed, and was not sent.")
        case .tooLarge: return AuthError(.serviceTrouble, "The answer of \(host) is larger than 64 MiB.")
        case .tls: return AuthError(.untrusted(.tls), "TLS could not establish that \(host) is who answers.")
        case .timedOut: return AuthError(.offline(.unreachable), "No answer of \(host) came in time.")
        default:
            return AuthError(
                .offline(.unreachable),
                error.wasSent ? "The connection to \(host) broke." : "There is no connection to \(host).")
        }
    }
}
