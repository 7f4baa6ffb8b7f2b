import CBench
import Glibc
import Latchkey
import LatchkeyCurl
import LatchkeyJSON
import LatchkeySupabase
import Synchronization

/// A development server in a process of its own; over TLS behind stunnel, which is one more.
struct SupabaseProject {
    let url: String
    let key: String
    let method: SignInMethod
    /// The authority of the server's certificate, where there is one.
    private let caFile: String?
    private let processes: [Int32]
    private let place: Scratch

    init(overTLS: Bool) async throws {
        guard let tool = getenv("BENCH_TOOL") else {
            throw BenchError.failed("BENCH_TOOL is not set; Scripts/bench sets it")
        }
        place = try Scratch()
        let output = place.path + "/server.json"
        let command = ["latchkey", "dev-server", "--json"]
        var words = command.map { strdup($0) } + [nil]
        var variables = [strdup("HOME=\(place.path)"), nil]
        defer { for text in words + variables { free(text) } }
        let server = cb_start(tool, &words, &variables, output)
        for _ in 0..<500 {
            let bytes = try SystemFiles().read(output, limit: 1 << 20) ?? []
            if let project = try? JSON.parse(bytes)["supabase"], let user = project["users"]?.array?.first {
                let plain = project["url"]?.string ?? ""
                key = project["publishableKey"]?.string ?? ""
                method = .password(
                    identifier: user["email"]?.string ?? "", Secret(user["password"]?.string ?? ""))
                guard overTLS else {
                    (url, caFile, processes) = (plain, nil, [server])
                    return
                }
                let stunnel = try Stunnel(before: plain, in: place.path)
                (url, caFile, processes) = (stunnel.url, stunnel.caFile, [server, stunnel.process])
                try await answers()
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        cb_stop(server)
        place.remove()
        throw BenchError.failed("the development server does not start")
    }

    private func answers() async throws {
        let health = TransportRequest("GET", url + "/auth/v1/health")
        for _ in 0..<500 {
            // Whatever the answer is: it wants a key.
            if (try? await transport().send(health, deadline: .seconds(2))) != nil { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        stop()
        throw BenchError.failed("stunnel does not answer at \(url)")
    }

    func stop() {
        for process in processes { cb_stop(process) }
        place.remove()
    }

    func transport() -> CurlTransport { CurlTransport(caFile: caFile) }

    func client(_ transport: some HTTPTransport) throws -> AuthClient {
        try AuthClient.Builder().provider(.supabase(projectURL: url, publishableKey: key)).transport(transport).build()
    }

    /// What was sent last in `work`.
    func request(_ work: (AuthClient) async throws -> Void) async throws -> TransportRequest {
        let tap = Tap(transport())
        try await work(client(tap))
        guard let request = tap.last.withLock({ $0 }) else { throw BenchError.failed("nothing was sent") }
        return request
    }

    /// A loop of libcurl's that sends the same, byte for byte.
    func reference(_ request: TransportRequest) async throws -> OpaquePointer {
        // Both are sent to a server that keeps what it gets.
        let port = cb_server_start(64, 0)
        var witnessed = request
        witnessed.url = "http://127.0.0.1:\(port)/auth/v1/token"
        guard try await CurlTransport().send(witnessed, deadline: .seconds(10)).status == 200 else {
            throw BenchError.failed("the witness does not answer")
        }
        let ours = Self.lastRequest()
        let trial = try loop(witnessed)
        defer { cb_curl_close(trial) }
        guard cb_curl_run(trial, 1) == 0, ours == Self.lastRequest() else {
            throw BenchError.failed("the two do not send the same bytes")
        }
        return try loop(request)
    }

    private static func lastRequest() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        return Array(bytes.prefix(cb_server_last_request(&bytes, bytes.count)))
    }

    private func loop(_ request: TransportRequest) throws -> OpaquePointer {
        // Without the first, libcurl would ask whether it may send a large body.
        let fields: [String] = ["Expect:"] + request.fields.lines.map { "\($0.name): \($0.value)" }
        let lines = fields.map { strdup($0) }
        defer { for line in lines { free(line) } }
        let ended: [UnsafePointer<CChar>?] = lines.map { $0.map { UnsafePointer($0) } } + [nil]
        let body = request.body ?? []
        guard let loop = cb_curl_open_post(request.url, ended, body, body.count, caFile) else {
            throw BenchError.failed("libcurl does not start")
        }
        return loop
    }
}

/// Remembers the last request.
private final class Tap: HTTPTransport {
    let last = Mutex<TransportRequest?>(nil)
    private let inner: CurlTransport

    init(_ inner: CurlTransport) { self.inner = inner }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        last.withLock { $0 = request }
        return try await inner.send(request, deadline: deadline)
    }
}
