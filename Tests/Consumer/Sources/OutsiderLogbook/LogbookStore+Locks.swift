public import Latchkey

extension LogbookStore: CrossProcessStore {
    /// Takes the lock of `key`: a lock file of its own, so that a lock holds up neither commits nor other locks.
    public func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        let busy = AuthError(.busy, "another process is at work on this session")
        return LogbookLock(lock: try await lock(try path(key, ".lock"), for: deadline, orThrow: busy))
    }

    /// Waits for the lock. The kernel frees it when its holder dies; the wait ends with the task that waits.
    func lock(_ path: String, for patience: Duration, orThrow late: AuthError) async throws -> any FileLock {
        try reaching { try makeDirectory() }
        let end = context.clock.now() + patience
        while true {
            if let lock = try reaching({ try context.files.lock(path, sharing: false) }) { return lock }
            let now = context.clock.now()
            guard now < end else { throw late }
            try await context.clock.sleep(until: min(end, now + .milliseconds(5)))
        }
    }

    /// Makes the directory when it is absent. Its own name is durable once the directory above it is flushed.
    private func makeDirectory() throws {
        guard try context.files.status(directory) == nil else { return }
        try context.files.makeDirectory(directory)
        let above = directory.prefix(upTo: directory.lastIndex(of: "/") ?? directory.startIndex)
        try context.files.syncDirectory(above.isEmpty ? "/" : String(above))
    }
}

/// A lock that is held.
private struct LogbookLock: HeldLock {
    let lock: any FileLock

    func release() async { lock.release() }
}
