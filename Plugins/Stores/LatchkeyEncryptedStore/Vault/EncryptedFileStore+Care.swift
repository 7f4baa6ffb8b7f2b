import FoundationEssentials
public import Latchkey
import LatchkeyLocked
import LatchkeyPluginKit

/// What a person looks at, mends and takes along.
extension EncryptedFileStore {
    /// What is told of a vault without its key.
    public struct Status: Sendable {
        /// The vault's head. Only an open vault shows whether it is true.
        public var header: VaultHeader
        /// The file.
        public var path: String
        /// Its size in bytes.
        public var size: Int
        /// What dead writers left; the next writer removes it.
        public var leftovers: [String]
        /// Vaults that were set aside because they could not be read.
        public var setAside: [String]
    }

    /// Looks at the vault, and changes nothing. Needs no key.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` when there is none, or a `store` code.
    public func status() throws -> Status {
        guard let place = try opened(), let bytes = try file(in: place) else { throw Self.absent(directory) }
        let names = try disk(.read, at: directory) { try place.files.list(".") }.sorted()
        return Status(
            header: try VaultFileWire.open(bytes).0, path: path(Self.vaultName), size: bytes.count,
            leftovers: names.filter(VaultNames.isTemporary).map(path),
            setAside: names.filter { $0.hasPrefix(Self.vaultName + ".corrupt-") }.map(path))
    }

    /// Reads everything in an open vault anew. How many records there are.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `locked`, or what is wrong.
    public func verify() async throws -> Int {
        state.withLock { $0.cache = nil }
        return try await loaded(in: try existing()).body.records.count
    }

    /// Moves a vault that cannot be read out of the way, so that a new one can be made. Nothing is deleted.
    ///
    /// - Returns: The file's new path.
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` when the vault is whole: it may be opened yet.
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

    /// Makes the vault and the directory this user's alone again, where they are this user's. Never done by itself:
    /// somebody may have read them meanwhile.
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

    /// Copies the vault, sealed as it is, into a new file, mode 0600.
    ///
    /// - Parameter target: An absolute path where nothing is, in a directory that nobody else may change.
    /// - Throws: ``/Latchkey/AuthError`` with a `store` code; a vault that is damaged is not copied.
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

    /// Puts a copy of a vault in place of the present one, as its newest generation. The present one is set aside.
    ///
    /// Tokens in a copy may have been spent since: services that end a session whose refresh token comes twice will end
    /// those. The store is closed afterwards.
    ///
    /// - Parameters:
    ///   - source: The copy.
    ///   - key: A key of the copy, by which it is read and written anew.
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
            // Generations go on from the newest one, so that no version of a record comes again.
            let present = try? file(in: place).map { try VaultFileWire.open($0).0 }
            let newest = [present?.generation, state.withLock { $0.mark?.generation }].compactMap(\.self).max() ?? 0
            if present != nil {
                guard lock.isInPlace else { throw CommitLock.Removed() }
                let aside = VaultNames.quarantine(Int64(now))
                try disk(.write, at: path(Self.vaultName)) { try place.files.rename(Self.vaultName, to: aside) }
            }
            var sealed = try await keeper.seal(records, after: head.bytes, at: now)
            head = try VaultFileWire.open(sealed).0
            if head.generation <= newest, present?.id == head.id {
                sealed = try await keeper.advance(records, after: head.bytes, to: newest + 1, at: now)
            }
            state.withLock { ($0.mark, $0.cache) = (nil, nil) }
            try await put(sealed, body, in: place, under: lock)
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
    /// Destroys the vault: every slot is overwritten with random bytes, so that no key opens it, and the file is removed.
    ///
    /// On disks that write elsewhere instead of over, as SSDs and many file systems do, the old slots may last until their
    /// place is used again; older copies, and snapshots, are out of reach. What a key holder keeps is for the caller to
    /// remove.
    public func erase() async throws {
        guard let place = try opened() else { return }
        try await commits.run(in: place, making: made) { place, lock in
            if let bytes = try? file(in: place), let header = try? VaultFileWire.open(bytes).0 {
                let noise = context.random(bytes.count - VaultFileWire.prefixLength)
                try write(Array(header.bytes.prefix(VaultFileWire.prefixLength)) + noise, in: place, under: lock)
            }
            for name in try disk(.read, at: directory, { try place.files.list(".") })
            where name == Self.vaultName || VaultNames.isTemporary(name) {
                try disk(.write, at: path(name)) { try place.files.remove(name) }
            }
            try syncNames(in: place)
            state.withLock { $0.seen = false }
        }
        await close()
        state.withLock { $0.mark = nil }
    }
}
