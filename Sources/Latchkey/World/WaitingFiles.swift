/// A disk that can wait for a lock. On other disks a lock that is held is tried again and again.
public protocol WaitingFiles: FileAccess {
    /// Waits until the lock file at `path` is free, and takes its lock for this opening alone.
    ///
    /// When the task is cancelled, this throws at once, and a lock that comes at that moment is released.
    ///
    /// - Throws: ``FileError/missing`` if the file is absent or was removed meanwhile, other ``FileError``s if the system
    ///   cannot wait; `CancellationError`.
    func lockWhenFree(_ path: String) async throws -> any FileLock
}
