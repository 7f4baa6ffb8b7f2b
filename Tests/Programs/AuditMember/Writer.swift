import Latchkey
import LatchkeyAuditLog
import LatchkeyTesting

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A process that writes lines until it is killed. It says `r N` when it begins, `i N C` before its C-th line,
/// `a N C` once that is acknowledged, and `f N C CODE` if it failed.
struct Writer {
    private let number: Int
    private let log: AuditLog

    init?(_ words: [String]) {
        guard words.count == 3, let number = Int(words[0]), let bytes = Int(words[2]) else { return nil }
        self.number = number
        log = AuditLog(at: words[1], limits: AuditLog.Limits(bytes: bytes))
    }

    /// The person whose line this is: no two lines have the same, so that each can be found again.
    static func person(_ number: Int, _ count: Int) -> AccountID { AccountID("\(number) \(count)") }

    func run() async {
        var random = SplitMix(seed: UInt64(number))
        say("r \(number)")
        for count in 1... {
            say("i \(number) \(count)")
            do {
                let action = AuditEvent.Action.allCases[count % AuditEvent.Action.allCases.count]
                try await log.record(
                    AuditEvent(action, of: Self.person(number, count), at: "oauth", reason: .error(.busy)))
                say("a \(number) \(count)")
            } catch {
                say("f \(number) \(count) \((error as? AuthError)?.code.name ?? "error")")
            }
            // An app does something between two events. Whoever asks again at once leaves the lock to nobody.
            usleep(UInt32(random.below(10_000)))
        }
    }
}

/// Writes a line at once and in one piece. Ends the process where nobody reads any more.
func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    if write(STDOUT_FILENO, bytes, bytes.count) != bytes.count { exit(1) }
}
