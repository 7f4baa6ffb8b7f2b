/// The disk as stores use it, so that a simulation can run the real file store on a simulated disk.
///
/// Paths are absolute. For the files of an opened directory (``FileEntry/directory(_:_:)``) paths are
/// names in it, and `.` is the directory itself; any other path there is ``FileError/unexpectedKind``.
/// No call follows a symbolic link in the last component. Errors are ``FileError``.
public protocol FileAccess: Sendable {
    /// Returns what is at `path`, without opening it; `nil` if nothing is there.
    func status(_ path: String) throws -> FileStatus?

    /// Opens what is at `path` to inspect it, and to use it if it is a directory; `nil` if nothing
    /// is there. The directory may be one that this user can pass through but not list.
    func entry(_ path: String) throws -> FileEntry?

    /// Creates the directory `path` with mode 0700, and missing parents too (0700). It may exist already.
    func makeDirectory(_ path: String) throws

    /// Returns the whole content; `nil` if nothing is there.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The most bytes to read; more is ``FileError/tooLarge``.
    ///   - judge: Receives the opened file's status before any content is read. What it throws is thrown.
    func read(_ path: String, limit: Int, if judge: (FileStatus) throws -> Void) throws -> [UInt8]?

    /// Creates a new file with mode 0600, writes all bytes, flushes them to the disk and closes it.
    /// The file must not exist. After a failure nothing is left at `path`, as far as the disk allows.
    func writeNew(_ path: String, _ bytes: [UInt8]) throws

    /// Sets the permission bits of the file or directory, 0 to 0o7777.
    func setMode(_ path: String, _ mode: UInt32) throws

    /// Puts the file at `source` in place of what is at `target`, atomically.
    func rename(_ source: String, to target: String) throws

    /// Makes entries that were created, renamed or removed in the directory durable.
    func syncDirectory(_ path: String) throws

    /// Removes the file. Succeeds if it is absent.
    func remove(_ path: String) throws

    /// Removes the directory, which must be empty. Succeeds if it is absent.
    func removeDirectory(_ path: String) throws

    /// Returns the names in the directory, in no particular order; empty if it is absent.
    func list(_ directory: String) throws -> [String]

    /// Takes the lock file at `path` without waiting. The file is created if absent, and never
    /// removed. Returns `nil` if another process or instance holds the lock.
    ///
    /// If `path` is a directory, the directory itself is locked. The lock is on what is at the path
    /// when this returns. In an opened directory that has been moved or removed, nothing can be
    /// locked (``FileError/missing``).
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - sharing: Whether others that share may hold the lock at the same time.
    func lock(_ path: String, sharing: Bool) throws -> (any FileLock)?
}

extension FileAccess {
    /// Returns the whole content of any file at `path`; `nil` if nothing is there.
    public func read(_ path: String, limit: Int) throws -> [UInt8]? { try read(path, limit: limit) { _ in } }
}

/// A lock that is held. The kernel releases it when the process ends.
public protocol FileLock: Sendable {
    /// Releases the lock. Calling it again does nothing.
    func release()

    /// Writes a short text into the lock file, for messages only (`pid 4711`).
    func note(_ text: String)

    /// Whether the lock is still on what is at its path. If somebody removed that by hand, others
    /// may hold a lock there too.
    var isInPlace: Bool { get }
}

/// What was opened at a path, with its status when it was opened.
public enum FileEntry: Sendable {
    /// A directory. Its files stay those of this very directory, even if its name changes.
    case directory(any FileAccess, FileStatus)
    /// A symbolic link, with its target as written.
    case link(to: String, FileStatus)
    /// A file, or anything else.
    case other(FileStatus)

    /// Returns the same entry, with a directory's files replaced by what `change` returns. Use it to wrap a disk.
    public func withFiles(_ change: (any FileAccess) -> any FileAccess) -> FileEntry {
        guard case .directory(let files, let status) = self else { return self }
        return .directory(change(files), status)
    }
}

/// The status of a file.
public struct FileStatus: Hashable, Sendable {
    /// The kind of a file.
    public enum Kind: String, Sendable {
        /// See the word.
        case file, directory, link, other
    }

    /// The kind of file.
    public var kind: Kind
    /// The permission bits, 0 to 0o7777.
    public var mode: UInt32
    /// The owner's user ID.
    public var owner: UInt32
    /// Whether the owner is the user that this process runs as.
    public var isOwn: Bool
    /// The number of hard links.
    public var links: Int
    /// The file system that it is on: a number of the kernel's.
    package var device: UInt64 = 0
    /// Whether it is, or lies in, the directory that was accepted with the access that others have to it
    /// (``SystemFiles/init(unsafelyAccepting:)``).
    package var isAccepted = false

    /// Creates a status.
    public init(kind: Kind, mode: UInt32, owner: UInt32, isOwn: Bool, links: Int = 1) {
        self.kind = kind
        self.mode = mode
        self.owner = owner
        self.isOwn = isOwn
        self.links = links
    }
}

/// Why the disk failed. It names the kind of failure, and never any content.
public enum FileError: Error, Hashable, Sendable {
    /// Not allowed.
    case denied
    /// The file system cannot be written.
    case readOnly
    /// No space is left, or the quota is exceeded.
    case full
    /// Something is there already.
    case exists
    /// A part of the path is missing.
    case missing
    /// The last component is a symbolic link, or not what it should be.
    case unexpectedKind
    /// More bytes than allowed.
    case tooLarge
    /// The file system cannot lock.
    case noLocks
    /// The disk failed, or something else did. The number is `errno`.
    case failed(Int32)
}
