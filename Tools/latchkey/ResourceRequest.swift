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
        var request = TransportRequest(arguments.operands[0].uppercased(), arguments.operands[1])
        for line in arguments.all(.header) { try Self.add(line, to: &request) }
        if let file = arguments[.bodyFile] { request.body = try Self.content(of: file, invocation) }
        self.request = request
        origins = arguments.all(.allowOrigin)
        deadline = arguments.duration(.timeout) ?? .seconds(30)
    }

    /// Sends it with a token of the profile.
    func send(from workplace: Workplace) async throws -> TransportResponse {
        let project = workplace.profile.service == .supabase ? WebAddress(workplace.profile.issuer)?.origin : nil
        // A project's tokens may be sent to the project.
        let allowed = workplace.profile.allowedOrigins + origins + (project.map { [$0] } ?? [])
        try check(allowed, workplace)
        var request = request
        if let project, WebAddress(request.url)?.origin == project, request.fields["apikey"] == nil {
            // The project's gateway needs the key in addition to the token. The key is not secret.
            request.fields.add("apikey", workplace.profile.clientID)
        }
        let account = try await workplace.account(among: try await workplace.accounts())?.id
        let transport = try workplace.client.authorized(
            Composition.resourceTransport(for: workplace.profile, in: workplace.invocation), origins: allowed,
            audience: workplace.audience, account: account)
        do {
            return try await transport.send(request, deadline: deadline)
        } catch let error as TransportError {
            throw Self.report(error, to: request)
        }
    }

    private func check(_ allowed: [String], _ workplace: Workplace) throws {
        guard let origin = WebAddress(request.url)?.origin else {
            throw ToolError(.configuration(.invalid), "error.addressMalformed")
        }
        guard !allowed.contains(where: { WebAddress($0)?.origin == origin }) else { return }
        throw ToolError(
            .configuration(.invalid), "error.originRefused", ["origin": origin],
            hint: ToolText("hint.origin", ["origin": origin, "command": workplace.allowing(origin)]))
    }

    /// Returns the answer for programs.
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
            throw UsageError("usage.header", command: .request)
        }
        guard name.lowercased() != "authorization" else {
            throw UsageError("usage.authorization", command: .request)
        }
        let value = String(parts[1].drop { $0 == " " || $0 == "\t" })
        guard ReservedFields.isLine(name, value) else {
            throw UsageError("usage.header", command: .request)
        }
        guard !ReservedFields.contains(name) else {
            throw UsageError("usage.reserved", ["name": name], command: .request)
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
            throw UsageError("usage.body", command: .request)
        }
        return bytes
    }

    /// Returns the error of a request to a resource that did not come through.
    static func report(_ error: TransportError, to request: TransportRequest) -> any Error {
        switch error.code {
        case .invalidRequest: return ToolError(.configuration(.invalid), "error.requestMalformed")
        case .tooLarge:
            let host = ["host": WebAddress(request.url)?.origin ?? request.url]
            return ToolError(.serviceTrouble, "error.answerLarge", host)
        default:
            var error = error
            error.origin = error.origin ?? WebAddress(request.url)?.origin
            return AuthError(error)
        }
    }
}

extension Workplace {
    /// Returns the command that lets tokens of the profile go to `origin`, too. The ones that it has are named again,
    /// because the command replaces them.
    fileprivate func allowing(_ origin: String) -> String {
        let options = (profile.allowedOrigins + [origin]).map { "--allow-origin \($0)" }.joined(separator: " ")
        return "latchkey profiles edit \(profile.name) \(options)"
    }
}
