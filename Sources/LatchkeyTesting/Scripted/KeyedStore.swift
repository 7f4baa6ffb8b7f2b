public import Latchkey
import LatchkeySystem

/// A store that one key opens, like an encrypted store, in front of another store. It does not
/// encrypt the records.
public final class KeyedStore<Inner: SessionStore>: LockableStore {
    private let inner: Inner
    private let key: Secret
    private let state = Locked((isOpen: false, opened: 0, closed: 0))

    /// Creates a closed store over `inner`.
    public init(_ inner: Inner, key: Secret) {
        self.inner = inner
        self.key = key
    }

    /// Whether the store is open.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// How often the store was opened and closed.
    public var counts: (opened: Int, closed: Int) { state.withLock { ($0.opened, $0.closed) } }

    /// Opens the store if the key is the one it was created with.
    public func open(with key: UnlockKey) throws {
        guard key.secret == self.key else { throw AuthError(.refused(.wrongInput), "the key opens nothing") }
        state.withLock { state in
            state.isOpen = true
            state.opened += 1
        }
    }

    /// Closes the store.
    public func close() {
        state.withLock { state in
            state.isOpen = false
            state.closed += 1
        }
    }

    /// Returns the record under `key`, while the store is open.
    public func read(_ key: StoreKey) async throws -> StoredRecord? {
        try check()
        return try await inner.read(key)
    }

    /// Replaces the record under `key` (compare-and-swap), while the store is open.
    public func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws
        -> RecordVersion?
    {
        try check()
        return try await inner.replace(key, at: version, with: bytes)
    }

    /// Returns the keys, while the store is open.
    public func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        try check()
        return try await inner.keys(kind)
    }

    /// Returns the records under several keys, while the store is open.
    public func records(_ keys: [StoreKey]) async throws -> [StoreKey: Result<StoredRecord, AuthError>] {
        try check()
        return try await inner.records(keys)
    }

    fileprivate func check() throws {
        guard isOpen else { throw AuthError(.locked, "the store is closed") }
    }
}

extension KeyedStore: ReservingStore where Inner: ReservingStore {
    /// Sets room aside in the inner store, while the store is open.
    public func reserve(_ key: StoreKey, bytes: Int) async throws -> (any StoreReservation)? {
        try check()
        return try await inner.reserve(key, bytes: bytes)
    }
}

extension KeyedStore: CrossProcessStore where Inner: CrossProcessStore {
    /// Takes the inner store's lock, while the store is open.
    public func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try check()
        return try await inner.lock(key, deadline: deadline)
    }
}

extension KeyedStore: WatchableStore where Inner: WatchableStore {
    /// Returns the inner store's changes, whether or not this store is open.
    public func changes() async throws -> AsyncStream<StoreKey> { try await inner.changes() }
}

extension KeyedStore: ErasableStore where Inner == MemoryStore {
    /// Removes every record.
    public func erase() async throws {
        for kind in StoreKey.Kind.allCases {
            for key in inner.keys(kind) {
                guard let record = try inner.read(key) else { continue }
                try inner.replace(key, at: record.version, with: nil)
            }
        }
        close()
    }
}
