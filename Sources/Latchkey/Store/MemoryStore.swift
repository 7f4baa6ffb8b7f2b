import LatchkeySystem

/// A store that forgets everything when the process ends. Its locks and change notifications cover
/// this instance only.
public final class MemoryStore: CrossProcessStore, DocumentlessStore {
    private struct State {
        var records: [StoreKey: StoredRecord] = [:]
        /// Counts the commits of the whole store, so that no version is ever reused, even after a deletion.
        var commits: UInt64 = 0
    }

    private let state = Locked(State())
    private let locks = LockQueue()
    private let feed = ChangeFeed()
    private let context: PluginContext

    /// Creates an empty store.
    public init(context: PluginContext = .system) { self.context = context }

    /// Returns the record under `key`.
    public func read(_ key: StoreKey) throws -> StoredRecord? {
        try key.check()
        return state.withLock { $0.records[key] }
    }

    /// Replaces the record under `key` (compare-and-swap), without waiting.
    @discardableResult
    public func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) throws -> RecordVersion? {
        try key.check()
        let version = try state.withLock { state -> RecordVersion? in
            let found = state.records[key]?.version
            guard found == version else { throw StoreConflict(found: found) }
            state.commits += 1
            guard let bytes else {
                state.records[key] = nil
                return nil
            }
            let new = RecordVersion(withUnsafeBytes(of: state.commits.bigEndian) { Array($0) })
            state.records[key] = StoredRecord(bytes: bytes, version: new)
            return new
        }
        feed.tell(key)
        return version
    }

    /// Returns every key of `kind`, in no particular order.
    public func keys(_ kind: StoreKey.Kind) -> [StoreKey] {
        state.withLock { $0.records.keys.filter { $0.kind == kind } }
    }

    /// Says that nothing outlasts the process.
    public func health() -> StoreHealth { StoreHealth(.none, at: "memory") }

    /// Takes the lock of `key`, first come first served.
    ///
    /// - Throws: ``AuthError`` `busy` after the deadline; `CancellationError`.
    public func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try key.check()
        guard let id = try await locks.acquire(key, deadline: deadline, clock: context.clock) else {
            throw AuthError(.busy, "the lock is held by another task of this process")
        }
        return MemoryHeldLock(id: id, key: key, locks: locks)
    }
}

// MARK: WatchableStore

extension MemoryStore: WatchableStore {
    /// Returns a stream of the keys that change from now on in this instance.
    public func changes() -> AsyncStream<StoreKey> { feed.listen() }
}

extension SessionStore where Self == MemoryStore {
    /// A new, empty store that forgets everything when the process ends.
    public static var memory: MemoryStore { MemoryStore() }
}

/// A lock held in this process.
private struct MemoryHeldLock: HeldLock {
    let id: UInt64
    let key: StoreKey
    let locks: LockQueue

    func release() { locks.release(id, of: key) }
}

extension StoreKey {
    /// Refuses names that some stores cannot keep.
    ///
    /// - Throws: ``AuthError`` `configuration(.invalid)` for more than 4,096 bytes or a U+0000.
    package func check() throws(AuthError) {
        guard name.utf8.count <= 4_096 else {
            throw AuthError(.configuration(.invalid), "the store key's name is longer than 4,096 bytes")
        }
        guard !name.utf8.contains(0) else {
            throw AuthError(.configuration(.invalid), "the store key's name holds U+0000")
        }
    }
}
