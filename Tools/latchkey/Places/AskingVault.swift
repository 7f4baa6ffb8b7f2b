import Latchkey
import LatchkeyEncryptedStore

/// The vault of a profile as a store. It is opened at the first call that needs it.
///
/// It is not a ``/Latchkey/LockableStore``: a command ends soon, so it needs no lock of its own.
final class AskingVault: CrossProcessStore, ReservingStore {
    private let vault: ProfileVault
    private let opening: Opening

    init(_ vault: ProfileVault, asking: Bool) {
        self.vault = vault
        opening = Opening(vault, asking: asking)
    }

    /// Opens the vault once, for all calls that wait.
    private actor Opening {
        private let vault: ProfileVault
        private let asking: Bool
        private var store: Task<EncryptedFileStore, any Error>?

        init(_ vault: ProfileVault, asking: Bool) { (self.vault, self.asking) = (vault, asking) }

        func opened() async throws -> EncryptedFileStore {
            if let store { return try await store.value }
            let task = Task { [vault, asking] in try await vault.opened(asking: asking) }
            store = task
            do {
                return try await withTaskCancellationHandler {
                    try await task.value
                } onCancel: {
                    task.cancel()
                }
            } catch {
                store = nil
                throw error
            }
        }
    }

    // Do not ask for a new passphrase only to read that there is nothing.
    func read(_ key: StoreKey) async throws -> StoredRecord? {
        try await vault.isThere() ? try await opening.opened().read(key) : nil
    }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
        try await opening.opened().replace(key, at: version, with: bytes)
    }

    func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        try await vault.isThere() ? try await opening.opened().keys(kind) : []
    }

    func records(_ keys: [StoreKey]) async throws -> [StoreKey: Result<StoredRecord, AuthError>] {
        try await vault.isThere() ? try await opening.opened().records(keys) : [:]
    }

    func reserve(_ key: StoreKey, bytes: Int) async throws -> (any StoreReservation)? {
        try await opening.opened().reserve(key, bytes: bytes)
    }

    func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try await opening.opened().lock(key, deadline: deadline)
    }
}
