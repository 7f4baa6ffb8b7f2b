import FoundationEssentials
public import Latchkey
import LatchkeySystem
import LatchkeyPluginKit

/// Writing: the new file is whole or absent, and durable when the call returns.
extension EncryptedFileStore {
    /// Replaces a record by compare-and-swap. If only the last flush failed, the new vault may be in place; then
    /// reads fail until that flush succeeds.
    ///
    /// - Throws: ``/Latchkey/StoreConflict``; ``/Latchkey/AuthError`` `locked`, `store(.full)`, `(.readOnly)`,
    ///   `(.lockTimeout)`, and those of ``read(_:)``; `CancellationError` while it waits for other writers, never
    ///   afterwards.
    @discardableResult
    public func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws
        -> RecordVersion?
    {
        try await replace(key, at: version, with: bytes, in: nil)
    }

    /// - Parameter room: The room that was set aside for it, if it is to be used.
    func replace(
        _ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?, in room: VaultRoom?
    ) async throws -> RecordVersion? {
        try key.check()
        return try await commits.run(in: try existing(), making: existing) { place, lock in
            try prepare(place)
            let cache = try await loaded(in: place)
            let found = cache.record(key)?.version
            guard found == version else { throw StoreConflict(found: found) }
            if bytes == nil, found == nil { return nil }
            if found == nil, key.kind == .credential {
                guard lock.isInPlace else { throw CommitLock.Removed() }
                try locks.make(key, in: place)
            }
            var body = cache.body
            // Versions come from generations, which deletions raise too, so that none is given twice.
            let number = cache.header.generation + 1
            body.records[VaultBody.name(of: key)] = bytes.map { bytes in
                VaultBody.Record(number: number, changedAt: now, value: Secret(bytes))
            }
            var plain = body.plain()
            defer { Wiping.wipe(&plain) }
            let sealed = try await keeper.seal(Secret(plain), after: cache.header.bytes, at: now)
            try await put(sealed, body, in: place, under: lock, using: room)
            if bytes == nil { try? place.files.remove(VaultNames.room(of: key)) }
            return bytes == nil ? nil : cache.version(number)
        }
    }

    /// The wall clock, in milliseconds since 1970.
    var now: UInt64 { UInt64(max(0, context.clock.wall().timeIntervalSince1970 * 1_000)) }

    /// Puts a sealed vault in place, and remembers it as the newest.
    ///
    /// - Parameter isIntended: Whether it takes the place of any other vault, because the person or the app says so.
    func put(
        _ sealed: [UInt8], _ body: VaultBody?, in place: TrustedDirectory, under lock: any FileLock,
        isIntended: Bool = false, using room: VaultRoom? = nil
    ) async throws {
        let (header, _) = try VaultFileWire.openUnchecked(sealed)
        try write(sealed, in: place, under: lock, using: room)
        state.withLock { $0.seen = true }
        if let body {
            keep(Cache(file: sealed, header: header, body: body))
        }
        // The vault first, then its mark: if the process dies in between, the next one to open the vault repairs
        // the mark.
        await remember(VaultMark(header), isIntended: isIntended)
    }

    func write(
        _ bytes: [UInt8], in place: TrustedDirectory, under lock: any FileLock, using room: VaultRoom? = nil
    ) throws {
        let temporary = room?.name ?? VaultNames.temporary(context.randomName(bytes: 8))
        let files = place.files
        do {
            try disk(.write, at: path(temporary)) {
                guard let room else { return try files.writeNew(temporary, bytes) }
                guard bytes.count <= room.size, let files = files as? any ReservingFiles else { throw FileError.full }
                try files.fill(temporary, bytes)
            }
            // If modes cannot be set, readers take each vault as flushed.
            do { try files.setMode(temporary, Self.unflushedMode) } catch FileError.denied {}
            guard lock.isInPlace else { throw CommitLock.Removed() }
            try disk(.write, at: path(Self.vaultName)) { try files.rename(temporary, to: Self.vaultName) }
        } catch {
            try? files.remove(temporary)
            throw (error as? FileError).map { AuthError.disk($0, .write, at: path(temporary)) } ?? error
        }
        try syncNames(in: place)
        // If this fails, readers flush once more.
        try? files.setMode(Self.vaultName, 0o600)
    }

    /// Removes temporary files of dead writers, and makes the directory itself durable if no vault shows that an
    /// earlier writer has done so: it does this first. Once per instance, under the lock.
    func prepare(_ place: TrustedDirectory) throws {
        if state.withLock({ $0.prepared }) { return }
        let names = try disk(.read, at: directory) { try place.files.list(".") }
        for name in names where VaultNames.isTemporary(name) {
            try disk(.write, at: path(name)) { try place.files.remove(name) }
        }
        if !names.contains(Self.vaultName) { try place.syncParents() }
        state.withLock { $0.prepared = true }
    }

    /// Makes a new, empty vault, and leaves it open.
    ///
    /// - Parameter slots: The ways to open the vault. At least one must be a passphrase or a recovery code, which
    ///   do not depend on this machine, unless the vault is ephemeral.
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` when there is a vault already, no slot would
    ///   open this one on another machine, or a passphrase is too short.
    public func initialise(with slots: [NewSlot]) async throws {
        for slot in slots { try check(slot) }
        let survives = slots.contains { slot in
            if case .key = slot.key.kind { false } else { true }
        }
        guard survives || options.isEphemeral else {
            throw AuthError(
                .configuration(.invalid),
                "nobody could open the vault without this machine: add a passphrase or a recovery code")
        }
        try await commits.run(in: try made(), making: made) { place, lock in
            try prepare(place)
            guard try file(in: place) == nil else {
                throw AuthError(.configuration(.invalid), "there is a vault in \(directory) already")
            }
            let sealed = try await keeper.create(slots, suite: options.suite, at: now)
            try await put(sealed, VaultBody(), in: place, under: lock, isIntended: true)
        }
    }
}
