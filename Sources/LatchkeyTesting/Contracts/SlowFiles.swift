import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The same disk, a millisecond later at each call: what is read, and written later without a lock, meets what others do
/// in between, at every run and not once in a thousand.
struct SlowFiles: FileAccess {
    private let files: any FileAccess

    init(_ files: any FileAccess) { self.files = files }

    func status(_ path: String) throws -> FileStatus? { try slowly { try files.status(path) } }

    func entry(_ path: String) throws -> FileEntry? {
        try slowly { try files.entry(path)?.withFiles { SlowFiles($0) } }
    }

    func makeDirectory(_ path: String) throws { try slowly { try files.makeDirectory(path) } }

    func read(_ path: String, limit: Int, if judge: (FileStatus) throws -> Void) throws -> [UInt8]? {
        try slowly { try files.read(path, limit: limit, if: judge) }
    }

    func writeNew(_ path: String, _ bytes: [UInt8]) throws { try slowly { try files.writeNew(path, bytes) } }

    func setMode(_ path: String, _ mode: UInt32) throws { try slowly { try files.setMode(path, mode) } }

    func rename(_ source: String, to target: String) throws { try slowly { try files.rename(source, to: target) } }

    func syncDirectory(_ path: String) throws { try slowly { try files.syncDirectory(path) } }

    func remove(_ path: String) throws { try slowly { try files.remove(path) } }

    func removeDirectory(_ path: String) throws { try slowly { try files.removeDirectory(path) } }

    func list(_ directory: String) throws -> [String] { try slowly { try files.list(directory) } }

    func lock(_ path: String, sharing: Bool) throws -> (any FileLock)? {
        try slowly { try files.lock(path, sharing: sharing) }
    }

    /// After the call as well as before: what it brought is a millisecond old.
    private func slowly<Value>(_ call: () throws -> Value) rethrows -> Value {
        defer { usleep(500) }
        usleep(500)
        return try call()
    }
}

extension PluginContext {
    /// The same on a slow disk.
    var onSlowDisk: PluginContext {
        var context = self
        context.files = SlowFiles(files)
        return context
    }
}
