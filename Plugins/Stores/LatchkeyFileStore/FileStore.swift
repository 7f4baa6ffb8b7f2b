public import Latchkey
import LatchkeySystem
import LatchkeyPluginKit

/// Keeps each record in its own file, in plain text, readable only by this user.
///
/// | Case | What happens |
/// | --- | --- |
/// | First use | the directory is made, mode 0700 |
/// | A directory or file that others can read or change, a symbolic link, a file with a second name | `store(.insecurePermissions)`; nothing is ever repaired silently |
/// | A directory above it that another user owns or can write to (``/Latchkey/TrustedDirectory``) | `store(.insecurePermissions)`, even when the store is absent: it may have been moved away |
/// | Damaged or truncated file, a record under another key's name | `store(.damaged)`, for readers and writers; the file stays until ``setDamagedAside(_:)`` |
/// | A file of a newer format | `store(.newerVersion)`; never written over |
/// | `replace` | a new file is written and flushed, renamed over the old one, and the directory is flushed |
/// | A record whose writer died before it flushed the directory, or is about to flush | has mode 0400, and a reader flushes the directory first |
/// | The directory is removed while in use | `store(.unavailable)` until it is back; it is never treated as empty |
/// | A lock file is removed by hand | no other process gets in beside its holder: the file is made again once no lock is held |
/// | The process dies at any point | the old record or the new one, whole; the next writer removes leftovers |
/// | Readers | take no lock, because a rename is atomic |
///
/// Versions are 128 random bits in the file, so that none is given twice. All commits of one directory take one
/// lock file, `store.lock`, for milliseconds; its holder knows that every temporary file is left from a dead
/// writer. Each credential has a lock file of its own, held during a request. Lock files are never removed, because
/// a lock on a removed file excludes no other process. The file system of the directory must support `flock`.
public final class FileStore: CrossProcessStore {
    /// How long `replace` waits for other writers before it throws `store(.lockTimeout)`.
    public static let commitDeadline = CommitLock.deadline
    /// The most bytes a record may have: 16 MiB.
    public static let recordLimit = RecordWire.payloadLimit

    struct State {
        /// Whether leftovers were removed and the directory's own name was made durable.
        var prepared = false
        /// Whether the directory has existed.
        var seen = false
        /// Whether names in the directory changed and could not be made durable yet.
        var unsynced = false
        /// How many records were removed since lock files were looked at.
        var removals = 0
    }

    /// How many records are removed until lock files are looked at.
    static let removalsPerTidy = 64

    /// The directory of the files.
    public let directory: String
    let context: PluginContext
    let commits: CommitLock
    let locks: FileLocks
    let state = Locked(State())
    let watch: FileStoreWatch

    /// Creates a store of the files in `directory`, an absolute path of a directory that is used for nothing else.
    /// It touches no file before the first call.
    public init(unencryptedAt directory: String, context: PluginContext = .system) {
        self.directory = Self.normalized(directory)
        self.context = context
        commits = CommitLock(RecordWire.lockName, in: self.directory, context: context)
        watch = FileStoreWatch(self.directory, context.files)
        locks = FileLocks(in: self.directory, context: context) { RecordWire.stem(of: $0) + RecordWire.lockSuffix }
    }

    /// Returns the record under `key`; `nil` if there is none.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)`, `(.insecurePermissions)`, `(.newerVersion)`,
    ///   `(.unavailable)`.
    public func read(_ key: StoreKey) throws -> StoredRecord? {
        try key.check()
        guard let place = try opened() else { return nil }
        if state.withLock({ $0.unsynced }) { try syncNames(in: place) }
        return try record(in: file(of: key), of: place, expecting: key)?.record
    }

    /// Returns every key of `kind`, in no particular order. A record with damaged bytes is among them.
    ///
    /// - Throws: Also ``/Latchkey/AuthError`` `store(.damaged)` when the key of a file cannot be read;
    ///   ``damagedFiles()`` names it.
    public func keys(_ kind: StoreKey.Kind) throws -> [StoreKey] {
        guard let place = try opened() else { return [] }
        return try recordFiles(of: kind, in: place).compactMap { try self.key(in: $0, of: place) }
    }

    /// Returns a part of the keys. Of the files, only those of this part are opened.
    public func page(
        of kind: StoreKey.Kind, startingWith prefix: String, from cursor: KeyCursor?, atMost count: Int
    ) throws -> KeyPage {
        let after = cursor.map { String(decoding: $0.bytes, as: UTF8.self) }
        if let after, !RecordWire.isRecord(after) {
            throw AuthError(.configuration(.invalid), "The cursor is of another listing.")
        }
        guard let place = try opened() else { return KeyPage([]) }
        let files = try recordFiles(of: kind, in: place).filter { file in after.map { $0 < file } ?? true }.sorted()
        var keys: [StoreKey] = []
        for file in files {
            if let key = try key(in: file, of: place), key.name.utf8.starts(with: prefix.utf8) { keys.append(key) }
            guard keys.count >= count, file != files.last else { continue }
            return KeyPage(keys, next: KeyCursor(Array(file.utf8)))
        }
        return KeyPage(keys)
    }

    /// Says that each commit is flushed to the disk before it is acknowledged.
    ///
    /// - Throws: ``/Latchkey/AuthError`` with a `store` code, if the directory cannot be used.
    public func health() throws -> StoreHealth {
        _ = try opened()
        return StoreHealth(.onReturn, at: "files in \(directory)")
    }
}

extension FileStore: DamageTolerantStore {
    /// Returns every key of `kind` that a file tells. Files whose key cannot be read are left out.
    public func readableKeys(_ kind: StoreKey.Kind) throws -> [StoreKey] {
        guard let place = try opened() else { return [] }
        return try recordFiles(of: kind, in: place).compactMap { file in
            do { return try key(in: file, of: place) } catch let error as AuthError
                where error.code == .store(.damaged)
            { return nil }
        }
    }
}

extension SessionStore where Self == FileStore {
    /// Creates a store that keeps tokens in plain text, in files of `directory` that only this user can read.
    public static func file(unencryptedAt directory: String, context: PluginContext = .system) -> FileStore {
        FileStore(unencryptedAt: directory, context: context)
    }
}

extension FileStore {
    /// Opens the directory; `nil` if it is absent. If it existed and is gone, this throws instead of calling it
    /// empty: the sessions in it are not over.
    ///
    /// The directory is opened for each use. A descriptor that is kept would continue to serve a directory that was
    /// moved away or replaced, and the directories above may have been opened to others since. Each use does
    /// everything through its one descriptor.
    func opened() throws -> TrustedDirectory? {
        // Read this first: another task may be making the directory meanwhile.
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

    /// Opens the directory, and makes it if it never existed.
    func made() throws -> TrustedDirectory {
        if let place = try opened() { return place }
        _ = try TrustedDirectory.make(directory, .own, in: context.files)
        guard let place = try opened() else {
            throw AuthError(.store(.unavailable), "\(directory) has disappeared")
        }
        return place
    }

    /// Returns the path without doubled or trailing slashes and without `.`.
    private static func normalized(_ path: String) -> String {
        let parts = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        return path.first == "/" ? "/\(parts)" : parts
    }

    func path(_ file: String) -> String { "\(directory)/\(file)" }

    func file(of key: StoreKey) -> String { RecordWire.stem(of: key) + RecordWire.suffix }

    func recordFiles(of kind: StoreKey.Kind?, in place: TrustedDirectory) throws -> [String] {
        try disk(.read, at: directory) { try place.files.list(".") }.filter { name in
            RecordWire.isRecord(name) && (kind.map { name.hasPrefix($0.rawValue + "-") } ?? true)
        }
    }

    /// Returns the record in `file`; `nil` if it is absent.
    func record(in file: String, of place: TrustedDirectory, expecting key: StoreKey?) throws -> RecordWire? {
        guard let bytes = try bytes(in: file, of: place) else { return nil }
        let wire = try RecordWire(bytes, at: path(file))
        // If the key is known, the file's name was derived from it.
        guard key.map({ $0 == wire.key }) ?? (self.file(of: wire.key) == file) else { throw foreign(file) }
        watch.meet(wire.key, in: file)
        return wire
    }

    /// Returns the key of the record in `file`, which may be damaged; `nil` if it is absent.
    private func key(in file: String, of place: TrustedDirectory) throws -> StoreKey? {
        guard let bytes = try bytes(in: file, of: place) else { return nil }
        let key = try RecordWire.key(of: bytes, at: path(file))
        guard self.file(of: key) == file else { throw foreign(file) }
        watch.meet(key, in: file)
        return key
    }

    private func bytes(in file: String, of place: TrustedDirectory) throws -> [UInt8]? {
        let path = path(file)
        var isFlushed = true
        let bytes = try disk(.read, at: path) {
            try place.files.read(file, limit: RecordWire.headerLimit + RecordWire.payloadLimit) { found in
                try PrivateFile.check(found, at: path)
                isFlushed = found.mode != Self.unflushedMode
            }
        }
        // Its writer died before it flushed the name, or is about to: nobody may go by what a power loss would undo.
        if bytes != nil, !isFlushed { try syncNames(in: place) }
        return bytes
    }

    private func foreign(_ file: String) -> AuthError {
        AuthError(.store(.damaged), "\(path(file)) holds the record of another key")
    }

    /// The mode of a record whose name may not be durable yet. It is 0600 afterwards.
    static var unflushedMode: UInt32 { 0o400 }

    /// Makes the names in the directory durable, and remembers a failure.
    func syncNames(in place: TrustedDirectory) throws {
        state.withLock { $0.unsynced = true }
        try disk(.write, at: directory) { try place.files.syncDirectory(".") }
        state.withLock { $0.unsynced = false }
    }
}
