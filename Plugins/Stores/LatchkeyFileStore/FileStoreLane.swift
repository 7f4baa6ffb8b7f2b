public import Latchkey
import LatchkeyLocked

extension FileStore {
    /// Takes the lane of `key`: first come first served among the tasks of this instance, then by `flock` among
    /// processes, where it is looked at anew after 10 to 250 milliseconds.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `busy` after the deadline, naming the holder's process; `CancellationError`.
    public func lane(_ key: StoreKey, deadline: Duration) async throws -> any LaneHold {
        try key.check()
        _ = try made()
        let end = context.clock.now() + deadline
        let name = RecordWire.stem(of: key) + RecordWire.laneSuffix
        guard let ticket = try await lanes.acquire(key, deadline: deadline, clock: context.clock)
        else { throw AuthError(.busy, "the lane is held by \(holder(of: name))") }
        do {
            let found = try await waiting(until: end) { try takeLane(name, in: made(), of: key) }
            guard let (lock, presence) = found else {
                throw AuthError(.busy, "the lane is held by \(holder(of: name))")
            }
            lock.note(LockNote.own(at: context.clock.wall()))
            return FileStoreLane(lock: lock, presence: presence, ticket: ticket, key: key, queue: lanes)
        } catch {
            lanes.release(ticket, of: key)
            throw error
        }
    }

    /// Takes the lock file, or the directory's own lock (`.`), when it is free.
    func lock(_ name: String, in place: TrustedDirectory, sharing: Bool) throws -> (any FileLock)? {
        try disk(.write, at: name == "." ? directory : path(name)) { try place.files.lock(name, sharing: sharing) }
    }

    /// Tries with growing pauses until `end`; `nil`: it had no success by then.
    func waiting<Value>(until end: MonotonicInstant, _ take: () throws -> Value?) async throws -> Value? {
        var pause = Duration.milliseconds(10)
        while true {
            try Task.checkCancellation()
            if let taken = try take() { return taken }
            let now = context.clock.now()
            guard now < end else { return nil }
            try await context.clock.sleep(until: min(now + jittered(pause), end))
            pause = min(pause * 2, .milliseconds(250))
        }
    }

    /// Takes the lane's file, if it is free, and with it a share of the directory, which nobody removes by mistake.
    ///
    /// Where a record has no lane file, somebody removed that by hand, perhaps while its holder is at work: a new file
    /// would exclude nobody. It is made again only when nobody has a share, so when no lane of any key is held.
    private func takeLane(
        _ name: String, in place: TrustedDirectory, of key: StoreKey
    ) throws -> (lock: any FileLock, presence: any FileLock)? {
        if try !exists(name, in: place), try exists(file(of: key), in: place) {
            guard let alone = try lock(".", in: place, sharing: false) else { return nil }
            defer { alone.release() }
            try lock(name, in: place, sharing: true)?.release()
        }
        guard let presence = try lock(".", in: place, sharing: true) else { return nil }
        do {
            if let lock = try lock(name, in: place, sharing: false) { return (lock, presence) }
        } catch {
            presence.release()
            throw error
        }
        presence.release()
        return nil
    }

    private func exists(_ name: String, in place: TrustedDirectory) throws -> Bool {
        try disk(.read, at: path(name)) { try place.files.status(name) } != nil
    }

    /// Makes the lane's file with the record, so that its absence later on tells of a removal.
    func makeLane(of key: StoreKey, in place: TrustedDirectory) throws {
        try lock(RecordWire.stem(of: key) + RecordWire.laneSuffix, in: place, sharing: true)?.release()
    }

    /// Half to all of `pause`, so that waiters do not come in step.
    private func jittered(_ pause: Duration) -> Duration {
        pause / 2 + pause * Int(context.random(1).first ?? 0) / 512
    }

    /// Who holds the lock, by its note.
    func holder(of name: String) -> String {
        let note = (try? opened()?.files.read(name, limit: 64)).flatMap { $0 }
        return note.flatMap(LockNote.init)?.holder ?? "another process"
    }
}

/// A lane that is held by a lock file.
private struct FileStoreLane: LaneHold {
    let lock: any FileLock
    /// A share of the directory's own lock: says that some lane is held.
    let presence: any FileLock
    let ticket: UInt64
    let key: StoreKey
    let queue: LaneQueue

    func release() {
        lock.release()
        presence.release()
        queue.release(ticket, of: key)
    }
}
