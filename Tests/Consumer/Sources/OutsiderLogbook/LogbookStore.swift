public import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// Keeps each record in a file of its own, for several processes at once.
///
/// The files lie in one directory: `….page` for a record, named by the hash of its key, since a key may be any text;
/// `commit.lock` while one is written; `….lock` for its lock. Lock files stay for ever: whoever removed one would
/// take it away under somebody who holds it.
public struct LogbookStore: SessionStore {
    let directory: String
    let context: PluginContext

    /// A store in `directory`, which is made when something is written and it is absent.
    public init(at directory: String, context: PluginContext = .system) {
        self.directory = directory
        self.context = context
    }

    /// What is under `key`.
    public func read(_ key: StoreKey) throws -> StoredRecord? {
        try page(in: path(key, ".page"))?.record
    }

    /// Compare-and-swap; durable on return.
    public func replace(
        _ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?
    ) async throws -> RecordVersion? {
        let path = try path(key, ".page")
        let tooLong = AuthError(.store(.lockTimeout), "another process writes to \(directory) for too long")
        let lock = try await lock(directory + "/commit.lock", for: .seconds(5), orThrow: tooLong)
        defer { lock.release() }
        // Compared while nobody else can write: before the lock, two could find the same version and both go on.
        let found = try page(in: path)?.record.version
        guard found == version else { throw StoreConflict(found: found) }
        guard let bytes else {
            try reaching {
                try context.files.remove(path)
                try context.files.syncDirectory(directory)
            }
            return nil
        }
        // Drawn anew: a number counted in the file would begin again after a deletion.
        let next = RecordVersion(context.random(16))
        try write(Page(key: key, record: StoredRecord(bytes: bytes, version: next)), to: path)
        return next
    }

    /// Every key of `kind`, in no order.
    public func keys(_ kind: StoreKey.Kind) throws -> [StoreKey] {
        let names = try reaching { try context.files.list(directory) }
        let pages = try names.filter { $0.hasSuffix(".page") }.compactMap { try page(in: "\(directory)/\($0)") }
        return pages.map(\.key).filter { $0.kind == kind }
    }

    /// The file of `key`.
    func path(_ key: StoreKey, _ suffix: String) throws -> String {
        guard key.name.utf8.count <= 4_096, !key.name.utf8.contains(0) else {
            throw AuthError(.configuration(.invalid), "the key is too long or holds U+0000")
        }
        let hash = Hash.digest(Array("\(key.kind.rawValue) \(key.name)".utf8))
        return "\(directory)/\(Base64URL.encode(hash))\(suffix)"
    }
}

/// What a file holds.
private struct Page {
    var key: StoreKey
    var record: StoredRecord
}

extension LogbookStore {
    private func page(in path: String) throws -> Page? {
        guard let bytes = try reaching({ try context.files.read(path, limit: 1 << 20) }) else { return nil }
        do {
            let page = JSONField(try JSON.parse(bytes))
            guard let kind = StoreKey.Kind(rawValue: try page["kind"].string()) else { throw CancellationError() }
            return Page(
                key: StoreKey(kind, try page["name"].string()),
                record: StoredRecord(
                    bytes: try Base64.decode(try page["bytes"].string()),
                    version: RecordVersion(try Base64.decode(try page["version"].string()))))
        } catch {
            // Not absent: whoever took it for that would sign the person out, and write over what may be repaired.
            throw AuthError(.store(.damaged), "\(path) is damaged")
        }
    }

    /// Under another name first, so that a crash leaves the old record or the new one; the directory keeps the name.
    private func write(_ page: Page, to path: String) throws {
        let text: JSON = [
            "kind": .string(page.key.kind.rawValue), "name": .string(page.key.name),
            "bytes": .string(Base64.encode(page.record.bytes)),
            "version": .string(Base64.encode(page.record.version.bytes)),
        ]
        let new = directory + "/commit.new"
        try reaching {
            try context.files.remove(new)
            try context.files.writeNew(new, text.serialized())
            try context.files.rename(new, to: path)
            try context.files.syncDirectory(directory)
        }
    }

    /// What the disk refuses, in the engine's words.
    func reaching<Value>(_ work: () throws -> Value) throws -> Value {
        do { return try work() } catch let error as FileError {
            switch error {
            case .full: throw AuthError(.store(.full), "no space is left in \(directory)")
            case .denied, .readOnly: throw AuthError(.store(.readOnly), "\(directory) cannot be written")
            default: throw AuthError(.store(.unavailable), "\(directory) cannot be reached")
            }
        }
    }
}
