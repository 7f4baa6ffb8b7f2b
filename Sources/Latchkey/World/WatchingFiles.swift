/// A disk that tells what changes in a directory, without being asked.
public protocol WatchingFiles: FileAccess {
    /// Calls `tell`, on a thread of its own and one call at a time, for what changes in `directory` after this
    /// returned. The directory may be absent, made later, removed and made again.
    ///
    /// - Throws: ``FileError`` when the system has no watch to give.
    func watch(
        _ directory: String, _ tell: @escaping @Sendable (DirectoryChange) -> Void
    ) throws -> any DirectoryWatch
}

/// What changed in a directory.
public enum DirectoryChange: Hashable, Sendable {
    /// What stands under this name was made, replaced or removed.
    case name(String)
    /// Anything may have changed: the directory was made, replaced or removed, or too much happened at once.
    case everything
    /// Nothing more is told: the system has no watch to give any more.
    case ended
}

/// A watch that is kept. It ends with ``end()``.
public protocol DirectoryWatch: Sendable {
    /// Stops, promptly. Calling it again does nothing.
    func end()
}
