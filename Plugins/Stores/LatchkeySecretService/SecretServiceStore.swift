public import FoundationEssentials
public import Latchkey
import LatchkeyPluginKit

/// Keeps each record in an item of the desktop's keyring. The cases of ``SecretServiceKeyring`` apply here.
///
/// | Case | What happens |
/// | --- | --- |
/// | A record over 1 MiB | `configuration(.invalid)`, before anything is sent |
/// | `replace` | reads, compares, writes and reads back, under a lock of all processes |
/// | The keyring does not answer a write in time | `store(.unavailable)`; it may still write the record, before it answers any other call |
/// | An item that was changed by hand, or has another key's record | `store(.damaged)`; never written over |
/// | An item of a newer format | `store(.newerVersion)`; never written over |
/// | Items of other programs | never touched |
///
/// The service has no compare-and-swap, so locks and commits use lock files in a directory of this user, the same
/// for all processes that use the keyring. Versions are 128 random bits. For each record that is written, the
/// keyring writes its whole file: if you have many records, keep only a key here, and the records in an encrypted
/// store.
public final class SecretServiceStore: CrossProcessStore {
    /// The most bytes a record may have: 1 MiB.
    public static let recordLimit = 1 << 20
    /// How long `replace` waits for other writers before it throws `store(.lockTimeout)`.
    public static let commitDeadline = Duration.seconds(10)

    /// The keyring that has the records.
    public let keyring: SecretServiceKeyring
    private let locks: FileLocks
    private let commits: FileLocks
    private static let commitKey = StoreKey(.settings, "")

    /// Creates a store over `keyring`.
    ///
    /// - Parameters:
    ///   - keyring: Where the records are kept.
    ///   - locks: An absolute path of a directory that is used for nothing else. It is made when it is
    ///     needed.
    public init(_ keyring: SecretServiceKeyring, locksIn locks: String) {
        self.keyring = keyring
        // File names show no account, because the directory may be on a disk.
        self.locks = FileLocks(in: locks, context: keyring.context) { key in
            "\(key.kind.rawValue)-\(keyring.digest(key.kind.rawValue, key.name)).lane"
        }
        commits = FileLocks(in: locks, context: keyring.context) { _ in "store.lock" }
    }

    /// Returns the directory for an application's locks: `$XDG_RUNTIME_DIR/latchkey-<application>`.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` for a name that is not a path component, or when
    ///   the session has no such directory.
    public static func defaultLocks(
        for application: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> String {
        guard !application.isEmpty, !application.contains("/"), !application.utf8.contains(0) else {
            throw AuthError(.configuration(.invalid), "the application's name is no single path component")
        }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.first == "/" else {
            throw AuthError(.configuration(.invalid), "XDG_RUNTIME_DIR names no absolute path")
        }
        return "\(folder)/latchkey-\(application)"
    }

    /// Returns the record under `key`; `nil` if the keyring is open and has none.
    public func read(_ key: StoreKey) async throws -> StoredRecord? {
        try key.check()
        let attributes = attributes(of: key)
        return try await keyring.ask { keyring in
            try Self.record(key, attributes, keyring, in: keyring.openCollection()).map {
                StoredRecord(bytes: $0.bytes, version: $0.version)
            }
        }
    }

    /// Asks the keyring for its collection. When it writes its file, a keyring does not say.
    public func health() async throws -> StoreHealth {
        try await keyring.ask { conversation in _ = try conversation.openCollection() }
        return StoreHealth(.unknown, at: "the keyring of this session")
    }

    /// Returns every key of `kind`, in no particular order.
    public func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        let attributes = keyring.attributes(kind.rawValue, nil)
        let keyring = keyring
        return try await keyring.ask { conversation in
            let collection = try conversation.openCollection()
            return try conversation.items(attributes, in: collection).compactMap { item in
                let text: Secret
                do { text = try conversation.text(of: item) } catch KeyringProblem.gone { return nil }
                let key = try KeyringRecordWire(text).key
                guard key.kind == kind else {
                    throw AuthError(.store(.damaged), "the keyring's item holds a record of another kind")
                }
                return key
            }
        }
    }

    /// Replaces a record by compare-and-swap.
    ///
    /// - Throws: ``/Latchkey/StoreConflict``; ``/Latchkey/AuthError`` `locked`, or with a `store` code; `CancellationError`
    ///   while it waits for other writers, never afterwards.
    @discardableResult
    public func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws
        -> RecordVersion?
    {
        try key.check()
        if let bytes, bytes.count > Self.recordLimit {
            throw AuthError(
                .configuration(.invalid), "the record is larger than 1 MiB, which a keyring is not made for")
        }
        let hold = try await commit()
        let wire = bytes.map { bytes in
            KeyringRecordWire(
                key: key, version: RecordVersion(keyring.context.random(KeyringRecordWire.versionLength)), bytes: bytes)
        }
        let (attributes, label) = (attributes(of: key), keyring.label)
        do {
            if wire != nil, version == nil, key.kind == .credential { try locks.made(key) }
            try await keyring.ask { keyring in
                try Self.put(wire, under: key, attributes, label, at: version, keyring)
            }
        } catch {
            await hold.release()
            throw error
        }
        await hold.release()
        return wire?.version
    }

    /// Takes the lock of `key`, as a lock file.
    public func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try await locks.lock(key, deadline: deadline)
    }
}

extension SecretServiceStore {
    private func attributes(of key: StoreKey) -> ItemAttributes { keyring.attributes(key.kind.rawValue, key.name) }

    private func commit() async throws -> any HeldLock {
        do {
            try commits.made(Self.commitKey)
            return try await commits.lock(Self.commitKey, deadline: Self.commitDeadline)
        } catch let error as AuthError where error.code == .busy {
            throw AuthError(.store(.lockTimeout), "another process writes to the keyring for too long")
        }
    }

    private static func record(
        _ key: StoreKey, _ attributes: ItemAttributes, _ keyring: KeyringConversation, in collection: String
    ) throws -> KeyringRecordWire? {
        guard let text = try keyring.only(attributes, in: collection) else { return nil }
        let wire = try KeyringRecordWire(text)
        guard wire.key == key else {
            throw AuthError(.store(.damaged), "the keyring's item holds the record of another key")
        }
        return wire
    }

    private static func put(
        _ wire: KeyringRecordWire?, under key: StoreKey, _ attributes: ItemAttributes, _ label: String,
        at version: RecordVersion?, _ keyring: KeyringConversation
    ) throws {
        let collection = try keyring.openCollection()
        let found = try record(key, attributes, keyring, in: collection)
        guard found?.version == version else { throw StoreConflict(found: found?.version) }
        if let wire {
            try keyring.put(wire.text(), label: label, attributes, in: collection)
        } else {
            for item in try keyring.items(attributes, in: collection) { try keyring.delete(item) }
        }
        let kept = try record(key, attributes, keyring, in: collection)
        guard kept?.version == wire?.version, kept?.bytes == wire?.bytes else {
            throw AuthError(.store(.notDurable), "the keyring did not keep the record")
        }
    }
}
