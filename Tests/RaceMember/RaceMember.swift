import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyOAuth

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// One process of a race for a session that many share. It does what the lines of its standard input say, and ends with
/// them:
///
/// | Line | Answer |
/// | --- | --- |
/// | `hold` | `held TOKEN`: the access token it holds now; or `none CODE` |
/// | `race INSTANT` | asks at that instant for a newer one: `got LATE WAITS TOKEN`, or `lost LATE WAITS CODE` |
///
/// Instants are nanoseconds since boot. LATE is how long after INSTANT it began; WAITS is `-`, or for each time that it
/// took the lane `ASKED:TAKEN:RELEASED`, with commas between.
@main
struct RaceMember {
    private let entry: Entry
    private let store: WatchedLaneStore
    private let loose: LooseStore
    private var client: AuthClient?

    private init(_ entry: Entry) {
        self.entry = entry
        store = WatchedLaneStore(FileStore(unencryptedAt: entry.directory))
        loose = LooseStore(FileStore(unencryptedAt: entry.directory))
    }

    static func main() async {
        guard let entry = Entry(CommandLine.arguments.dropFirst()) else { return say(Entry.usage) }
        var member = RaceMember(entry)
        while let line = readLine() {
            let words = line.split(separator: " ")
            switch (words.first, words.last.flatMap { Int64($0) }) {
            case ("hold", _): say(await member.hold())
            case ("race", let instant?): say(await member.race(at: MonotonicInstant(nanoseconds: instant)))
            default: return say(Entry.usage)
            }
        }
    }

    /// Writes a line at once, which `print` does not do to a pipe.
    private static func say(_ line: String) {
        var rest = Array("\(line)\n".utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private mutating func hold() async -> String {
        if !entry.isProtected {
            // Its own copy of the newest session there is, as a program has that starts now.
            loose.forget()
            client = nil
        }
        do {
            let client = try self.client ?? entry.client(over: entry.isProtected ? store : loose)
            self.client = client
            return "held \(try await client.accessToken().value.revealText())"
        } catch {
            return "none \(name(of: error))"
        }
    }

    private func race(at instant: MonotonicInstant) async -> String {
        store.begin()
        await Barrier.pass(at: instant)
        let late = (SystemClock().now() - instant).components.attoseconds / 1_000_000_000
        do {
            guard let client else { return "lost \(late) - unprepared" }
            let token = try await client.refresh()
            return "got \(late) \(store.waits) \(token.value.revealText())"
        } catch {
            return "lost \(late) \(store.waits) \(name(of: error))"
        }
    }

    private func name(of error: any Error) -> String { (error as? AuthError)?.code.name ?? "error" }
}

/// Which session at which service, reached by which way.
private struct Entry {
    static let usage = "Usage: race-member ISSUER CLIENT SCOPES PROXY DIRECTORY protected|unprotected"

    let directory: String
    let isProtected: Bool
    private let provider: OAuthProvider
    private let transport: Detour

    init?(_ arguments: ArraySlice<String>) {
        let words = Array(arguments)
        guard words.count == 6, let origin = WebAddress(words[0])?.origin,
            ["protected", "unprotected"].contains(words[5])
        else { return nil }
        let scopes = words[2] == "-" ? nil : words[2].split(separator: ",").map(String.init)
        provider = .oauth(issuer: words[0], clientID: words[1], scopes: scopes)
        transport = Detour(around: origin, by: words[3], over: CurlTransport())
        (directory, isProtected) = (words[4], words[5] == "protected")
    }

    func client(over store: any SessionStore) throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        return try AuthClient.Builder()
            .provider(provider).store(store).transport(transport).settings(settings).build()
    }
}

/// Sends what is meant for one place to another, which passes it on.
private struct Detour: HTTPTransport {
    let origin: String
    let other: String
    let inner: any HTTPTransport

    init(around origin: String, by other: String, over inner: any HTTPTransport) {
        (self.origin, self.other, self.inner) = (origin, other, inner)
    }

    func send(_ request: HTTPRequest, deadline: Duration) async throws -> HTTPResponse {
        var request = request
        if request.url.hasPrefix(origin + "/") { request.url = other + request.url.dropFirst(origin.count) }
        return try await inner.send(request, deadline: deadline)
    }
}
