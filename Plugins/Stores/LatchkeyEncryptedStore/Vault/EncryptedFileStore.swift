public import Latchkey
import LatchkeySystem
import LatchkeyPluginKit

/// Keeps every record in one encrypted file, the vault. A passphrase, a recovery code or a key in a keyring opens
/// it.
///
/// | Case | What happens |
/// | --- | --- |
/// | No vault yet | `configuration(.invalid)`; ``initialise(with:)`` makes one, and so does the first ``open(with:)`` if the options say so |
/// | Closed | every call but `open` and `close` throws `locked`, ``lock(_:deadline:)`` too; ``status()`` tells what opens it |
/// | A key that opens nothing | `refused(.wrongInput)` |
/// | Accidental damage | `store(.damaged)`, for readers and writers; the file stays until ``quarantine()`` |
/// | Deliberate changes | `store(.tampered)` |
/// | An older vault in place of a newer one | `store(.rolledBack)`, depending on ``RollbackPolicy`` |
/// | A vault of a newer format | `store(.newerVersion)`; never written over |
/// | Files, or directories above, that others can read or change | `store(.insecurePermissions)`; ``repairPermissions()`` repairs the vault's own |
/// | `replace` | a new file is written and flushed, renamed over the old one, and the directory is flushed |
/// | The process dies at any point | the old vault or the new one, whole; the next writer removes leftovers |
///
/// The file hides the records, their names, their number, and their sizes to 1,024 bytes. It does not hide how
/// often and when it was written, nor what opens it. An older copy opens with the keys that the vault had then.
public final class EncryptedFileStore: LockableStore, CrossProcessStore {
    struct State {
        var cache: Cache?
        /// The newest vault that this instance has seen.
        var mark: VaultMark?
        /// Whether leftovers were removed and the directory's own name was made durable.
        var prepared = false
        /// Whether there has been a vault.
        var seen = false
        /// Whether names in the directory changed and could not be made durable yet.
        var unsynced = false
    }

    /// The vault that was read last.
    struct Cache {
        /// The file, still encrypted.
        var file: [UInt8]
        var header: VaultHeader
        var body: VaultBody
    }

    static let vaultName = "vault.lkv"
    static let lockName = "vault.lock"

    /// The directory of the files.
    public let directory: String
    /// The options of the store.
    public let options: VaultOptions
    let context: PluginContext
    let keeper: any VaultKeeper
    let commits: CommitLock
    let locks: FileLocks
    let state = Locked(State())
    let watch: VaultWatch
    let rollback = Locked<AuthError?>(nil)

    /// Creates a store over the vault in `directory`, an absolute path of a directory that is used for nothing
    /// else. It touches no file before the first call.
    public init(
        at directory: String, keptBy keeper: (any VaultKeeper)? = nil, options: VaultOptions = VaultOptions(),
        context: PluginContext = .system
    ) {
        self.directory = directory
        self.options = options
        self.context = context
        self.keeper = keeper ?? LocalKeeper(context: context)
        commits = CommitLock(Self.lockName, in: directory, context: context)
        locks = FileLocks(in: directory, context: context) { VaultNames.lock(of: $0) }
        watch = VaultWatch(directory, context)
    }

    /// Returns the record under `key`; `nil` if there is none.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `locked`, and the `store` codes of the table above.
    public func read(_ key: StoreKey) async throws -> StoredRecord? {
        try key.check()
        let cache = try await loaded(in: try existing())
        return cache.record(key)
    }

    /// Returns every key of `kind`, in no particular order.
    public func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        let cache = try await loaded(in: try existing())
        return cache.body.records.keys.compactMap(VaultBody.key(named:)).filter { $0.kind == kind }
    }

    /// Says that each commit is flushed to the disk before it is acknowledged. The store need not be open.
    public func health() -> StoreHealth { StoreHealth(.onReturn, at: "an encrypted file in \(directory)") }

    /// Takes the lock of `key`. The lock file's name does not show the account.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `busy` after the deadline, `locked`; `CancellationError`.
    public func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        let cache = try await loaded(in: try existing())
        let isThere = cache.record(key) != nil
        return try await locks.lock(key, deadline: deadline, isMade: { _ in isThere }, made)
    }

    /// Opens the vault. If there is none, makes it with this key if ``VaultOptions/isMadeWhenFirstOpened``.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `refused(.wrongInput)` when the key opens nothing; `configuration(.invalid)`
    ///   when there is no vault; a `store` code otherwise.
    public func open(with key: UnlockKey) async throws {
        guard let place = try opened(), let bytes = try file(in: place) else {
            guard options.isMadeWhenFirstOpened else { throw Self.absent(directory) }
            do {
                return try await initialise(with: [NewSlot(key, cost: options.cost)])
            } catch {
                // Another process was faster, and has made the vault.
                guard let place = try opened(), try file(in: place) != nil else { throw error }
                return try await open(with: key)
            }
        }
        _ = try header(of: bytes)
        let slot = try await keeper.open(bytes, with: key)
        do {
            let cache = try await loaded(in: place, reading: bytes)
            await raiseCost(of: slot, key, cache.header)
        } catch {
            await keeper.close(try? VaultFileWire.open(bytes).0.id)
            throw error
        }
    }

    /// Forgets the key and everything that was read, which closes the vault.
    public func close() async {
        let id = state.withLock { state in
            defer { state.cache = nil }
            return state.mark?.vault
        }
        await keeper.close(id)
    }

    static func absent(_ directory: String) -> AuthError {
        AuthError(.configuration(.invalid), "there is no vault in \(directory) yet; make one first")
    }
}

extension SessionStore where Self == EncryptedFileStore {
    /// Creates a store of one encrypted file in `directory`. The first key that opens it becomes the vault's first
    /// slot; add a recovery code with ``EncryptedFileStore/addSlot(_:)``.
    public static func encryptedFile(
        at directory: String, options: VaultOptions = VaultOptions(isMadeWhenFirstOpened: true),
        context: PluginContext = .system
    ) -> EncryptedFileStore {
        EncryptedFileStore(at: directory, options: options, context: context)
    }
}

extension EncryptedFileStore.Cache {
    func record(_ key: StoreKey) -> StoredRecord? {
        body.records[VaultBody.name(of: key)].map { record in
            StoredRecord(bytes: record.value.reveal(), version: version(record.number))
        }
    }

    func version(_ number: UInt64) -> RecordVersion {
        RecordVersion(header.id.bytes + VaultFileWire.bigEndian(number, 8))
    }
}
