import Latchkey
import LatchkeyJSON
import LatchkeyPluginKit
import LatchkeyTesting

/// A service at which every request gets one answer.
struct OneAnswer: Sendable {
    static let base = "https://id.example.com/v1"

    let transport = ScriptedTransport()
    let context: ProviderContext

    init(_ status: Int, _ body: String, _ fields: HeaderFields = [:]) {
        self.init(.answer(TransportResponse(status: status, fields: fields, body: Array(body.utf8))))
    }

    init(_ outcome: ScriptedTransport.Outcome) {
        for method in ["POST", "GET", "DELETE"] { transport.always(method, Self.base + "/token", outcome) }
        context = ProviderContext(world: .testing(), transport: transport, cache: KeepingCache())
    }

    func service(_ base: String = base) -> JSONService {
        JSONService(base, of: "example", in: context, requestIDField: "X-Request-ID")
    }

    /// What a POST throws.
    func failure(_ base: String = base, path: String = "/token", bearer: Secret? = nil) async -> (any Error)? {
        do {
            _ = try await service(base).post(path, ["token": .revealing(Secret("very-secret"))], bearer: bearer)
            return nil
        } catch {
            return error
        }
    }
}

extension Error {
    /// The code, where this is an error of ours.
    var meaning: AuthError.Code? { (self as? AuthError)?.code ?? (self as? NotSent)?.error.code }
}
