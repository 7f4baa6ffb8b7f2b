public import Latchkey
import LatchkeyLocked

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension FileStore {
    /// Takes the lane of `key`: first come first served among the tasks of this instance, then by `flock` among
    /// processes, where it is looked at anew after 10 to 250 milliseconds.
    ///
    /// - Throws: ``AuthError`` `busy` after the deadline, naming the holder's process; `CancellationError`.
    public func lane(_ key: StoreKey, sharing: Bool, deadline: Duration) async throws -> any LaneHold {
        try key.check()
        _ = try check.make()
        let end = context.clock.now() + deadline
        let path = path(RecordWire.stem(of: key) + RecordWire.laneSuffix)
        guard let ticket = try await lanes.acquire(key, sharing: sharing, deadline: deadline, clock: context.clock)
        else { throw AuthError(.busy, "the lane is held by \(holder(of: path))") }
        do {
            guard let lock = try await lock(path, sharing: sharing, until: end) else {
                throw AuthError(.busy, "the lane is held by \(holder(of: path))")
            }
            lock.note(LockNote.own)
            return FileStoreLane(lock: lock, ticket: ticket, key: key, queue: lanes)
        } catch {
            lanes.release(ticket, of: key)
            throw error
        }
    }

    /// Takes the lock file at `path`, waiting with growing pauses until `end`; `nil`: it was not free by then.
    func lock(_ path: String, sharing: Bool, until end: MonotonicInstant) async throws -> (any FileLock)? {
        var pause = Duration.milliseconds(10)
        while true {
            try Task.checkCancellation()
            if let lock = try disk(.write, at: path, { try context.files.lock(path, sharing: sharing) }) { return lock }
            let now = context.clock.now()
            guard now < end else { return nil }
            try await context.clock.sleep(until: min(now + jittered(pause), end))
            pause = min(pause * 2, .milliseconds(250))
        }
    }

    /// Half to all of `pause`, so that waiters do not come in step.
    private func jittered(_ pause: Duration) -> Duration {
        pause / 2 + pause * Int(context.random(1).first ?? 0) / 512
    }

    /// Who holds the lock, by its note.
    func holder(of path: String) -> String {
        let note = (try? context.files.read(path, limit: 64)).flatMap { $0 }
        return note.flatMap(LockNote.read) ?? "another process"
    }
}

/// A lane that is held by a lock file.
private struct FileStoreLane: LaneHold {
    let lock: any FileLock
    let ticket: UInt64
    let key: StoreKey
    let queue: LaneQueue

    func release() {
        lock.release()
        queue.release(ticket, of: key)
    }
}

/// What a lock file tells about its holder, for messages only.
enum LockNote {
    /// This process.
    static var own: String { "pid \(getpid())" }

    /// The holder, when `bytes` are such a note.
    static func read(_ bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("pid "), (5...14).contains(text.utf8.count),
            text.utf8.dropFirst(4).allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return text
    }
}
