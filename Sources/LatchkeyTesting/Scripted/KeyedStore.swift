public import Latchkey
import LatchkeyLocked

/// A store in front of another one that one key opens, as an encrypted store's does; the records are not encrypted.
public final class KeyedStore<Inner: SessionStore>: LockableStore {
    private let inner: Inner
    private let key: Secret
    private let state = Locked((isOpen: false, opened: 0, closed: 0))

    /// A closed store over `inner`.
    public init(_ inner: Inner, key: Secret) {
        self.inner = inner
        self.key = key
    }

    /// Whether it is open.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// How often it was opened, and closed.
    public var counts: (opened: Int, closed: Int) { state.withLock { ($0.opened, $0.closed) } }

    /// Opens it for the key that it was made with.
    public func open(with key: UnlockKey) throws {
        guard key.secret == self.key else { throw AuthError(.refused(.wrongInput), "the key opens nothing") }
        state.withLock { state in
            state.isOpen = true
            state.opened += 1
        }
    }

    /// Closes it.
    public func close() {
        state.withLock { state in
            state.isOpen = false
            state.closed += 1
        }
    }

    /// What is under `key`, while it is open.
    public func read(_ key: StoreKey) async throws -> StoredRecord? {
        try check()
        return try await inner.read(key)
    }

    /// Compare-and-swap, while it is open.
    public func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws
        -> RecordVersion?
    {
        try check()
        return try await inner.replace(key, at: version, with: bytes)
    }

    /// The keys, while it is open.
    public func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        try check()
        return try await inner.keys(kind)
    }

    fileprivate func check() throws {
        guard isOpen else { throw AuthError(.locked, "the store is closed") }
    }
}

extension KeyedStore: CrossProcessStore where Inner: CrossProcessStore {
    /// The inner store's lane, while it is open.
    public func lane(_ key: StoreKey, deadline: Duration) async throws -> any LaneHold {
        try check()
        return try await inner.lane(key, deadline: deadline)
    }
}

extension KeyedStore: WatchableStore where Inner: WatchableStore {
    /// The inner store's changes, open or not.
    public func changes() -> AsyncStream<StoreKey> { inner.changes() }
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
