import Latchkey
import LatchkeyOAuth

/// The app's own way to send requests; here there is no network at all.
struct NoNetwork: HTTPTransport {
    func send(_ request: HTTPRequest, deadline: Duration) async throws -> HTTPResponse {
        throw TransportError(.unreachable, wasSent: false)
    }
}

let auth = try AuthClient.Builder()
    .provider(.oauth(issuer: "https://id.example.com", clientID: "notes"))
    .store(MemoryStore())
    .transport(NoNetwork())
    .build()

do {
    _ = try await auth.accessToken()
} catch {
    print("consumer: \(error.code.name)")
}
