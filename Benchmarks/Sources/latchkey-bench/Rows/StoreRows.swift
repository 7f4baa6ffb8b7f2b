import CBench
import Glibc
import Latchkey
import LatchkeyFileStore

/// Reading very many accounts from a store, whole: each a file, or in memory.
enum StoreRows {
    static func files() async throws -> Row {
        let place = try Scratch()
        defer { place.remove() }
        var world = PluginContext.system
        world.files = UnflushedFiles()
        let store = FileStore(unencryptedAt: place.path + "/store", context: world)
        return try await row("restore-files", FileStore(unencryptedAt: place.path + "/store"), filling: store, 10_000)
    }

    static func memory() async throws -> Row {
        let store = MemoryStore()
        return try await row("restore-memory", store, filling: store, 100_000)
    }

    private static func row(
        _ name: String, _ store: any SessionStore, filling: any SessionStore, _ count: Int
    ) async throws -> Row {
        let service = try await Service.filling(filling, with: count)
        let auth = try service.client { $0.store(store) }
        let begun = cb_nanoseconds()
        guard try await auth.restore().count == count else { throw BenchError.failed("not all accounts are there") }
        let took = Double(cb_nanoseconds() - begun)
        return Row(name: name, ours: "\(Row.time(took)),\(count)accounts", limit: "10s", isWithin: took <= 1e10)
    }
}

/// The disk without flushing: for filling a store that is only read.
private struct UnflushedFiles: FileAccess {
    private let system = SystemFiles()

    func status(_ path: String) throws -> FileStatus? { try system.status(path) }
    func makeDirectory(_ path: String) throws { try system.makeDirectory(path) }
    func read(_ path: String, limit: Int) throws -> [UInt8]? { try system.read(path, limit: limit) }
    func rename(_ source: String, to target: String) throws { try system.rename(source, to: target) }
    func syncDirectory(_ path: String) throws {}
    func remove(_ path: String) throws { try system.remove(path) }
    func list(_ directory: String) throws -> [String] { try system.list(directory) }
    func lock(_ path: String, sharing: Bool) throws -> (any FileLock)? { try system.lock(path, sharing: sharing) }

    func writeNew(_ path: String, _ bytes: [UInt8]) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FileError.failed(errno) }
        defer { close(file) }
        guard write(file, bytes, bytes.count) == bytes.count else { throw FileError.failed(errno) }
    }
}
