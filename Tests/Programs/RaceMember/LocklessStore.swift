import Latchkey

/// Another store without its lock: compare-and-swap is all that is left.
struct LocklessStore: SessionStore {
    private let inner: any SessionStore

    init(_ inner: any SessionStore) { self.inner = inner }

    func read(_ key: StoreKey) async throws -> StoredRecord? { try await inner.read(key) }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
        try await inner.replace(key, at: version, with: bytes)
    }

    func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] { try await inner.keys(kind) }
}
