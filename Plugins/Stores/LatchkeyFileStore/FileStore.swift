public import Latchkey
import LatchkeyLocked
import LatchkeyPluginKit

/// Keeps each record in a file of its own, in plain text, readable by this user alone.
///
/// | Case | What happens |
/// | --- | --- |
/// | First use | the directory is made, mode 0700 |
/// | Directory or file that others may read or change, a symbolic link, a second name | `store(.insecurePermissions)`; nothing is ever repaired silently |
/// | A directory above it that another user owns or may write (``/Latchkey/TrustedDirectory``) | `store(.insecurePermissions)`, also when the store is absent: it may have been moved away |
/// | Damaged or truncated file, a record under another key's name | `store(.damaged)`, for readers and writers; the file stays until ``setDamagedAside(_:)`` |
/// | A file of a newer format | `store(.newerVersion)`; never written over |
/// | `replace` | a new file is written and flushed, renamed over the old one, the directory flushed |
/// | A record whose writer has not flushed the directory, or died before | has mode 0400, and a reader flushes it first |
/// | The directory is removed while in use | `store(.unavailable)` until it is back; it is not taken for empty |
/// | A lock file is removed by hand | nobody enters beside its holder: it is made again when no lane is held |
/// | The process dies at any point | the old record or the new one, whole; a leftover is swept by the next writer |
/// | Readers | take no lock: a rename is atomic |
///
/// Versions are 128 random bits written in the file, so that none comes again. Commits of one directory take one lock
/// file, `store.lock`, for milliseconds: whoever holds it knows every temporary file to be a dead writer's. Lanes have
/// a lock file each, held over a request. Lock files are never removed, because a lock on a removed file excludes
/// nobody. The directory must be on a file system that can `flock`.
public final class FileStore: CrossProcessStore {
    /// How long `replace` waits for other writers before it throws `store(.lockTimeout)`.
    public static let commitDeadline = CommitLock.deadline
    /// The most bytes a record may have: 16 MiB.
    public static let recordLimit = RecordWire.payloadLimit

    struct State {
        /// Whether leftovers were swept and the directory's own name was made durable.
        var prepared = false
        /// Whether the directory was there.
        var seen = false
        /// Whether names in the directory changed and could not be made durable yet.
        var unsynced = false
    }

    /// Where the files are.
    public let directory: String
    let context: PluginContext
    let commits: CommitLock
    let lanes: FileLanes
    let state = Locked(State())
    let watch: FileStoreWatch

    /// A store of the files in `directory`, an absolute path of a directory that is used for nothing else. Nothing is
    /// touched before the first call.
    public init(unencryptedAt directory: String, context: PluginContext = .system) {
        self.directory = Self.normalized(directory)
        self.context = context
        commits = CommitLock(RecordWire.lockName, in: self.directory, context: context)
        watch = FileStoreWatch(self.directory, context.files)
        lanes = FileLanes(in: self.directory, context: context) { RecordWire.stem(of: $0) + RecordWire.laneSuffix }
    }

    /// What is under `key`.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)`, `(.insecurePermissions)`, `(.newerVersion)`,
    ///   `(.unavailable)`.
    public func read(_ key: StoreKey) throws -> StoredRecord? {
        try key.check()
        guard let place = try opened() else { return nil }
        if state.withLock({ $0.unsynced }) { try syncNames(in: place) }
        return try record(in: file(of: key), of: place, expecting: key)?.record
    }

    /// Every key of `kind`, in no order.
    ///
    /// - Throws: Also ``/Latchkey/AuthError`` `store(.damaged)` when a file does not tell whose it is;
    ///   ``damagedFiles()`` names it.
    public func keys(_ kind: StoreKey.Kind) throws -> [StoreKey] {
        guard let place = try opened() else { return [] }
        return try recordFiles(of: kind, in: place).compactMap { try record(in: $0, of: place, expecting: nil)?.key }
    }
}

extension SessionStore where Self == FileStore {
    /// A store that keeps tokens in plain text, in files of `directory` that only this user may read.
    public static func file(unencryptedAt directory: String, context: PluginContext = .system) -> FileStore {
        FileStore(unencryptedAt: directory, context: context)
    }
}

extension FileStore {
    /// The directory, opened; `nil`: it is absent. One that was there and is gone is not an empty one: the sessions in
    /// it are not over, whoever moved it away.
    ///
    /// It is opened for each use, and not once for all: a descriptor that is kept would go on serving a directory that
    /// was moved away or replaced, and those above it may have been opened to others since. What one use does, it does
    /// through the one descriptor.
    func opened() throws -> TrustedDirectory? {
        // Asked first: another task may be making it while this one looks.
        let wasThere = state.withLock { $0.seen }
        let found = try TrustedDirectory.open(directory, .own, in: context.files)
        state.withLock { state in
            state.seen = state.seen || found != nil
            if wasThere, found == nil { state.prepared = false }
        }
        guard found != nil || !wasThere else {
            throw AuthError(.store(.unavailable), "\(directory) was removed while it was in use")
        }
        return found
    }

    /// The directory, opened; it is made where it never was.
    func made() throws -> TrustedDirectory {
        if let place = try opened() { return place }
        _ = try TrustedDirectory.make(directory, .own, in: context.files)
        guard let place = try opened() else {
            throw AuthError(.store(.unavailable), "\(directory) has disappeared")
        }
        return place
    }

    /// The path without doubled or trailing slashes and without `.`.
    private static func normalized(_ path: String) -> String {
        let parts = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        return path.first == "/" ? "/\(parts)" : parts
    }

    func path(_ file: String) -> String { "\(directory)/\(file)" }

    func file(of key: StoreKey) -> String { RecordWire.stem(of: key) + RecordWire.suffix }

    func recordFiles(of kind: StoreKey.Kind?, in place: TrustedDirectory) throws -> [String] {
        try disk(.read, at: directory) { try place.files.list(".") }.filter { name in
            name.hasSuffix(RecordWire.suffix) && !name.hasPrefix(".")
                && (kind.map { name.hasPrefix($0.rawValue + "-") } ?? true)
        }
    }

    /// The record in `file`; `nil`: absent.
    func record(in file: String, of place: TrustedDirectory, expecting key: StoreKey?) throws -> RecordWire? {
        let path = path(file)
        let limit = RecordWire.headerLimit + RecordWire.payloadLimit
        var isFlushed = true
        let bytes = try disk(.read, at: path) {
            try place.files.read(file, limit: limit) { found in
                try RecordCheck.run(found, at: path)
                isFlushed = found.mode != Self.unflushedMode
            }
        }
        guard let bytes else { return nil }
        let wire = try RecordWire(bytes, at: path)
        // Where the key is known, the file's name was made of it.
        guard key.map({ $0 == wire.key }) ?? (self.file(of: wire.key) == file) else {
            throw AuthError(.store(.damaged), "\(path) holds the record of another key")
        }
        watch.meet(wire.key, in: file)
        // Its writer died before it flushed the name, or is about to: nobody may go by what a power loss would undo.
        if !isFlushed { try syncNames(in: place) }
        return wire
    }

    /// The mode of a record whose name may not be durable yet; 0600 afterwards.
    static var unflushedMode: UInt32 { 0o400 }

    /// Makes the names in the directory durable, and remembers when that failed.
    func syncNames(in place: TrustedDirectory) throws {
        state.withLock { $0.unsynced = true }
        try disk(.write, at: directory) { try place.files.syncDirectory(".") }
        state.withLock { $0.unsynced = false }
    }
}
