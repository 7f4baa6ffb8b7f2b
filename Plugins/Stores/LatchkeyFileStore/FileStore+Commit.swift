public import Latchkey
import LatchkeySystem
import LatchkeyPluginKit

extension FileStore {
    /// Replaces a record by compare-and-swap; it is durable when the call returns. If only the last flush failed,
    /// the new record may be in place; then reads fail until that flush succeeds.
    ///
    /// - Throws: ``/Latchkey/StoreConflict``; ``/Latchkey/AuthError`` with a `store` code: `full`, `readOnly`,
    ///   `lockTimeout`, and those of ``read(_:)``; `CancellationError` while it waits for other writers, never
    ///   afterwards.
    @discardableResult
    public func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws
        -> RecordVersion?
    {
        try await replace(key, at: version, with: bytes, inRoomOf: nil)
    }

    /// - Parameter room: The size of the room that was set aside for it, if it is to be used.
    func replace(
        _ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?, inRoomOf room: Int?
    ) async throws -> RecordVersion? {
        try key.check()
        if let bytes, bytes.count > RecordWire.payloadLimit {
            throw AuthError(.configuration(.invalid), "the record is larger than 16 MiB")
        }
        guard let place = try bytes == nil ? opened() : made() else {
            guard version == nil else { throw StoreConflict() }
            return nil
        }
        return try await committing(in: place) { place, lock in
            try commit(key, at: version, with: bytes, inRoomOf: room, in: place, under: lock)
        }
    }

    /// Runs `body` as the only writer of the directory. Opens the directory anew if `place` was moved.
    func committing<Value>(
        in place: TrustedDirectory, _ body: (TrustedDirectory, any FileLock) throws -> Value
    ) async throws -> Value {
        try await commits.run(in: place, making: made) { place, lock in
            try prepare(place)
            return try body(place, lock)
        }
    }

    private func commit(
        _ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?, inRoomOf room: Int?,
        in place: TrustedDirectory, under lock: any FileLock
    ) throws -> RecordVersion? {
        let file = file(of: key)
        let found = try record(in: file, of: place, expecting: key)?.version
        guard found == version else { throw StoreConflict(found: found) }
        guard let bytes else {
            guard lock.isInPlace else { throw CommitLock.Removed() }
            if found != nil {
                try disk(.write, at: path(file)) { try place.files.remove(file) }
                try syncNames(in: place)
                removeIdleLocks(in: place)
                try? place.files.remove(RecordWire.room(of: key))
            }
            return nil
        }
        let wire = RecordWire(key: key, version: RecordWire.version(context.randomName()), payload: bytes)
        watch.meet(key, in: file)
        if found == nil, key.kind == .credential {
            guard lock.isInPlace else { throw CommitLock.Removed() }
            try locks.make(key, in: place)
        }
        try put(wire.bytes(), into: file, of: place, under: lock, roomOf: room.map { (RecordWire.room(of: key), $0) })
        return wire.version
    }

    /// Removes the lock files of records that are gone, once in a while. They take an entry of the directory each, and
    /// keys may come and go by the thousands, as visitors of a web server do. It may fail: the next one does it.
    private func removeIdleLocks(in place: TrustedDirectory) {
        let isTime = state.withLock { state in
            state.removals = (state.removals + 1) % Self.removalsPerTidy
            return state.removals == 0
        }
        guard isTime else { return }
        try? locks.tidy(in: place) { name in
            guard name.hasSuffix(RecordWire.lockSuffix) else { return false }
            let stem = name.dropLast(RecordWire.lockSuffix.count)
            return try place.files.status(stem + RecordWire.suffix) == nil
        }
    }

    private func put(
        _ bytes: [UInt8], into file: String, of place: TrustedDirectory, under lock: any FileLock,
        roomOf room: (file: String, size: Int)?
    ) throws {
        let temporary = room?.file ?? ".\(file).\(context.randomName(bytes: 8))\(RecordWire.temporarySuffix)"
        let files = place.files
        do {
            try disk(.write, at: path(temporary)) {
                guard let room else { return try files.writeNew(temporary, bytes) }
                guard bytes.count <= room.size, let files = files as? any ReservingFiles else { throw FileError.full }
                try files.fill(temporary, bytes)
            }
            // If modes cannot be set, readers take each record as flushed.
            do { try files.setMode(temporary, Self.unflushedMode) } catch FileError.denied {}
            guard lock.isInPlace else { throw CommitLock.Removed() }
            try disk(.write, at: path(file)) { try files.rename(temporary, to: file) }
        } catch {
            try? files.remove(temporary)
            throw (error as? FileError).map { AuthError.disk($0, .write, at: path(temporary)) } ?? error
        }
        try syncNames(in: place)
        // If this fails, readers flush once more.
        try? files.setMode(file, 0o600)
    }

    /// Removes temporary files of dead writers, and makes the directory itself durable if no record shows that an
    /// earlier writer has done so: it does this first. Once per instance, under the lock.
    private func prepare(_ place: TrustedDirectory) throws {
        if state.withLock({ $0.prepared }) { return }
        let names = try disk(.read, at: directory) { try place.files.list(".") }
        for name in names where name.hasPrefix(".") && name.hasSuffix(RecordWire.temporarySuffix) {
            try disk(.write, at: path(name)) { try place.files.remove(name) }
        }
        if !names.contains(where: RecordWire.isRecord) { try place.syncParents() }
        state.withLock { $0.prepared = true }
    }
}
