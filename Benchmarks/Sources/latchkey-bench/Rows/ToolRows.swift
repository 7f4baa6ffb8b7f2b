import CBench
import FoundationEssentials
import Glibc
import Latchkey
import LatchkeyFileStore
import LatchkeyOAuth

/// Measures the whole tool. Scripts/bench builds it, and passes its path.
enum ToolRows {
    /// The most milliseconds that `latchkey token` takes.
    private static let tokenLimit = 4.0

    /// Measures `latchkey token` with a valid token in the store against an empty program of the same modules.
    static func token() async throws -> Row {
        let empty = Invoked(words: [try path("BENCH_EMPTY")], variables: ["PATH=/usr/bin:/bin"])
        let times = try await compare(with: empty, pairs: 201)
        var row = Row("tool-token", times, limit: nil)
        row.limit = "\(Row.decimal(tokenLimit, 0))ms"
        row.isWithin = times.ours <= tokenLimit * 1_000_000
        return row
    }

    /// Measures it against another tool that shows a token.
    ///
    /// - Parameter limit: The greatest allowed multiple of the other tool's time.
    static func token(besides peer: String, limit: Double?) async throws -> Row {
        let name = "tool-token-\(peer)"
        let other = peer == "oidc" ? "oidc-agent" : peer
        guard let found = ProcessInfo.processInfo.environment["BENCH_PEER_\(peer.uppercased())"],
            let invoked = Invoked(file: found)
        else { throw BenchError.skipped("\(other) is not there; Scripts/setup --bench installs it") }
        return Row(name, try await compare(with: invoked, pairs: 51), limit: limit)
    }

    private static func compare(with other: Invoked, pairs: Int) async throws -> Comparison {
        let tool = try path("BENCH_TOOL")
        let place = try Scratch()
        defer { place.remove() }
        try await signIn(at: place.path)
        let ours = Invoked(
            words: [tool, "token", "--profile", "work"],
            variables: [
                "HOME=\(place.path)", "XDG_CONFIG_HOME=\(place.path)/config", "XDG_DATA_HOME=\(place.path)/data",
                "PATH=/usr/bin:/bin",
            ])
        return try await Comparison(
            pairs: pairs, of: .count(1),
            ours: { count in for _ in 0..<count { try ours.run() } },
            reference: { count in for _ in 0..<count { try other.run() } })
    }

    static func size() throws -> Row {
        var found = stat()
        guard stat(try path("BENCH_STRIPPED"), &found) == 0 else { throw BenchError.failed("there is no program") }
        let megabytes = Double(found.st_size) / 1_000_000
        return Row(
            name: "binary-size", ours: "\(Row.decimal(megabytes, 2))MB", limit: "20MB", isWithin: megabytes <= 20)
    }

    /// Reads the report of Scripts/verify consumer.
    static func consumer() throws -> Row {
        guard let text = ProcessInfo.processInfo.environment["BENCH_CONSUMER_MS"], let milliseconds = Double(text)
        else { throw BenchError.failed("Scripts/verify consumer said nothing") }
        return Row(
            name: "consumer-build", ours: "\(Row.decimal(milliseconds / 1_000, 1))s", limit: "40s",
            isWithin: milliseconds <= 40_000)
    }

    private static func path(_ name: String) throws -> String {
        guard let path = ProcessInfo.processInfo.environment[name] else {
            throw BenchError.failed("\(name) is not set; Scripts/bench sets it")
        }
        return path
    }

    /// Writes what `latchkey login` leaves, without a service.
    private static func signIn(at directory: String) async throws {
        let issuer = "https://id.example.com"
        let profiles = directory + "/config/latchkey/profiles"
        let files = SystemFiles()
        try files.makeDirectory(profiles)
        try files.writeNew(
            profiles + "/work.json",
            Array(#"{"client_id":"app","issuer":"\#(issuer)","method":"browser","scopes":[],"version":1}"#.utf8))
        let binding = OAuthProvider.oauth(issuer: issuer, clientID: "app").rules.binding
        let service = Service(binding: binding, lifetime: .seconds(86_400))
        let auth = try service.client {
            $0.store(FileStore(unencryptedAt: directory + "/data/latchkey/work"))
        }
        _ = try await auth.signIn(with: binding.provider, .anonymous)
    }
}
