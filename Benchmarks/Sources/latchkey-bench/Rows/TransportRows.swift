import CBench
import Latchkey
import LatchkeyCurl

/// Measures requests through the transport's public interface against plain libcurl.
enum TransportRows {
    static func row(_ width: Int) async throws -> Row {
        let port = cb_server_start(1_024, 0)
        guard port != 0 else { throw BenchError.failed("the server does not start") }
        let url = "http://127.0.0.1:\(port)/token"
        guard let loop = cb_curl_open(url, Int32(width)) else { throw BenchError.failed("libcurl does not start") }
        defer { cb_curl_close(loop) }
        let transport = CurlTransport()
        let request = TransportRequest("GET", url)
        @Sendable func send(_ count: Int) async throws {
            for _ in 0..<count {
                guard try await transport.send(request, deadline: .seconds(10)).status == 200 else {
                    throw BenchError.failed("the server does not answer")
                }
            }
        }
        // At its beginning and end a batch has fewer than `width` requests under way, so it is long enough that
        // this does not matter.
        let times = try await Comparison(
            pairs: 15, of: .time(250_000_000),
            ours: { count in
                if width == 1 { return try await send(count) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for index in 0..<width { group.addTask { try await send((count + index) / width) } }
                    try await group.waitForAll()
                }
            },
            reference: { count in
                guard cb_curl_run(loop, Int32(count)) == 0 else { throw BenchError.failed("libcurl alone failed") }
            })
        // Requests per second: more is better, and the limit is a minimum.
        let (ours, reference) = (1e9 / times.ours, 1e9 / times.reference)
        return Row(
            name: "transport-\(width)", ours: "\(Row.decimal(ours, 0))/s", reference: "\(Row.decimal(reference, 0))/s",
            ratio: ours / reference, limit: ">=0.90x", isWithin: ours / reference >= 0.9)
    }
}
