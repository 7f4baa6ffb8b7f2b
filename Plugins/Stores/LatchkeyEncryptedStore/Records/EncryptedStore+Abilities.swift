public import Latchkey

extension EncryptedStore: CrossProcessStore where Inner: CrossProcessStore {
    /// Takes the inner store's lock of `key`. The store must be open.
    public func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        _ = try opened()
        return try await inner.lock(key, deadline: deadline)
    }
}

extension EncryptedStore: ReservingStore where Inner: ReservingStore {
    /// Sets room aside in the inner store for the sealed record.
    public func reserve(_ key: StoreKey, bytes: Int) async throws -> (any StoreReservation)? {
        try Self.check(key)
        guard let room = try await inner.reserve(key, bytes: bytes + RecordEnvelope.overhead) else { return nil }
        return SealedRoom(store: self, key: key, room: room)
    }

    private struct SealedRoom: StoreReservation {
        let store: EncryptedStore
        let key: StoreKey
        let room: any StoreReservation

        func replace(at version: RecordVersion?, with bytes: [UInt8]) async throws -> RecordVersion? {
            try await store.replace(key, with: bytes) { try await room.replace(at: version, with: $0 ?? []) }
        }

        func release() async { await room.release() }
    }
}

extension EncryptedStore: DamageTolerantStore where Inner: DamageTolerantStore {
    /// Returns the keys of the records that the inner store can read the keys of.
    public func readableKeys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        _ = try opened()
        return try await inner.readableKeys(kind).filter { $0 != Self.ringKey }
    }
}

extension EncryptedStore: WatchableStore where Inner: WatchableStore {
    /// Returns the inner store's changes, whether this store is open or not.
    public func changes() async throws -> AsyncStream<StoreKey> { try await inner.changes() }
}
