import Latchkey
import LatchkeyPluginKit

/// Room for the next lines, kept in a file of zeros: what ends a session on a full disk is in the log, too.
extension AuditFolder {
    /// Enough for the lines of one writing and for the head.
    static let roomSize = 32 << 10

    /// Makes the room anew if it is gone, as far as the disk has any.
    func keepRoom() {
        guard let files = files as? any ReservingFiles, (try? files.status(Self.room)) == .some(nil) else { return }
        try? files.reserve(Self.room, bytes: Self.roomSize)
    }

    /// Runs `write`, and if the disk is full once more in place of the room.
    func inRoom(_ write: () throws -> Void) throws {
        do {
            try write()
        } catch let error as AuthError where error.code == .store(.full) {
            guard (try? files.status(Self.room)) ?? nil != nil, (try? files.remove(Self.room)) != nil else {
                throw error
            }
            try write()
        }
    }
}
