import LatchkeyLocked

/// A store that keeps records at rest only while it is told to. Otherwise they are in memory, and
/// end with the process.
protocol KeepingStore: SessionStore {
    /// Keeps records at rest from now on, or no longer; what is there is moved. If the first call
    /// says `false`, what an earlier process left is removed.
    func keep(_ isKept: Bool) async throws(AuthError)
}

/// Wraps the app's store for ``UnlockPolicy/Keeping/whileEnabled``. The gate's own record is always kept.
final class KeptStore<Inner: SessionStore>: KeepingStore {
    private let inner: Inner
    private let memory: MemoryStore
    private let context: PluginContext
    /// `nil` until the gate has told.
    private let isKept = Locked<Bool?>(nil)
    /// Nothing is written while records are moved.
    private let turns = TurnQueue()

    init(_ inner: Inner, context: PluginContext) {
        self.inner = inner
        self.context = context
        memory = MemoryStore(context: context)
    }

    func read(_ key: StoreKey) async throws -> StoredRecord? { try await place(of: key).read(key) }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
        try await alone { try await self.place(of: key).replace(key, at: version, with: bytes) }
    }

    func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        try await place(of: StoreKey(kind, "")).keys(kind)
    }

    func keep(_ wanted: Bool) async throws(AuthError) {
        do { try await change(to: wanted) } catch { throw AuthError(error) }
    }

    private func change(to wanted: Bool) async throws {
        try await alone {
            let before = self.isKept.withLock { $0 }
            guard before != wanted else { return }
            switch (before, wanted) {
            case (nil, false): try await self.move(from: self.inner, to: nil)
            case (nil, true): break
            case (_, true): try await self.move(from: self.memory, to: self.inner)
            case (_, false): try await self.move(from: self.inner, to: self.memory)
            }
            self.isKept.withLock { $0 = wanted }
        }
    }

    private func place(of key: StoreKey) throws -> any SessionStore {
        if key == GateRecord.key { return inner }
        guard let isKept = isKept.withLock({ $0 }) else {
            throw AuthError(.locked, "Whether sessions are kept is not known yet.")
        }
        return isKept ? inner : memory
    }

    /// Copies everything to its new place before anything is removed from the old one.
    private func move(from source: any SessionStore, to target: (any SessionStore)?) async throws {
        var moved: [(StoreKey, RecordVersion)] = []
        for kind in StoreKey.Kind.allCases {
            for key in try await source.keys(kind) where key != GateRecord.key {
                guard let record = try await source.read(key) else { continue }
                if let target {
                    try await target.replace(key, at: try await target.read(key)?.version, with: record.bytes)
                }
                moved.append((key, record.version))
            }
        }
        for (key, version) in moved { _ = try await source.replace(key, at: version, with: nil) }
    }

    private func alone<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        let key = StoreKey(.settings, "")
        guard let ticket = try await turns.acquire(key, deadline: .seconds(60), clock: context.clock) else {
            throw AuthError(.store(.lockTimeout), "The store is being moved, and did not end in time.")
        }
        defer { turns.release(ticket, of: key) }
        return try await work()
    }
}

extension KeptStore: CrossProcessStore where Inner: CrossProcessStore {
    func lane(_ key: StoreKey, deadline: Duration) async throws -> any LaneHold {
        try await inner.lane(key, deadline: deadline)
    }
}

extension KeptStore: DamageTolerantStore where Inner: DamageTolerantStore {
    func readableKeys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        let place = try place(of: StoreKey(kind, ""))
        guard let tolerant = place as? any DamageTolerantStore else { return try await place.keys(kind) }
        return try await tolerant.readableKeys(kind)
    }
}

extension KeptStore: WatchableStore where Inner: WatchableStore {
    func changes() -> AsyncStream<StoreKey> { inner.changes() }
}
