/// A disk that reports changes in a directory.
public protocol WatchingFiles: FileAccess {
    /// Calls `tell` for what changes in `directory` after this returned, on its own thread and one
    /// call at a time. The directory may be absent, created later, removed and created again.
    ///
    /// - Throws: ``FileError`` if the system cannot watch it.
    func watch(
        _ directory: String, _ tell: @escaping @Sendable (DirectoryChange) -> Void
    ) throws -> any DirectoryWatch
}

/// A change in a directory.
public enum DirectoryChange: Hashable, Sendable {
    /// The entry with this name was created, replaced or removed.
    case name(String)
    /// Anything may have changed: the directory was created, replaced or removed, or too much happened at once.
    case everything
    /// No more changes are reported, because the system cannot watch any longer.
    case ended
}

/// A running watch. It ends with ``end()``.
public protocol DirectoryWatch: Sendable {
    /// Stops the watch promptly. Calling it again does nothing.
    func end()
}

extension AuthError {
    /// Why changes in `directory` are not told: `store(.unavailable)` with the system's `reason`, such as that it has no
    /// watch left; without one, `configuration(.unsupported)`, since this disk never tells.
    package static func notWatched(_ directory: String, _ reason: (any Error)? = nil) -> AuthError {
        guard let reason else {
            return AuthError(.configuration(.unsupported), "Changes in \(directory) are not reported on this disk.")
        }
        return AuthError(.store(.unavailable), "Changes in \(directory) cannot be followed now: \(reason)")
    }
}
