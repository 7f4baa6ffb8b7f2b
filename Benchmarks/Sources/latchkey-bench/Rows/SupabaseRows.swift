import CBench
import Glibc
import Latchkey
import LatchkeyCurl

/// Signing in and refreshing at a server of GoTrue's rules, against libcurl alone that posts the same bytes and keeps the
/// answer. What counts is the processor time of the client: the server is a process of its own.
///
/// Alike on both sides: TLS or none, and a connection for each request, which is how the transport sends what must not
/// be repeated. Ours is the whole call besides: the request is made, the answer read, and what it says is in the memory
/// store, marked there beforehand where it is a refresh.
enum SupabaseRows {
    /// What a call over TLS may cost of what the bare request costs. Without TLS, as only a project on one's own machine
    /// is reached, a request costs so little that the ratio says nothing about what people wait for: it has no limit.
    private static let limit = 1.7

    static func signIn(overTLS: Bool = false) async throws -> Row {
        let project = try await SupabaseProject(overTLS: overTLS)
        defer { project.stop() }
        let transport = project.transport()
        let method = project.method
        let loop = try await project.reference(
            project.request { _ = try await $0.signIn(with: "supabase", method) })
        defer { cb_curl_close(loop) }
        // One for each: whoever signs in again has the former session revoked, which is one more request.
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
        // Of a session of its own, and always with the token before the newest: the service answers that one as well.
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

    /// What carrying the request costs alone, of what the two rows above cost: they cannot get below it.
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
