import Latchkey
import LatchkeyOAuth

/// The app's own way to send requests; here there is no network at all.
struct NoNetwork: HTTPTransport {
    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
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
