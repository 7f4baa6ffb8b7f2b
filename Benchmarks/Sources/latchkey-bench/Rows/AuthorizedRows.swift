import CBench
import Latchkey
import LatchkeyCurl

/// Measures the cost of posting with a token: over TLS and a kept connection, against plain libcurl that posts the
/// same bytes over a kept connection.
///
/// The reference may write its content again, as libcurl does by itself. Ours may not.
enum AuthorizedRows {
    static func post() async throws -> Row {
        let place = try Scratch()
        defer { place.remove() }
        let plain = "http://127.0.0.1:\(cb_server_start(256, 0))"
        let server = try Stunnel(before: plain, in: place.path)
        defer { cb_stop(server.process) }
        let tap = Tap(CurlTransport(caFile: server.caFile))
        try await server.answers(over: tap)
        let auth = try Service().client { $0.transport(tap) }
        _ = try await auth.signIn(with: "bench", .anonymous)
        let transport = try auth.authorized(tap, origins: [server.url])
        let body = Array(#"{"text":"\#(String(repeating: "a", count: 256))"}"#.utf8)
        let request = TransportRequest(
            "POST", server.url + "/notes", fields: ["Content-Type": "application/json"], body: body)
        func send(_ count: Int) async throws {
            for _ in 0..<count {
                guard try await transport.send(request, deadline: .seconds(10)).status == 200 else {
                    throw BenchError.failed("the server does not answer")
                }
            }
        }
        try await send(1)
        let loop = try await PostReference.loop(tap.request(), caFile: server.caFile, keeps: true)
        defer { cb_curl_close(loop) }
        let times = try await Comparison(
            pairs: 41, of: .time(50_000_000), ours: send, reference: { try PostReference.run(loop, $0) })
        return Row("authorized-post-tls", times, limit: 1.3)
    }

    /// Measures what the token costs a request beside the request itself: over a transport that answers at once,
    /// against that transport alone. What a request leaves behind in memory is counted, too.
    static func overhead() async throws -> Row {
        let auth = try Service().client()
        _ = try await auth.signIn(with: "bench", .anonymous)
        let (bare, origin) = (Instant(), "https://api.example.com")
        let transport = try auth.authorized(bare, origins: [origin])
        let request = TransportRequest("GET", origin + "/notes", fields: ["Accept": "application/json"])
        func send(_ count: Int, over transport: some HTTPTransport) async throws {
            for _ in 0..<count {
                guard try await transport.send(request, deadline: .seconds(10)).status == 200 else {
                    throw BenchError.failed("the transport does not answer")
                }
            }
        }
        let times = try await Comparison(
            ours: { try await send($0, over: transport) }, reference: { try await send($0, over: bare) })
        let count = 100_000
        try await send(count, over: transport)
        let before = cb_heap_bytes()
        try await send(count, over: transport)
        let kept = Double(cb_heap_bytes() - before) / Double(count)
        var row = Row("authorized-overhead", times, limit: nil)
        let beside = times.ours - times.reference
        row.ours += ",beside=\(Row.time(beside)),kept=\(Row.decimal(max(0, kept), 2))B"
        row.limit = "3us,0B"
        row.isWithin = beside <= 3_000 && kept < 0.5
        return row
    }

    private struct Instant: HTTPTransport {
        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            TransportResponse(status: 200)
        }
    }
}
