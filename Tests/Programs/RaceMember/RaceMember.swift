import Latchkey
import LatchkeyFileStore

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
    private let watched: WatchedLockStore
    private let loose: LooseStore
    private var client: AuthClient?

    private init(_ entry: Entry) {
        self.entry = entry
        let files = FileStore(unencryptedAt: entry.directory)
        (watched, loose) = (WatchedLockStore(files), LooseStore(files))
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
        if entry.protection == .none {
            // Its own copy of the newest session there is, as a program has that starts now.
            loose.forget()
            client = nil
        }
        do {
            let client = try self.client ?? entry.client(over: store)
            self.client = client
            return "held \(try await client.accessToken().value.revealText())"
        } catch {
            return "none \(name(of: error))"
        }
    }

    private var store: any SessionStore {
        switch entry.protection {
        case .full, .hasty: watched
        case .noLock: LocklessStore(watched)
        case .none: loose
        }
    }

    private func race(at instant: MonotonicInstant) async -> String {
        watched.begin()
        await Barrier.pass(at: instant)
        let late = (SystemClock().now() - instant).components.attoseconds / 1_000_000_000
        do {
            guard let client else { return "lost \(late) - unprepared" }
            let token = try await client.refresh()
            return "got \(late) \(watched.waits) \(token.value.revealText())"
        } catch {
            return "lost \(late) \(watched.waits) \(name(of: error))"
        }
    }

    private func name(of error: any Error) -> String { (error as? AuthError)?.code.name ?? "error" }
}
