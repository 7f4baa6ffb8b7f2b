public import Latchkey
import LatchkeyPluginKit

extension FileStore {
    /// Takes the lock of `key`: first come, first served among the tasks of this instance; among processes by
    /// `flock`. Linux wakes a waiter when it is free; elsewhere a waiter tries again every 10 to 250 milliseconds.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `busy` after the deadline, naming the holder's process; `CancellationError`.
    public func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try await locks.lock(key, deadline: deadline, isMade: { try isThere(key, in: $0) }, made)
    }

    /// Whether the lock's file exists; it is made with the first record of its key.
    private func isThere(_ key: StoreKey, in place: TrustedDirectory) throws -> Bool {
        let file = file(of: key)
        return try disk(.read, at: path(file)) { try place.files.status(file) } != nil
    }

    /// Takes the lock file if it is free.
    func lock(_ name: String, in place: TrustedDirectory) throws -> (any FileLock)? {
        try disk(.write, at: path(name)) { try place.files.lock(name, sharing: false) }
    }
}
