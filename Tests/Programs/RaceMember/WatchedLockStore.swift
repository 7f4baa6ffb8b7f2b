import Latchkey
import LatchkeyFileStore
import LatchkeySystem

/// The file store, noting when its lock was asked for, taken and released.
final class WatchedLockStore: CrossProcessStore {
    private struct Wait {
        var asked: MonotonicInstant
        var taken: MonotonicInstant?
        var released: MonotonicInstant?
    }

    private let inner: FileStore
    private let noted = Locked<[Wait]>([])

    init(_ inner: FileStore) { self.inner = inner }

    /// Forgets what was noted.
    func begin() { noted.withLock { $0 = [] } }

    /// What was noted: `ASKED:TAKEN:RELEASED`, with commas between; `-` for nothing. What did not happen yet is now.
    var waits: String {
        let now = SystemClock().now()
        let texts = noted.withLock { waits in
            waits.map { wait in
                [wait.asked, wait.taken ?? now, wait.released ?? now].map { "\($0.nanoseconds)" }.joined(separator: ":")
            }
        }
        return texts.isEmpty ? "-" : texts.joined(separator: ",")
    }

    func read(_ key: StoreKey) throws -> StoredRecord? { try inner.read(key) }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
        try await inner.replace(key, at: version, with: bytes)
    }

    func keys(_ kind: StoreKey.Kind) throws -> [StoreKey] { try inner.keys(kind) }

    func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        let number = noted.withLock { waits in
            waits.append(Wait(asked: SystemClock().now()))
            return waits.count - 1
        }
        let hold = try await inner.lock(key, deadline: deadline)
        note(number) { $0.taken = SystemClock().now() }
        return Hold(store: self, number: number, inner: hold)
    }

    private func note(_ number: Int, _ change: (inout Wait) -> Void) {
        noted.withLock { waits in
            if waits.indices.contains(number) { change(&waits[number]) }
        }
    }

    private struct Hold: HeldLock {
        let store: WatchedLockStore
        let number: Int
        let inner: any HeldLock

        func release() async {
            // Noted before it is so: a process that takes the lock meanwhile did wait until then.
            store.note(number) { $0.released = $0.released ?? SystemClock().now() }
            await inner.release()
        }
    }
}
