import LatchkeySystem

/// A store that keeps records at rest only while it is told to. Otherwise they are in memory, and
/// end with the process.
protocol KeepingStore: SessionStore {
    /// Keeps records at rest from now on, or no longer; what is there is moved. If the first call
    /// says `false`, what an earlier process left is removed.
    func keep(_ isKept: Bool) async throws(AuthError)
}

/// Wraps the app's store for ``UnlockPolicy/Keeping/whileEnabled``. The gate's own record is always kept.
///
/// Records are moved in three steps: they are copied, then the new place counts, then they are removed from the old
/// one. The app's store tells its watchers of each removal, and who reads then has to find the record.
final class KeptStore<Inner: SessionStore>: KeepingStore {
    private struct State {
        /// `nil` until the gate has told.
        var isKept: Bool?
        /// Whether the place that no longer counts may still have records.
        var hasLeftovers = false
    }

    private let inner: Inner
    private let memory: MemoryStore
    private let context: PluginContext
    private let state = Locked(State())
    /// Nothing is written while records are moved.
    private let locks = LockQueue()

    init(_ inner: Inner, context: PluginContext) {
        self.inner = inner
        self.context = context
        memory = MemoryStore(context: context)
    }

    func read(_ key: StoreKey) async throws -> StoredRecord? {
        let (place, isInner) = try place(of: key)
        guard var record = try await place.read(key) else { return nil }
        if !isInner { record.version = record.version.inMemory }
        return record
    }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
        try await alone {
            let (place, isInner) = try self.place(of: key)
            if isInner { return try await place.replace(key, at: version, with: bytes) }
            // A version that the app's store gave before the move fits nothing here.
            if let version, version.ofMemory == nil {
                throw StoreConflict(found: try await place.read(key)?.version.inMemory)
            }
            do {
                return try await place.replace(key, at: version?.ofMemory, with: bytes)?.inMemory
            } catch let conflict as StoreConflict {
                throw StoreConflict(found: conflict.found?.inMemory)
            }
        }
    }

    func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        try await place(of: StoreKey(kind, "")).store.keys(kind)
    }

    func records(_ keys: [StoreKey]) async throws -> [StoreKey: Result<StoredRecord, AuthError>] {
        var records: [StoreKey: Result<StoredRecord, AuthError>] = [:]
        // The gate's own record is elsewhere.
        for key in keys where key == GateRecord.key { records[key] = try await read(key).map { .success($0) } }
        let others = keys.filter { $0 != GateRecord.key }
        guard let some = others.first else { return records }
        let (place, isInner) = try place(of: some)
        for (key, found) in try await place.records(others) {
            records[key] = isInner ? found : found.map { StoredRecord(bytes: $0.bytes, version: $0.version.inMemory) }
        }
        return records
    }

    func page(
        of kind: StoreKey.Kind, startingWith prefix: String, from cursor: KeyCursor?, atMost count: Int
    ) async throws -> KeyPage {
        try await place(of: StoreKey(kind, "")).store.page(
            of: kind, startingWith: prefix, from: cursor, atMost: count)
    }

    func health() async throws -> StoreHealth { try await inner.health() }

    func keep(_ wanted: Bool) async throws(AuthError) {
        do { try await change(to: wanted) } catch { throw AuthError(error) }
    }

    private func change(to wanted: Bool) async throws {
        try await alone {
            let before = self.state.withLock { $0 }
            guard before.isKept != wanted || before.hasLeftovers else { return }
            let old: any SessionStore = wanted ? self.memory : self.inner
            let new: any SessionStore = wanted ? self.inner : self.memory
            if let isKept = before.isKept, isKept != wanted {
                // What an earlier move left here may have been signed out since.
                if before.hasLeftovers || !wanted { try await self.clear(new) }
                try await self.copy(from: old, to: new)
            }
            self.state.withLock { $0 = State(isKept: wanted, hasLeftovers: true) }
            // What is at rest when the gate first says that it shall stay there is no leftover.
            if before.isKept != nil || !wanted { try await self.clear(old) }
            self.state.withLock { $0.hasLeftovers = false }
        }
    }

    private func place(of key: StoreKey) throws -> (store: any SessionStore, isInner: Bool) {
        if key == GateRecord.key { return (inner, true) }
        guard let isKept = state.withLock({ $0.isKept }) else {
            throw AuthError(.locked, "Whether sessions are kept is not known yet.")
        }
        if isKept { return (inner, true) }
        return (memory, false)
    }

    private func copy(from source: any SessionStore, to target: any SessionStore) async throws {
        for kind in StoreKey.Kind.allCases {
            for key in try await source.keys(kind) where key != GateRecord.key {
                guard let record = try await source.read(key) else { continue }
                try await target.replace(key, at: try await target.read(key)?.version, with: record.bytes)
            }
        }
    }

    private func clear(_ place: any SessionStore) async throws {
        for kind in StoreKey.Kind.allCases {
            for key in try await place.keys(kind) where key != GateRecord.key {
                guard let version = try await place.read(key)?.version else { continue }
                try await place.replace(key, at: version, with: nil)
            }
        }
    }

    private func alone<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        let key = StoreKey(.settings, "")
        guard let ticket = try await locks.acquire(key, deadline: .seconds(60), clock: context.clock) else {
            throw AuthError(.store(.lockTimeout), "The store is being moved, and did not end in time.")
        }
        defer { locks.release(ticket, of: key) }
        return try await work()
    }
}

extension KeptStore: CrossProcessStore where Inner: CrossProcessStore {
    func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try await inner.lock(key, deadline: deadline)
    }
}

extension KeptStore: ReservingStore where Inner: ReservingStore {
    /// Memory needs no room.
    func reserve(_ key: StoreKey, bytes: Int) async throws -> (any StoreReservation)? {
        guard let place = try place(of: key).store as? any ReservingStore else { return nil }
        return try await place.reserve(key, bytes: bytes)
    }
}

extension KeptStore: DamageTolerantStore where Inner: DamageTolerantStore {
    func readableKeys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        let place = try place(of: StoreKey(kind, "")).store
        guard let tolerant = place as? any DamageTolerantStore else { return try await place.keys(kind) }
        return try await tolerant.readableKeys(kind)
    }
}

extension KeptStore: WatchableStore where Inner: WatchableStore {
    func changes() async throws -> AsyncStream<StoreKey> { try await inner.changes() }
}

extension RecordVersion {
    /// The store in memory counts its commits, as the app's store may do too. The mark keeps their versions apart.
    private static var memoryMark: [UInt8] { Array("latchkey memory ".utf8) }

    fileprivate var inMemory: RecordVersion { RecordVersion(Self.memoryMark + bytes) }

    /// The version as the store in memory gave it; `nil` if another store did.
    fileprivate var ofMemory: RecordVersion? {
        bytes.starts(with: Self.memoryMark) ? RecordVersion(Array(bytes.dropFirst(Self.memoryMark.count))) : nil
    }
}
