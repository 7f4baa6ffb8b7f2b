public import Latchkey

extension LogbookStore: CrossProcessStore {
    /// Takes the lane of `key`: a lock file of its own, so that a lane holds up neither commits nor other lanes.
    public func lane(_ key: StoreKey, deadline: Duration) async throws -> any LaneHold {
        let busy = AuthError(.busy, "another process is at work on this session")
        return LogbookLane(lock: try await lock(try path(key, ".lock"), for: deadline, orThrow: busy))
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

/// A lane that is held.
private struct LogbookLane: LaneHold {
    let lock: any FileLock

    func release() async { lock.release() }
}
