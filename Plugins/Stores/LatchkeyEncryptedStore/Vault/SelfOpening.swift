public import Latchkey
import LatchkeySystem

/// Opens a store with a key from a key holder whenever it finds the store closed. For servers, which have the key
/// in a file or in the environment, and for keyrings that open when the person signs in. It never asks the person.
///
/// | Case | What happens |
/// | --- | --- |
/// | The holder is locked | `locked` |
/// | The holder does not answer, or does not exist | `store(.unavailable)` |
/// | The holder has no key under the name | `store(.unavailable)`, naming what is missing; never an empty store |
public final class SelfOpening<Store: LockableStore>: SessionStore {
    /// The store that it opens.
    public let store: Store
    private let holder: any KeyHolder
    private let name: String

    /// Creates a store that opens `store` with the key called `name` in `holder`.
    public init(_ store: Store, by holder: any KeyHolder, name: String) {
        self.store = store
        self.holder = holder
        self.name = name
    }

    /// Returns the record under `key`; `nil` if there is none.
    public func read(_ key: StoreKey) async throws -> StoredRecord? { try await opening { try await $0.read(key) } }

    /// Replaces a record by compare-and-swap.
    @discardableResult
    public func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws
        -> RecordVersion?
    {
        try await opening { try await $0.replace(key, at: version, with: bytes) }
    }

    /// Returns every key of `kind`.
    public func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        try await opening { try await $0.keys(kind) }
    }

    /// Returns the records under several keys, as the store does.
    public func records(_ keys: [StoreKey]) async throws -> [StoreKey: Result<StoredRecord, AuthError>] {
        try await opening { try await $0.records(keys) }
    }

    /// Returns a part of the keys, as the store does.
    public func page(
        of kind: StoreKey.Kind, startingWith prefix: String, from cursor: KeyCursor?, atMost count: Int
    ) async throws -> KeyPage {
        try await opening { try await $0.page(of: kind, startingWith: prefix, from: cursor, atMost: count) }
    }

    /// Says what the store says, without opening it.
    public func health() async throws -> StoreHealth { try await store.health() }

    fileprivate func opening<Value>(_ work: (Store) async throws -> Value) async throws -> Value {
        do {
            return try await work(store)
        } catch let error as AuthError where error.code == .locked {
            guard let key = try await holder.key(name) else {
                throw AuthError(.store(.unavailable), "\(holder.source) has no key named \(name)")
            }
            do {
                try await store.open(with: UnlockKey(.key(source: holder.source), key))
            } catch let error as AuthError where error.code == .refused(.wrongInput) {
                // Not `refused(.wrongInput)`: the person has typed nothing.
                throw AuthError(.store(.unavailable), "the key of \(holder.source) does not open the store")
            }
            return try await work(store)
        }
    }
}

extension SelfOpening: CrossProcessStore where Store: CrossProcessStore {
    /// Takes the store's lock of `key`.
    public func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try await opening { try await $0.lock(key, deadline: deadline) }
    }
}

extension SelfOpening: WatchableStore where Store: WatchableStore {
    /// Returns the store's changes.
    public func changes() async throws -> AsyncStream<StoreKey> { try await store.changes() }
}
