import CBench
import Glibc
import Latchkey
import LatchkeyFileStore
import LatchkeyJSON

/// Measures reading a whole store of very many accounts, each in a file or in memory, against getting the bytes of
/// the same records and parsing them as JSON, half of it before and half after. These rows are not required: their
/// limits are a little above the present cost, and far below that of a step that looks at every account for every
/// account.
enum StoreRows {
    static func files() async throws -> Row {
        let place = try Scratch()
        defer { place.remove() }
        let directory = place.path + "/store"
        var world = PluginContext.system
        world.files = UnflushedFiles()
        let store = FileStore(unencryptedAt: directory, context: world)
        let read: () async throws -> [[UInt8]] = {
            let files = SystemFiles()
            return try files.list(directory).filter { $0.hasPrefix("credential-") && $0.hasSuffix(".record") }.map {
                name in
                // After the line that the store puts before the record.
                let bytes = try files.read("\(directory)/\(name)", limit: 1 << 20) ?? []
                return Array(bytes.drop { $0 != 0x0A }.dropFirst())
            }
        }
        return try await row(
            "restore-files", FileStore(unencryptedAt: directory), filling: store, 10_000, limit: 3, reading: read)
    }

    static func memory() async throws -> Row {
        let store = MemoryStore()
        let read: () async throws -> [[UInt8]] = {
            var records: [[UInt8]] = []
            for key in store.keys(.credential) { records.append(try store.read(key)?.bytes ?? []) }
            return records
        }
        return try await row("restore-memory", store, filling: store, 100_000, limit: 3, reading: read)
    }

    private static func row(
        _ name: String, _ store: any SessionStore, filling: any SessionStore, _ count: Int, limit: Double,
        reading: @escaping () async throws -> [[UInt8]]
    ) async throws -> Row {
        let service = try await Service.filling(filling, with: count)
        let reference = {
            let begun = cb_nanoseconds()
            let records = try await reading()
            guard records.count == count else {
                throw BenchError.failed("the reference finds \(records.count) records")
            }
            for record in records {
                guard try JSON.parse(record)["kind"] != nil else { throw BenchError.failed("that is no record") }
            }
            return Double(cb_nanoseconds() - begun)
        }
        let auth = try service.client { $0.store(store) }
        let before = try await reference()
        let begun = cb_nanoseconds()
        guard try await auth.restore().count == count else { throw BenchError.failed("not all accounts are there") }
        let took = Double(cb_nanoseconds() - begun)
        let alone = (before + (try await reference())) / 2
        let ratio = took / alone
        return Row(
            name: name, ours: "\(Row.time(took)),\(count)accounts", reference: Row.time(alone), ratio: ratio,
            limit: "\(Row.decimal(limit, 2))x", isWithin: ratio <= limit)
    }
}

/// The disk without flushing, to fill a store that is only read afterwards.
struct UnflushedFiles: FileAccess {
    var system: any FileAccess = SystemFiles()
    /// The directory of relative names; `nil` if paths are absolute.
    var directory: String?

    func status(_ path: String) throws -> FileStatus? { try system.status(path) }
    func entry(_ path: String) throws -> FileEntry? {
        try system.entry(path)?.withFiles { UnflushedFiles(system: $0, directory: absolute(path)) }
    }
    func makeDirectory(_ path: String) throws { try system.makeDirectory(path) }
    func read(_ path: String, limit: Int, if judge: (FileStatus) throws -> Void) throws -> [UInt8]? {
        try system.read(path, limit: limit, if: judge)
    }
    func setMode(_ path: String, _ mode: UInt32) throws { try system.setMode(path, mode) }
    func rename(_ source: String, to target: String) throws { try system.rename(source, to: target) }
    func syncDirectory(_ path: String) throws {}
    func remove(_ path: String) throws { try system.remove(path) }
    func removeDirectory(_ path: String) throws { try system.removeDirectory(path) }
    func list(_ directory: String) throws -> [String] { try system.list(directory) }
    func lock(_ path: String, sharing: Bool) throws -> (any FileLock)? { try system.lock(path, sharing: sharing) }

    func writeNew(_ path: String, _ bytes: [UInt8]) throws {
        let file = open(absolute(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FileError.failed(errno) }
        defer { close(file) }
        guard write(file, bytes, bytes.count) == bytes.count else { throw FileError.failed(errno) }
    }

    private func absolute(_ path: String) -> String { directory.map { "\($0)/\(path)" } ?? path }
}
