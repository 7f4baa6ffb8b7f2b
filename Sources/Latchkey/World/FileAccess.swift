/// The disk as stores use it, so that the simulation runs the real file store on a simulated one.
///
/// Paths are absolute. For the files of an opened directory (``FileEntry/directory(_:_:)``) they are names in it, and `.`
/// is the directory itself; any other path is ``FileError/unexpectedKind`` there. No call follows a symbolic link in its
/// last component. Errors are ``FileError``.
public protocol FileAccess: Sendable {
    /// What is at `path`, without opening it; `nil` when nothing is.
    func status(_ path: String) throws -> FileStatus?

    /// Opens what is at `path` for a look at it, and for use when it is a directory; `nil` when nothing is there. It may be
    /// a directory that this user can pass through and not list.
    func entry(_ path: String) throws -> FileEntry?

    /// Makes the directory `path`, mode 0700, its missing parents too (0700). It may exist already.
    func makeDirectory(_ path: String) throws

    /// The whole content; `nil` when nothing is there.
    ///
    /// - Parameters:
    ///   - path: Which file.
    ///   - limit: The most bytes that are read; more is ``FileError/tooLarge``.
    ///   - judge: Is given what the opened file is, before anything of it is read. What it throws is thrown.
    func read(_ path: String, limit: Int, if judge: (FileStatus) throws -> Void) throws -> [UInt8]?

    /// Makes a new file, mode 0600, writes all bytes, flushes them to the disk, closes it. It must not exist.
    /// After a failure nothing is left at `path`, as far as the disk allows.
    func writeNew(_ path: String, _ bytes: [UInt8]) throws

    /// Sets the permission bits of the file or directory, 0 to 0o7777.
    func setMode(_ path: String, _ mode: UInt32) throws

    /// Puts the file at `source` in place of what is at `target`, at once.
    func rename(_ source: String, to target: String) throws

    /// Makes what was created, renamed or removed in the directory durable.
    func syncDirectory(_ path: String) throws

    /// Removes the file; absent is fine.
    func remove(_ path: String) throws

    /// Removes the directory, which must be empty; absent is fine.
    func removeDirectory(_ path: String) throws

    /// The names in the directory, in no order; empty when it is absent.
    func list(_ directory: String) throws -> [String]

    /// Takes the lock file at `path` (made when absent, never removed), without waiting; `nil`: another holds it. A
    /// directory at `path` is locked itself. The lock is on what stands at the path when this returns; in an opened
    /// directory that has left its place nothing can be locked (``FileError/missing``).
    ///
    /// - Parameters:
    ///   - path: Which file.
    ///   - sharing: Whether other sharers may hold it at the same time.
    func lock(_ path: String, sharing: Bool) throws -> (any FileLock)?
}

extension FileAccess {
    /// The whole content of whatever file is at `path`; `nil` when nothing is there.
    public func read(_ path: String, limit: Int) throws -> [UInt8]? { try read(path, limit: limit) { _ in } }
}

/// A lock that is held. The kernel releases it when the process ends.
public protocol FileLock: Sendable {
    /// Lets go. Calling it again does nothing.
    func release()

    /// Puts a short text into the lock file, for messages only (`pid 4711`).
    func note(_ text: String)

    /// Whether the lock is still on what stands at its path. Not so when that was removed by hand: then others may
    /// hold a lock there too.
    var isInPlace: Bool { get }
}

/// What was opened at a path, and what it was when it was opened.
public enum FileEntry: Sendable {
    /// A directory. What is done through its files is done in this very directory, wherever its name goes meanwhile.
    case directory(any FileAccess, FileStatus)
    /// A symbolic link, and where it leads, as it is written.
    case link(to: String, FileStatus)
    /// A file, or anything else.
    case other(FileStatus)

    /// The same, with a directory's files as `change` makes them of those: for a disk around another one.
    public func withFiles(_ change: (any FileAccess) -> any FileAccess) -> FileEntry {
        guard case .directory(let files, let status) = self else { return self }
        return .directory(change(files), status)
    }
}

/// What is at a path.
public struct FileStatus: Hashable, Sendable {
    /// What it is.
    public enum Kind: String, Sendable {
        /// See the word.
        case file, directory, link, other
    }

    /// What it is.
    public var kind: Kind
    /// The permission bits, 0 to 0o7777.
    public var mode: UInt32
    /// The owner's number.
    public var owner: UInt32
    /// Whether the owner is the one this process runs as.
    public var isOwn: Bool
    /// The number of names it has.
    public var links: Int

    /// A status of its parts.
    public init(kind: Kind, mode: UInt32, owner: UInt32, isOwn: Bool, links: Int = 1) {
        self.kind = kind
        self.mode = mode
        self.owner = owner
        self.isOwn = isOwn
        self.links = links
    }
}

/// Why the disk refused. Names the kind, and never a content.
public enum FileError: Error, Hashable, Sendable {
    /// Not allowed.
    case denied
    /// The file system cannot be written.
    case readOnly
    /// No space, or over quota.
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
    /// The disk failed, or anything else; the number is `errno`.
    case failed(Int32)
}
