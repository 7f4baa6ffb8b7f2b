import FoundationEssentials
public import Latchkey
import LatchkeySystem
import LatchkeyPluginKit

/// Inspection, repair, backup and removal of a vault.
extension EncryptedFileStore {
    /// What can be read of a vault without its key.
    public struct Status: Sendable {
        /// The vault's header. Only opening the vault proves that it is genuine.
        public var header: VaultHeader
        /// The path of the vault's file.
        public var path: String
        /// The size of the file in bytes.
        public var size: Int
        /// Temporary files of writers that died. The next writer removes them.
        public var leftovers: [String]
        /// Vaults that were set aside because they could not be read.
        public var setAside: [String]
    }

    /// Reads the vault's status. Changes nothing and needs no key.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` when there is no vault, or a `store` code.
    public func status() throws -> Status {
        guard let place = try opened(), let bytes = try file(in: place) else { throw Self.absent(directory) }
        let names = try disk(.read, at: directory) { try place.files.list(".") }.sorted()
        return Status(
            header: try header(of: bytes), path: path(Self.vaultName), size: bytes.count,
            leftovers: names.filter(VaultNames.isTemporary).map(path),
            setAside: names.filter(VaultNames.isSetAside).map(path))
    }

    /// Reads every record of an open vault again.
    ///
    /// - Returns: The number of records.
    /// - Throws: ``/Latchkey/AuthError`` `locked`, or the code of the damage.
    public func verify() async throws -> Int {
        state.withLock { $0.cache = nil }
        return try await loaded(in: try existing()).body.records.count
    }

    /// Moves a vault that cannot be read out of the way, so that you can make a new one. Deletes nothing.
    ///
    /// - Returns: The file's new path.
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` when the vault is whole, since it may still be
    ///   opened.
    @discardableResult
    public func quarantine() async throws -> String {
        guard let place = try opened() else { throw Self.absent(directory) }
        return try await commits.run(in: place, making: existing) { place, lock in
            guard let bytes = try file(in: place) else { throw Self.absent(directory) }
            guard try await isUnreadable(bytes) else {
                throw AuthError(.configuration(.invalid), "\(path(Self.vaultName)) is whole; it is not set aside")
            }
            var milliseconds = Int64(now)
            while try place.files.status(VaultNames.quarantine(milliseconds)) != nil { milliseconds += 1 }
            guard lock.isInPlace else { throw CommitLock.Removed() }
            try disk(.write, at: path(Self.vaultName)) {
                try place.files.rename(Self.vaultName, to: VaultNames.quarantine(milliseconds))
            }
            try pruneSetAside(in: place)
            try syncNames(in: place)
            state.withLock { ($0.seen, $0.cache, $0.mark) = (false, nil, nil) }
            return path(VaultNames.quarantine(milliseconds))
        }
    }

    private func isUnreadable(_ bytes: [UInt8]) async throws -> Bool {
        do {
            let header = try VaultFileWire.open(bytes).0
            if await keeper.isOpen(header.id) { _ = try await keeper.unseal(bytes) }
            return false
        } catch let error as AuthError where [.store(.damaged), .store(.tampered)].contains(error.code) {
            return true
        }
    }

    /// Makes the vault and its directory private to this user again, if this user owns them. The store never does
    /// this by itself, because others may have read the files meanwhile.
    ///
    /// - Returns: The paths whose modes were changed.
    @discardableResult
    public func repairPermissions() throws -> [String] {
        var repaired: [String] = []
        let files = context.files
        for (path, kind, mode) in [
            (directory, FileStatus.Kind.directory, 0o700 as UInt32), (path(Self.vaultName), .file, 0o600),
        ] {
            guard let found = try disk(.read, at: path, { try files.status(path) }) else { continue }
            guard found.kind == kind, found.isOwn else {
                throw AuthError(.store(.insecurePermissions), "\(path) is not this user's, and cannot be mended")
            }
            guard found.mode & 0o077 != 0 else { continue }
            try disk(.write, at: path) { try files.setMode(path, mode) }
            repaired.append(path)
        }
        return repaired
    }

    /// Copies the vault, still encrypted, into a new file with mode 0600.
    ///
    /// - Parameter target: An absolute path where nothing exists, in a directory that no other user can change.
    /// - Throws: ``/Latchkey/AuthError`` with a `store` code. A damaged vault is not copied.
    public func backup(to target: String) throws {
        guard let place = try opened(), let bytes = try file(in: place) else { throw Self.absent(directory) }
        _ = try VaultFileWire.open(bytes)
        let (folder, name) = try Self.split(target)
        guard let other = try TrustedDirectory.open(folder, .sound, in: context.files) else {
            throw AuthError(.configuration(.invalid), "there is no directory \(folder)")
        }
        try disk(.write, at: target) {
            try other.files.writeNew(name, bytes)
            try other.files.syncDirectory(".")
        }
    }

    /// Replaces the vault with a copy, as its newest generation. The replaced vault is set aside.
    ///
    /// Refresh tokens in the copy may have been used since. Many services end a session when its refresh token is
    /// used twice, and will end those sessions. The store is closed afterwards.
    ///
    /// - Parameters:
    ///   - source: The copy.
    ///   - key: A key that opens the copy.
    public func restore(from source: String, with key: UnlockKey) async throws {
        let (folder, name) = try Self.split(source)
        let other = try TrustedDirectory.open(folder, .sound, in: context.files)
        let bytes = try disk(.read, at: source) { try other?.files.read(name, limit: VaultFileWire.limit) }
        guard let bytes else { throw AuthError(.configuration(.invalid), "there is no file \(source)") }
        try await keeper.open(bytes, with: key)
        let records = try await keeper.unseal(bytes)
        let body = try VaultBody(records)
        try await commits.run(in: try made(), making: made) { place, lock in
            try prepare(place)
            var head = try VaultFileWire.open(bytes).0
            // Generations continue from the newest one, so that no version of a record is given twice.
            let present = try? file(in: place).map { try VaultFileWire.open($0).0 }
            let newest = [present?.generation, state.withLock { $0.mark?.generation }].compactMap(\.self).max() ?? 0
            if present != nil {
                guard lock.isInPlace else { throw CommitLock.Removed() }
                let aside = VaultNames.quarantine(Int64(now))
                try disk(.write, at: path(Self.vaultName)) { try place.files.rename(Self.vaultName, to: aside) }
                try pruneSetAside(in: place)
            }
            var sealed = try await keeper.seal(records, after: head.bytes, at: now)
            head = try VaultFileWire.open(sealed).0
            if head.generation <= newest, present?.id == head.id {
                sealed = try await keeper.advance(records, after: head.bytes, to: newest + 1, at: now)
            }
            state.withLock { ($0.mark, $0.cache) = (nil, nil) }
            try await put(sealed, body, in: place, under: lock, isIntended: true)
        }
        await close()
    }

    static func split(_ path: String) throws -> (folder: String, name: String) {
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash != path.startIndex,
            path.index(after: slash) < path.endIndex
        else { throw AuthError(.configuration(.invalid), "\(path) is no absolute path of a file") }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }
}

extension EncryptedFileStore: ErasableStore {
    /// Destroys the vault: overwrites every slot with random bytes, so that no key opens it, and removes the file, with
    /// those that were set aside.
    ///
    /// SSDs and many file systems write to another place instead of overwriting, so the old slots may last until
    /// their place is reused. Older copies and snapshots are not touched. Remove the key that a key holder keeps
    /// yourself.
    public func erase() async throws {
        guard let place = try opened() else { return }
        try await commits.run(in: place, making: made) { place, lock in
            if let bytes = try? file(in: place), let header = try? VaultFileWire.open(bytes).0 {
                let noise = context.random(bytes.count - VaultFileWire.prefixLength)
                try write(Array(header.bytes.prefix(VaultFileWire.prefixLength)) + noise, in: place, under: lock)
            }
            for name in try disk(.read, at: directory, { try place.files.list(".") })
            where name == Self.vaultName || VaultNames.isTemporary(name) || VaultNames.isRoom(name)
                || VaultNames.isSetAside(name)
            {
                try disk(.write, at: path(name)) { try place.files.remove(name) }
            }
            try syncNames(in: place)
            state.withLock { $0.seen = false }
        }
        await close()
        state.withLock { $0.mark = nil }
    }
}
