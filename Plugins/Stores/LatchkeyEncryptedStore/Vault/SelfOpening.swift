public import Latchkey
import LatchkeyLocked

/// Opens a store by a key that a holder keeps, whenever it finds it closed: for servers, whose key is a file or in the
/// environment, and for keyrings that the person's sign-in opens. It asks nobody, and needs no gate.
///
/// | Case | What happens |
/// | --- | --- |
/// | The holder is locked | `locked` |
/// | It does not answer, or is not there | `store(.unavailable)` |
/// | It has no key under the name | `store(.unavailable)`, naming what is missing; never an empty store |
public final class SelfOpening<Store: LockableStore>: SessionStore {
    /// The store that is opened.
    public let store: Store
    private let holder: any KeyHolder
    private let name: String

    /// A store that `holder` opens with its key of that name.
    public init(_ store: Store, by holder: any KeyHolder, name: String) {
        self.store = store
        self.holder = holder
        self.name = name
    }

    /// What is under `key`.
    public func read(_ key: StoreKey) async throws -> StoredRecord? { try await opening { try await $0.read(key) } }

    /// Compare-and-swap.
    @discardableResult
    public func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws
        -> RecordVersion?
    {
        try await opening { try await $0.replace(key, at: version, with: bytes) }
    }

    /// Every key of `kind`.
    public func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        try await opening { try await $0.keys(kind) }
    }

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
                // Nobody has typed anything.
                throw AuthError(.store(.unavailable), "the key of \(holder.source) does not open the store")
            }
            return try await work(store)
        }
    }
}

extension SelfOpening: CrossProcessStore where Store: CrossProcessStore {
    /// The store's lane.
    public func lane(_ key: StoreKey, deadline: Duration) async throws -> any LaneHold {
        try await opening { try await $0.lane(key, deadline: deadline) }
    }
}

extension SelfOpening: WatchableStore where Store: WatchableStore {
    /// The store's changes.
    public func changes() -> AsyncStream<StoreKey> { store.changes() }
}
