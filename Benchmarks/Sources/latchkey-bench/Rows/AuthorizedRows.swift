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
}
