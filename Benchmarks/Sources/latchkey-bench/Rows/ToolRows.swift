import CBench
import FoundationEssentials
import Glibc
import Latchkey
import LatchkeyFileStore
import LatchkeyOAuth

/// Measures the whole tool. Scripts/bench builds it, and passes its path.
enum ToolRows {
    /// Measures `latchkey token` with a valid token in the store against an empty program.
    static func token() async throws -> Row {
        let (tool, empty) = (try path("BENCH_TOOL"), try path("BENCH_EMPTY"))
        let place = try Scratch()
        defer { place.remove() }
        try await signIn(at: place.path)
        let environment = [
            "HOME=\(place.path)", "XDG_CONFIG_HOME=\(place.path)/config", "XDG_DATA_HOME=\(place.path)/data",
            "PATH=/usr/bin:/bin",
        ]
        let times = try await Comparison(
            pairs: 201, of: .count(1),
            ours: { count in
                for _ in 0..<count where run([tool, "token", "--profile", "work"], environment) != 0 {
                    throw BenchError.failed("the tool does not show the token")
                }
            },
            reference: { count in
                for _ in 0..<count where run([empty], environment) != 0 {
                    throw BenchError.failed("the empty program fails")
                }
            })
        return Row("tool-token", times, limit: 1.5)
    }

    static func size() throws -> Row {
        var found = stat()
        guard stat(try path("BENCH_STRIPPED"), &found) == 0 else { throw BenchError.failed("there is no program") }
        let megabytes = Double(found.st_size) / 1_000_000
        return Row(
            name: "binary-size", ours: "\(Row.decimal(megabytes, 2))MB", limit: "20MB", isWithin: megabytes <= 20)
    }

    /// Reads the report of Scripts/consumer.
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
            $0.store(FileStore(unencryptedAt: directory + "/data/latchkey/latchkey/work"))
        }
        _ = try await auth.signIn(with: binding.provider, .anonymous)
    }

    private static func run(_ words: [String], _ environment: [String]) -> Int32 {
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        return cb_run(words[0], &arguments, &variables)
    }
}
