public import Latchkey
import LatchkeyPluginKit

/// Room for a change of the vault that must not fail for want of space: a hidden file beside it, of which there is one
/// for each record at most, because its caller holds the record's lock. That of a dead process is replaced by the next.
extension EncryptedFileStore: ReservingStore {
    /// Sets room aside for the whole vault with the record in it.
    public func reserve(_ key: StoreKey, bytes: Int) async throws -> (any StoreReservation)? {
        try key.check()
        let place = try existing()
        guard place.files is any ReservingFiles, let vault = try file(in: place) else { return nil }
        let name = VaultNames.room(of: key)
        let size = vault.count + bytes + Self.growth
        try await commits.run(in: place, making: existing) { place, _ in
            guard let files = place.files as? any ReservingFiles else { return }
            try disk(.write, at: path(name)) {
                try files.remove(name)
                try files.reserve(name, bytes: size)
            }
        }
        return Room(store: self, key: key, room: VaultRoom(name: name, size: size))
    }

    /// How much other records may grow meanwhile.
    private static let growth = 16_384

    private struct Room: StoreReservation {
        let store: EncryptedFileStore
        let key: StoreKey
        let room: VaultRoom

        func replace(at version: RecordVersion?, with bytes: [UInt8]) async throws -> RecordVersion? {
            try await store.replace(key, at: version, with: bytes, in: room)
        }

        func release() async {
            guard let place = try? store.opened() else { return }
            try? place.files.remove(room.name)
        }
    }
}

/// A file that was set aside for the next vault.
struct VaultRoom: Sendable {
    var name: String
    var size: Int
}
