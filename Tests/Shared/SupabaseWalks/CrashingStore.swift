import Latchkey
import LatchkeySystem

/// A process's view of a store that others share. When the process is dead, it holds nothing and writes nothing.
final class CrashingStore: CrossProcessStore {
    private struct State {
        var isDead = false
        var holds: [Int: any HeldLock] = [:]
        var next = 0
    }

    private let inner: MemoryStore
    private let state = Locked(State())

    init(_ inner: MemoryStore) { self.inner = inner }

    /// Ends the process: its locks come free.
    func die() async {
        let holds = state.withLock { state in
            state.isDead = true
            defer { state.holds = [:] }
            return state.holds.values.map { $0 }
        }
        for hold in holds { await hold.release() }
    }

    private func live() throws(AuthError) {
        if state.withLock({ $0.isDead }) { throw AuthError(.store(.unavailable), "The process is dead.") }
    }

    func read(_ key: StoreKey) async throws -> StoredRecord? {
        try live()
        return try inner.read(key)
    }

    @discardableResult
    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
        try live()
        return try inner.replace(key, at: version, with: bytes)
    }

    func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        try live()
        return inner.keys(kind)
    }

    func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try live()
        let hold = try await inner.lock(key, deadline: deadline)
        let id = state.withLock { state -> Int? in
            guard !state.isDead else { return nil }
            state.next += 1
            state.holds[state.next] = hold
            return state.next
        }
        guard let id else {
            await hold.release()
            throw AuthError(.store(.unavailable), "The process is dead.")
        }
        return Hold(id: id, store: self)
    }

    private struct Hold: HeldLock {
        let id: Int
        let store: CrashingStore

        func release() async { await store.state.withLock { $0.holds.removeValue(forKey: id) }?.release() }
    }
}
