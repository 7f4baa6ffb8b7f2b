import Latchkey
import LatchkeyOAuth

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// Errors at top level. Every call in the block throws AuthError, so `error` is one, and `catch` needs no pattern.
// Swift 6.3.1 crashes on `catch let error as AuthError` here, at top level alone; in a function it compiles.
do {
    let auth = try AuthClient.Builder()
        .provider(.oauth(issuer: "https://id.example.com", clientID: "notes"))
        .store(MemoryStore())
        .transport(NoNetwork())
        .build()
    let token = try await auth.accessToken()
    print("a token of", token.value)
} catch {
    switch error.recovery {
    case .signIn: print("Sign in again.", error.message)
    case .retryLater: print("Try again later.", error.message)
    default: print(error.message)
    }
    exit(3)
}

/// Here there is no network at all.
struct NoNetwork: HTTPTransport {
    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        throw TransportError(.unreachable, wasSent: false)
    }
}
