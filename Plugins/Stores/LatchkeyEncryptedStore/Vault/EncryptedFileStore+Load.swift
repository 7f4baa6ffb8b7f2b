import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeySystem
import LatchkeyPluginKit

/// Reading: the directory and its files are checked before they are used.
extension EncryptedFileStore {
    /// Opens the directory; `nil` if it is absent. If it held a vault and is gone, this throws instead of calling
    /// it empty.
    func opened() throws -> TrustedDirectory? {
        let wasThere = state.withLock { $0.seen }
        let found = try TrustedDirectory.open(directory, .own, in: context.files)
        if found == nil, wasThere {
            throw AuthError(.store(.unavailable), "\(directory) was removed while it was in use")
        }
        return found
    }

    /// Opens the directory, and makes it if it never existed.
    func made() throws -> TrustedDirectory {
        if let place = try opened() { return place }
        return try TrustedDirectory.make(directory, .own, in: context.files)
    }

    /// Opens a directory that has a vault, as far as can be told without reading.
    func existing() throws -> TrustedDirectory {
        guard let place = try opened() else { throw closedOrAbsent() }
        return place
    }

    /// The error of a closed store that has no vault yet.
    private func closedOrAbsent() -> AuthError {
        options.isMadeWhenFirstOpened ? AuthError(.locked, "the vault is not open") : Self.absent(directory)
    }

    func path(_ file: String) -> String { "\(directory)/\(file)" }

    /// Reads the vault's bytes; `nil` if there is no vault and never was.
    func file(in place: TrustedDirectory) throws -> [UInt8]? {
        let path = path(Self.vaultName)
        var isFlushed = true
        let bytes = try disk(.read, at: path) {
            try place.files.read(Self.vaultName, limit: VaultFileWire.limit) { found in
                try PrivateFile.check(found, at: path)
                isFlushed = found.mode != Self.unflushedMode
            }
        }
        guard let bytes else {
            if state.withLock({ $0.seen }) {
                throw AuthError(.store(.unavailable), "\(path) was removed while it was in use")
            }
            return nil
        }
        // The vault's writer died before it flushed the name, or is about to flush: flush it now, so that nobody
        // relies on what a power loss would undo.
        if !isFlushed || state.withLock({ $0.unsynced }) { try syncNames(in: place) }
        state.withLock { $0.seen = true }
        return bytes
    }

    /// Reads the header of the vault's file. An error names the file.
    func header(of bytes: [UInt8]) throws -> VaultHeader {
        do { return try VaultFileWire.open(bytes).0 } catch {
            var named = error
            named.message = "\(path(Self.vaultName)): \(error.message)"
            throw named
        }
    }

    /// The mode of a vault whose name may not be durable yet. It is 0600 afterwards.
    static var unflushedMode: UInt32 { 0o400 }

    /// Makes the names in the directory durable, and remembers a failure.
    func syncNames(in place: TrustedDirectory) throws {
        state.withLock { $0.unsynced = true }
        try disk(.write, at: directory) { try place.files.syncDirectory(".") }
        state.withLock { $0.unsynced = false }
    }

    /// Returns the records of the vault as it is now, from the cache while the file is the same.
    ///
    /// - Parameter bytes: The file, if the caller has just read it.
    func loaded(in place: TrustedDirectory, reading bytes: [UInt8]? = nil) async throws -> Cache {
        var known = bytes
        var suspect: [UInt8]?
        while true {
            guard let bytes = try known ?? file(in: place) else { throw closedOrAbsent() }
            known = nil
            if let cache = try await loaded(bytes, isOnceMore: bytes == suspect) { return cache }
            suspect = bytes
        }
    }

    /// Returns `nil` if the vault looks older than what is known; another task may have written that since the
    /// read.
    private func loaded(_ bytes: [UInt8], isOnceMore: Bool) async throws -> Cache? {
        if let cache = state.withLock({ $0.cache }), cache.file.isSame(as: bytes), await keeper.isOpen(cache.header.id)
        {
            return cache
        }
        let header = try header(of: bytes)
        guard await keeper.isOpen(header.id) else {
            state.withLock { $0.cache = nil }
            throw AuthError(.locked, "the vault is locked")
        }
        let records = try await keeper.unseal(bytes)
        if let trouble = await trouble(withAgeOf: header) {
            guard isOnceMore else { return nil }
            if trouble.isFatal { throw trouble.error }
            rollback.withLock { $0 = trouble.error }
        }
        let body = try VaultBody(records)
        let cache = Cache(file: bytes, header: header, body: body)
        keep(cache)
        return cache
    }

    /// Remembers a vault that was read or written, unless a newer one is known.
    func keep(_ cache: Cache) {
        state.withLock { state in
            if let former = state.cache?.header, former.id == cache.header.id,
                former.generation > cache.header.generation
            {
                return
            }
            state.cache = cache
            state.mark = VaultMark(cache.header)
        }
    }
}
