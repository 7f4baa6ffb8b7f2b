import CBench
import Glibc
import Latchkey
import LatchkeyCurl
import Synchronization

/// Plain libcurl that posts the same bytes as the transport.
enum PostReference {
    /// - Parameters:
    ///   - keeps: Whether requests share a kept connection; if not, each has a new one.
    ///   - caFile: The authority of the server's certificate, if there is one.
    static func loop(_ request: TransportRequest, caFile: String?, keeps: Bool) async throws -> OpaquePointer {
        // Both are sent to a server that records its requests.
        let port = cb_server_start(64, 0)
        var witnessed = request
        witnessed.url = "http://127.0.0.1:\(port)/auth/v1/token"
        guard try await CurlTransport().send(witnessed, deadline: .seconds(10)).status == 200 else {
            throw BenchError.failed("the witness does not answer")
        }
        let ours = lastRequest()
        let trial = try open(witnessed, caFile, keeps)
        defer { cb_curl_close(trial) }
        guard cb_curl_run(trial, 1) == 0, ours == lastRequest() else {
            throw BenchError.failed("the two do not send the same bytes")
        }
        return try open(request, caFile, keeps)
    }

    static func run(_ loop: OpaquePointer, _ count: Int) throws {
        guard cb_curl_run(loop, Int32(count)) == 0 else { throw BenchError.failed("libcurl alone failed") }
    }

    private static func lastRequest() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        return Array(bytes.prefix(cb_server_last_request(&bytes, bytes.count)))
    }

    private static func open(_ request: TransportRequest, _ caFile: String?, _ keeps: Bool) throws -> OpaquePointer {
        // Without this field, libcurl would ask whether it may send a large body.
        let fields: [String] = ["Expect:"] + request.fields.lines.map { "\($0.name): \($0.value)" }
        let lines = fields.map { strdup($0) }
        defer { for line in lines { free(line) } }
        let ended: [UnsafePointer<CChar>?] = lines.map { $0.map { UnsafePointer($0) } } + [nil]
        let body = request.body ?? []
        guard let loop = cb_curl_open_post(request.url, ended, body, body.count, caFile, keeps) else {
            throw BenchError.failed("libcurl does not start")
        }
        return loop
    }
}

/// Records the last request.
final class Tap: HTTPTransport {
    private let last = Mutex<TransportRequest?>(nil)
    private let inner: CurlTransport

    init(_ inner: CurlTransport) { self.inner = inner }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        last.withLock { $0 = request }
        return try await inner.send(request, deadline: deadline)
    }

    func request() throws -> TransportRequest {
        guard let request = last.withLock({ $0 }) else { throw BenchError.failed("nothing was sent") }
        return request
    }
}
