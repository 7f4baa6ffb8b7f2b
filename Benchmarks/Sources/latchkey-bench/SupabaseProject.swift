import CBench
import Glibc
import Latchkey
import LatchkeyCurl
import LatchkeyJSON
import LatchkeySupabase

/// A development server in its own process; for TLS, behind stunnel in another one.
struct SupabaseProject {
    let url: String
    let key: String
    let method: SignInMethod
    /// The authority of the server's certificate, if there is one.
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
                do { try await stunnel.answers(over: transport()) } catch {
                    stop()
                    throw error
                }
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        cb_stop(server)
        place.remove()
        throw BenchError.failed("the development server does not start")
    }

    func stop() {
        for process in processes { cb_stop(process) }
        place.remove()
    }

    func transport() -> CurlTransport { CurlTransport(caFile: caFile) }

    func client(_ transport: some HTTPTransport) throws -> AuthClient {
        try AuthClient.Builder().provider(.supabase(projectURL: url, publishableKey: key)).transport(transport).build()
    }

    /// Returns the last request that `work` sent.
    func request(_ work: (AuthClient) async throws -> Void) async throws -> TransportRequest {
        let tap = Tap(transport())
        try await work(client(tap))
        return try tap.request()
    }

    /// Creates a libcurl loop that sends the same request, each over a new connection.
    func reference(_ request: TransportRequest) async throws -> OpaquePointer {
        try await PostReference.loop(request, caFile: caFile, keeps: false)
    }
}
