import LatchkeyDevServer
import LatchkeyLocked

/// What a service tells as it acts, before its answers leave.
final class Ledger: Sendable {
    private let fresh = Locked<[DevServer.Entry]>([])

    func note(_ entry: DevServer.Entry) { fresh.withLock { $0.append(entry) } }

    /// What came since the last time.
    func take() -> [DevServer.Entry] {
        fresh.withLock { fresh in
            defer { fresh = [] }
            return fresh
        }
    }
}

/// One request of a process.
struct Sender: Hashable {
    var process: Int
    var request: Int

    /// What the process calls itself in the request.
    var agent: String { "torture-\(process)-\(request)" }
}

extension DevServer.Entry {
    /// Who asked.
    var sender: Sender? {
        let numbers = (agent ?? "").split(separator: "-").compactMap { Int($0) }
        return numbers.count == 2 ? Sender(process: numbers[0], request: numbers[1]) : nil
    }
}
