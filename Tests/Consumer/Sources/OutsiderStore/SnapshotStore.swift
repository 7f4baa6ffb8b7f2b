import FoundationEssentials
public import Latchkey
import LatchkeyJSON

/// Keeps every record in one file, which is replaced whole. For a handful of sessions.
public actor SnapshotStore: SessionStore {
    private let directory: String
    private let files: any FileAccess

    /// A store in `directory`, which is made when it is absent.
    public init(at directory: String, context: PluginContext = .system) {
        self.directory = directory
        files = context.files
    }

    private var path: String { directory + "/sessions.json" }

    /// What is under `key`.
    public func read(_ key: StoreKey) throws -> StoredRecord? {
        let name = try Self.name(key)
        guard let record = try load()["records"]?[name] else { return nil }
        guard let bytes = record["bytes"]?.string.flatMap({ Data(base64Encoded: $0) }),
            let version = record["version"]?.integer
        else { throw AuthError(.store(.damaged), "the record in \(path) is damaged") }
        return StoredRecord(bytes: Array(bytes), version: Self.version(version))
    }

    /// Compare-and-swap; durable on return.
    public func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) throws -> RecordVersion? {
        // While another process writes, the caller gets `store(.lockTimeout)` and no update is lost.
        let lock = try lock()
        defer { lock.release() }
        let found = try read(key)?.version
        guard found == version else { throw StoreConflict(found: found) }
        let old = try load()
        var records = old["records"]?.object ?? [:]
        // One counter for all records, kept in the file: no version comes twice, deletions and restarts included.
        let next = (old["commits"]?.integer ?? 0) + 1
        records[try Self.name(key)] = bytes.map {
            ["bytes": .string(Data($0).base64EncodedString()), "version": .integer(next)]
        }
        try save(["commits": .integer(next), "records": .object(records)])
        return bytes == nil ? nil : Self.version(next)
    }

    /// Every key of `kind`, in no order.
    public func keys(_ kind: StoreKey.Kind) throws -> [StoreKey] {
        let names = try load()["records"]?.object?.keys.map { String($0) } ?? []
        return names.filter { $0.hasPrefix("\(kind.rawValue) ") }
            .map { StoreKey(kind, String($0.dropFirst(kind.rawValue.count + 1))) }
    }

    private func lock() throws -> any FileLock {
        let lock = try reaching {
            try files.makeDirectory(directory)
            return try files.lock(directory + "/lock", sharing: false)
        }
        guard let lock else { throw AuthError(.store(.lockTimeout), "another process uses \(directory)") }
        return lock
    }

    private func load() throws -> JSON {
        guard let bytes = try reaching({ try files.read(path, limit: 1 << 20) }) else { return ["commits": 0] }
        do { return try JSON.parse(bytes) } catch {
            throw AuthError(.store(.damaged), "\(path) is damaged")
        }
    }

    private func save(_ new: JSON) throws {
        try reaching {
            try files.remove(path + ".new")
            try files.writeNew(path + ".new", new.serialized())
            try files.rename(path + ".new", to: path)
            try files.syncDirectory(directory)
        }
    }

    private func reaching<Value>(_ work: () throws -> Value) throws -> Value {
        do { return try work() } catch let error as FileError { throw Self.explain(error, path) }
    }

    private static func explain(_ error: FileError, _ path: String) -> AuthError {
        switch error {
        case .full: AuthError(.store(.full), "no space is left for \(path)")
        case .denied, .readOnly: AuthError(.store(.readOnly), "\(path) cannot be written")
        default: AuthError(.store(.unavailable), "\(path) cannot be reached")
        }
    }

    private static func name(_ key: StoreKey) throws -> String {
        guard key.name.utf8.count <= 4_096, !key.name.utf8.contains(0) else {
            throw AuthError(.configuration(.invalid), "the key is too long or holds U+0000")
        }
        return "\(key.kind.rawValue) \(key.name)"
    }

    private static func version(_ number: Int64) -> RecordVersion { RecordVersion(Array(String(number).utf8)) }
}
