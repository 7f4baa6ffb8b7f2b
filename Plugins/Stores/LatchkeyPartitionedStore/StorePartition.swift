public import Latchkey

/// One part of a store that many share, such as the part of one browser at a web server. Nothing in it is visible in
/// another part.
///
/// It keeps the abilities of the inner store: locks across processes, and reports of changes. All parts of one
/// ``PartitionedStore`` share one watch of the inner store.
public struct StorePartition<Inner: SessionStore>: DocumentlessStore {
    /// How often a commit is tried while others commit in the same partition.
    static var commitTries: Int { 1_000 }

    /// The partition's name.
    public let name: String
    let inner: Inner
    let watch: PartitionWatch<Inner>
    private let context: PluginContext

    init(_ name: String, of inner: Inner, watch: PartitionWatch<Inner>, context: PluginContext) {
        self.name = name
        self.inner = inner
        self.watch = watch
        self.context = context
    }

    static func key(of name: String) -> StoreKey { StoreKey(.credential, "partition/\(name)") }

    private var key: StoreKey { Self.key(of: name) }

    /// Returns the record under `key`.
    public func read(_ key: StoreKey) async throws -> StoredRecord? {
        try key.check()
        return try await bundle().bundle.entries[key]?.record
    }

    /// Replaces the record under `key` (compare-and-swap), in one commit of the inner store.
    @discardableResult
    public func replace(
        _ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?
    ) async throws -> RecordVersion? {
        try key.check()
        // What this call has put there, though the inner store's answer is lost.
        var put: Set<RecordVersion> = []
        for _ in 0..<Self.commitTries {
            var (bundle, inner) = try await bundle()
            let found = bundle.entries[key]?.version
            if let found, put.contains(found) { return found }
            guard found == version else { throw StoreConflict(found: found) }
            if bytes == nil, version == nil { return nil }
            bundle.put(bytes, under: key, mark: context.random(PartitionBundle.markLength))
            do {
                try await self.inner.replace(self.key, at: inner, with: bundle.bytes)
                return bundle.entries[key]?.version
            } catch  where error.isSettledByReading {
                if !(error is StoreConflict) {
                    // Whose deletion it is that is seen then, a reader cannot tell.
                    guard let version = bundle.entries[key]?.version else { throw error }
                    put.insert(version)
                }
                // Another record of this partition may have changed; whether this one has is seen above.
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        throw AuthError(.busy, "others keep changing the partition")
    }

    /// Returns every key of `kind` in this partition.
    public func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        try await bundle().bundle.entries.keys.filter { $0.kind == kind }
    }

    /// Returns the records under several keys, which are in one record of the inner store.
    public func records(_ keys: [StoreKey]) async throws -> [StoreKey: Result<StoredRecord, AuthError>] {
        for key in keys { try key.check() }
        let entries = try await bundle().bundle.entries
        return Dictionary(
            keys.compactMap { key in entries[key].map { (key, .success($0.record)) } }, uniquingKeysWith: { $1 })
    }

    /// Says what the inner store says.
    public func health() async throws -> StoreHealth { try await inner.health() }

    private func bundle() async throws -> (bundle: PartitionBundle, inner: RecordVersion?) {
        guard let stored = try await inner.read(key) else { return (PartitionBundle(), nil) }
        return (try PartitionBundle(stored.bytes), stored.version)
    }
}

// MARK: CrossProcessStore

extension StorePartition: CrossProcessStore where Inner: CrossProcessStore {
    /// Takes the lock of `key` in the inner store.
    public func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try key.check()
        // The key's own name may be as long as a name can be.
        let name = "partition/\(name)/\(PartitionedStore<Inner>.shortened(key.name))"
        return try await inner.lock(StoreKey(key.kind, name), deadline: deadline)
    }
}

// MARK: WatchableStore

extension StorePartition: WatchableStore where Inner: WatchableStore {
    /// Returns a stream of the keys that change from now on in this partition.
    public func changes() async throws -> AsyncStream<StoreKey> { try await watch.listen(to: name) }
}
