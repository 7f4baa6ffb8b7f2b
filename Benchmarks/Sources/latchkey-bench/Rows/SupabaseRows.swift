import CBench
import Glibc
import Latchkey
import LatchkeyCurl

/// Measures sign-in and refresh at a server with GoTrue's rules, against plain libcurl that posts the same bytes
/// and keeps the answer. It compares the client's processor time: the server is a separate process.
///
/// Both sides have TLS or not, and a new connection for each request, because the transport sends requests that
/// must not be repeated that way. Ours is the whole call: making the request, reading the answer, and keeping the
/// session in the memory store, which for a refresh is also marked beforehand.
enum SupabaseRows {
    /// The greatest allowed ratio of a call over TLS to the bare request. Without TLS, which is only used for a
    /// project on one's own machine, a request costs so little that the ratio says nothing about what people wait
    /// for: no limit.
    private static let limit = 1.7

    static func signIn(overTLS: Bool = false) async throws -> Row {
        let project = try await SupabaseProject(overTLS: overTLS)
        defer { project.stop() }
        let transport = project.transport()
        let method = project.method
        let loop = try await project.reference(
            project.request { _ = try await $0.signIn(with: "supabase", method) })
        defer { cb_curl_close(loop) }
        // One client for each: a second sign-in would revoke the former session, which is one more request.
        var clients: [AuthClient] = []
        let times = try await Comparison(
            pairs: 41, of: .count(50), by: cb_processor_nanoseconds,
            prepare: { count in clients = try (0..<count).map { _ in try project.client(transport) } },
            ours: { count in
                for client in clients.prefix(count) { _ = try await client.signIn(with: "supabase", method) }
            },
            reference: { try PostReference.run(loop, $0) })
        return row("supabase-sign-in", overTLS, times)
    }

    static func refresh(overTLS: Bool = false) async throws -> Row {
        let project = try await SupabaseProject(overTLS: overTLS)
        defer { project.stop() }
        let auth = try project.client(project.transport())
        let method = project.method
        let first = try await auth.signIn(with: "supabase", method)
        // In a session of its own, and always with the second newest token, which the service accepts too.
        let loop = try await project.reference(
            project.request {
                _ = try await $0.signIn(with: "supabase", method)
                try await $0.refresh()
            })
        defer { cb_curl_close(loop) }
        let times = try await Comparison(
            pairs: 41, of: .count(50), by: cb_processor_nanoseconds,
            ours: { count in for _ in 0..<count { try await auth.refresh() } },
            reference: { try PostReference.run(loop, $0) })
        guard auth.currentToken()?.value != first.tokens[.standard]?.value else {
            throw BenchError.failed("nothing was refreshed")
        }
        return row("supabase-refresh", overTLS, times)
    }

    /// Measures only the transport of the two rows above, which is their lower bound.
    static func transport(overTLS: Bool = false) async throws -> Row {
        let project = try await SupabaseProject(overTLS: overTLS)
        defer { project.stop() }
        let method = project.method
        let request = try await project.request { _ = try await $0.signIn(with: "supabase", method) }
        let loop = try await project.reference(request)
        defer { cb_curl_close(loop) }
        let transport = project.transport()
        let times = try await Comparison(
            pairs: 41, of: .count(50), by: cb_processor_nanoseconds,
            ours: { count in
                for _ in 0..<count where try await transport.send(request, deadline: .seconds(10)).status != 200 {
                    throw BenchError.failed("the server refuses")
                }
            },
            reference: { try PostReference.run(loop, $0) })
        return row("supabase-transport", overTLS, times, limit: 1.25)
    }

    private static func row(
        _ name: String, _ overTLS: Bool, _ times: Comparison, limit: Double = limit
    ) -> Row {
        var row = Row(overTLS ? "\(name)-tls" : name, times, limit: overTLS ? limit : nil)
        row.ours += ",cpu"
        return row
    }
}
