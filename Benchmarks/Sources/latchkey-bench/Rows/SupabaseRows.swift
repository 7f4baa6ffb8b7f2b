import CBench
import Glibc
import Latchkey
import LatchkeyCurl
import LatchkeyJSON
import LatchkeySupabase
import Synchronization

/// Signing in and refreshing at a server of GoTrue's rules, against libcurl alone that posts the same bytes and keeps the
/// answer. What counts is the processor time of the client: the server is a process of its own.
///
/// Alike on both sides: no TLS, and a connection for each request, which is how the transport sends what must not be
/// repeated. Ours is the whole call besides: the request is made, the answer read, and what it says is in the memory
/// store, marked there beforehand where it is a refresh.
enum SupabaseRows {
    /// What a call may cost of what the bare request costs.
    static let limit = 1.5

    static func signIn() async throws -> Row {
        let project = try await Project()
        defer { project.stop() }
        let transport = CurlTransport()
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
            reference: { try Self.run(loop, $0) })
        return row("supabase-sign-in", times)
    }

    static func refresh() async throws -> Row {
        let project = try await Project()
        defer { project.stop() }
        let auth = try project.client(CurlTransport())
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
            reference: { try Self.run(loop, $0) })
        guard auth.currentToken()?.value != first.tokens[.standard]?.value else {
            throw BenchError.failed("nothing was refreshed")
        }
        return row("supabase-refresh", times)
    }

    /// What carrying the request costs alone, of what the two rows above cost: they cannot get below it.
    static func transport() async throws -> Row {
        let project = try await Project()
        defer { project.stop() }
        let method = project.method
        let request = try await project.request { _ = try await $0.signIn(with: "supabase", method) }
        let loop = try await project.reference(request)
        defer { cb_curl_close(loop) }
        let transport = CurlTransport()
        let times = try await Comparison(
            pairs: 41, of: .count(50), by: cb_processor_nanoseconds,
            ours: { count in
                for _ in 0..<count where try await transport.send(request, deadline: .seconds(10)).status != 200 {
                    throw BenchError.failed("the server refuses")
                }
            },
            reference: { try Self.run(loop, $0) })
        return row("supabase-transport", times, limit: 2.2)
    }

    private static func row(_ name: String, _ times: Comparison, limit: Double = limit) -> Row {
        var row = Row(name, times, limit: limit)
        row.ours += ",cpu"
        return row
    }

    private static func run(_ loop: OpaquePointer, _ count: Int) throws {
        guard cb_curl_run(loop, Int32(count)) == 0 else { throw BenchError.failed("libcurl alone failed") }
    }
}

/// A development server in a process of its own.
private struct Project {
    let url: String
    let key: String
    let method: SignInMethod
    private let process: Int32
    private let place: Scratch

    init() async throws {
        guard let tool = getenv("BENCH_TOOL") else {
            throw BenchError.failed("BENCH_TOOL is not set; Scripts/bench sets it")
        }
        place = try Scratch()
        let output = place.path + "/server.json"
        let command = ["latchkey", "dev-server", "--json"]
        var words = command.map { strdup($0) } + [nil]
        var variables = [strdup("HOME=\(place.path)"), nil]
        defer { for text in words + variables { free(text) } }
        process = cb_start(tool, &words, &variables, output)
        for _ in 0..<500 {
            let bytes = try SystemFiles().read(output, limit: 1 << 20) ?? []
            if let project = try? JSON.parse(bytes)["supabase"], let user = project["users"]?.array?.first {
                url = project["url"]?.string ?? ""
                key = project["publishableKey"]?.string ?? ""
                method = .password(
                    identifier: user["email"]?.string ?? "", Secret(user["password"]?.string ?? ""))
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        cb_stop(process)
        place.remove()
        throw BenchError.failed("the development server does not start")
    }

    func stop() {
        cb_stop(process)
        place.remove()
    }

    func client(_ transport: some HTTPTransport) throws -> AuthClient {
        try AuthClient.Builder().provider(.supabase(projectURL: url, publishableKey: key)).transport(transport).build()
    }

    /// What was sent last in `work`.
    func request(_ work: (AuthClient) async throws -> Void) async throws -> HTTPRequest {
        let tap = Tap()
        try await work(client(tap))
        guard let request = tap.last.withLock({ $0 }) else { throw BenchError.failed("nothing was sent") }
        return request
    }

    /// A loop of libcurl's that sends the same, byte for byte.
    func reference(_ request: HTTPRequest) async throws -> OpaquePointer {
        // Both are sent to a server that keeps what it gets.
        let port = cb_server_start(64, 0)
        var witnessed = request
        witnessed.url = "http://127.0.0.1:\(port)/auth/v1/token"
        guard try await CurlTransport().send(witnessed, deadline: .seconds(10)).status == 200 else {
            throw BenchError.failed("the witness does not answer")
        }
        let ours = Self.lastRequest()
        let trial = try Self.loop(witnessed)
        defer { cb_curl_close(trial) }
        guard cb_curl_run(trial, 1) == 0, ours == Self.lastRequest() else {
            throw BenchError.failed("the two do not send the same bytes")
        }
        return try Self.loop(request)
    }

    private static func lastRequest() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        return Array(bytes.prefix(cb_server_last_request(&bytes, bytes.count)))
    }

    private static func loop(_ request: HTTPRequest) throws -> OpaquePointer {
        // Without the first, libcurl would ask whether it may send a large body.
        let fields: [String] = ["Expect:"] + request.fields.lines.map { "\($0.name): \($0.value)" }
        let lines = fields.map { strdup($0) }
        defer { for line in lines { free(line) } }
        let ended: [UnsafePointer<CChar>?] = lines.map { $0.map { UnsafePointer($0) } } + [nil]
        let body = request.body ?? []
        guard let loop = cb_curl_open_post(request.url, ended, body, body.count) else {
            throw BenchError.failed("libcurl does not start")
        }
        return loop
    }
}

/// Remembers the last request.
private final class Tap: HTTPTransport {
    let last = Mutex<HTTPRequest?>(nil)
    private let inner = CurlTransport()

    func send(_ request: HTTPRequest, deadline: Duration) async throws -> HTTPResponse {
        last.withLock { $0 = request }
        return try await inner.send(request, deadline: deadline)
    }
}
