import LatchkeyDevServer
import LatchkeySystem

/// What a service tells as it acts, before its answers leave.
///
/// Each of its threads tells for itself, a moment after it has acted. Where one is held up at that moment, others tell of
/// what came later, and the service's state already knows of both: hence the numbers.
final class Ledger: Sendable {
    private struct Notes {
        var fresh: [DevServer.Entry] = []
        var count = 0
        var newest = 0
    }

    private let notes = Locked(Notes())

    func note(_ entry: DevServer.Entry) {
        notes.withLock { notes in
            notes.fresh.append(entry)
            notes.count += 1
            notes.newest = max(notes.newest, entry.sequence)
        }
    }

    /// What came since the last time, in the order in which it was done, without a gap. Waits for what is on its way:
    /// what was done before the newest that was told of, and everything up to `sequence`.
    func take(through sequence: Int = 0) -> [DevServer.Entry] {
        while true {
            let entries = notes.withLock { notes -> [DevServer.Entry]? in
                // They are counted from 1.
                guard notes.count == max(notes.newest, sequence) else { return nil }
                defer { notes.fresh = [] }
                return notes.fresh.sorted { $0.sequence < $1.sequence }
            }
            if let entries { return entries }
            System.pause()
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
