import Latchkey
import LatchkeySupabase

/// The app's own way to send requests; here there is no network at all.
struct NoNetwork: HTTPTransport {
    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        throw TransportError(.unreachable, wasSent: false)
    }
}

let auth = try AuthClient.Builder()
    .provider(.supabase(projectURL: "https://abc.supabase.co", publishableKey: "sb_publishable_k"))
    .store(MemoryStore())
    .transport(NoNetwork())
    .build()

do {
    _ = try await auth.supabase().user()
} catch {
    print("consumer of Supabase: \(error.code.name)")
}
