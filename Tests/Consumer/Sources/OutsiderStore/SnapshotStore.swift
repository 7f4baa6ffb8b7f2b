import FoundationEssentials
import Latchkey
import LatchkeyJSON

/// Keeps every record in one file, which is replaced whole. For one process and a handful of sessions.
public actor SnapshotStore: SessionStore {
    private let directory: String
    private let files: any FileAccess
    private var content: JSON?
    /// Held for the life of the store: a second process gets `store(.lockTimeout)` instead of lost updates.
    private var lock: (any FileLock)?

    /// A store in `directory`, which is made when it is absent.
    public init(at directory: String, context: PluginContext = .system) {
        self.directory = directory
        files = context.files
    }

    private var path: String { directory + "/sessions.json" }

    /// What is under `key`.
    public func read(_ key: StoreKey) throws -> StoredRecord? {
        let record = try load()["records"]?[try Self.name(key)]
        guard let record else { return nil }
        guard let bytes = record["bytes"]?.string.flatMap({ Data(base64Encoded: $0) }),
            let version = record["version"]?.integer
        else { throw AuthError(.store(.damaged), "the record in \(path) is damaged") }
        return StoredRecord(bytes: Array(bytes), version: Self.version(version))
    }

    /// Compare-and-swap; durable on return.
    public func replace(_ key: StoreKey, at version: Version?, with bytes: [UInt8]?) throws -> Version? {
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

    private func load() throws -> JSON {
        if let content { return content }
        do {
            try files.makeDirectory(directory)
            lock = try lock ?? files.lock(directory + "/lock", sharing: false)
            guard lock != nil else { throw AuthError(.store(.lockTimeout), "another process uses \(directory)") }
            let loaded = try files.read(path, limit: 1 << 20).map { try JSON.parse($0) } ?? ["commits": 0]
            content = loaded
            return loaded
        } catch is JSONError {
            throw AuthError(.store(.damaged), "\(path) is damaged")
        } catch let error as FileError {
            throw Self.explain(error, path)
        }
    }

    private func save(_ new: JSON) throws {
        do {
            try files.remove(path + ".new")
            try files.writeNew(path + ".new", new.serialized())
            try files.rename(path + ".new", to: path)
            try files.syncDirectory(directory)
            content = new
        } catch let error as FileError {
            // What is on the disk now is unknown: the next call reads it.
            content = nil
            throw Self.explain(error, path)
        }
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

    private static func version(_ number: Int64) -> Version { Version(Array(String(number).utf8)) }
}
