public import Latchkey
import LatchkeyPluginKit

/// Room for a change that must not fail for want of space: a hidden file beside the record, of which there is one for
/// each record at most, because its caller holds the record's lock. That of a dead process is replaced by the next one.
extension FileStore: ReservingStore {
    /// Sets room aside in a file `.NAME.room` beside the record.
    public func reserve(_ key: StoreKey, bytes: Int) async throws -> (any StoreReservation)? {
        try key.check()
        let place = try made()
        guard place.files is any ReservingFiles else { return nil }
        let room = RecordWire.room(of: key)
        let size = bytes + RecordWire.headerLimit(of: key)
        try await committing(in: place) { place, _ in
            guard let files = place.files as? any ReservingFiles else { return }
            try disk(.write, at: path(room)) {
                try files.remove(room)
                try files.reserve(room, bytes: size)
            }
        }
        return Room(store: self, key: key, size: size)
    }

    private struct Room: StoreReservation {
        let store: FileStore
        let key: StoreKey
        let size: Int

        func replace(at version: RecordVersion?, with bytes: [UInt8]) async throws -> RecordVersion? {
            try await store.replace(key, at: version, with: bytes, inRoomOf: size)
        }

        func release() async {
            guard let place = try? store.opened() else { return }
            try? place.files.remove(RecordWire.room(of: key))
        }
    }
}
