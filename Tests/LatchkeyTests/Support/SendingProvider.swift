import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// Sends a request for each call, as a provider over HTTP does, and then plays a script.
struct SendingProvider: SessionRevoking {
    let inner: ScriptedProvider
    var rules: ProviderRules { inner.rules }

    private func send(_ path: String, in context: ProviderContext) async throws {
        _ = try await context.lookUp(TransportRequest("GET", "https://keys.example.com/keys"))
        _ = try await context.send(TransportRequest("POST", "https://id.example.com/\(path)"))
    }

    func begin(_ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext) async throws -> Turn {
        try await send("begin", in: context)
        return try await inner.begin(request, options, in: context)
    }

    func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        if case .declined = answer {} else { try await send("answer", in: context) }
        return try await inner.answer(answer, to: challenge, in: context)
    }

    func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        try await send("refresh", in: context)
        return try await inner.refresh(credential, for: want, in: context)
    }

    func revoke(_ revocation: Revocation, in context: ProviderContext) async throws {
        try await send("revoke", in: context)
        try await inner.revoke(revocation, in: context)
    }
}

/// A network that answers everything, and holds the requests for one path until it may answer them.
final class HoldingTransport: HTTPTransport {
    private struct State {
        var held: (path: String, latch: Latch)?
        var sent: [String] = []
    }

    private let state = Locked(State())

    /// The paths of the requests that came, in order.
    var sent: [String] { state.withLock { $0.sent } }

    /// Holds the requests for `path` from now on.
    func hold(_ path: String) -> Latch {
        let latch = Latch()
        state.withLock { $0.held = (path, latch) }
        return latch
    }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let path = "/" + (request.url.split(separator: "/").last ?? "")
        let latch = state.withLock { state in
            state.sent.append(path)
            return state.held?.path == path ? state.held?.latch : nil
        }
        // A cancelled request hangs up.
        try await latch?.wait()
        return TransportResponse(status: 200)
    }
}
