import Latchkey

/// Files that fail, or are damaged, when a contract says so.
struct TroubledFiles: ForwardingFiles {
    let inner: any FileAccess
    let trouble: DiskTrouble

    init(_ inner: any FileAccess, _ trouble: DiskTrouble) {
        self.inner = inner
        self.trouble = trouble
    }

    func entry(_ path: String) throws -> FileEntry? {
        try inner.entry(path)?.withFiles { TroubledFiles($0, trouble) }
    }

    func read(_ path: String, limit: Int, if judge: (FileStatus) throws -> Void) throws -> [UInt8]? {
        guard let bytes = try inner.read(path, limit: limit, if: judge) else { return nil }
        return try trouble.read(path, bytes)
    }

    func writeNew(_ path: String, _ bytes: [UInt8]) throws {
        try trouble.willWrite(path, bytes)
        try inner.writeNew(path, bytes)
    }

    func rename(_ source: String, to target: String) throws {
        try trouble.willWrite(target, [])
        try inner.rename(source, to: target)
    }

    func syncDirectory(_ path: String) throws {
        try trouble.willWrite(nil, [])
        try inner.syncDirectory(path)
    }

    func remove(_ path: String) throws {
        try inner.remove(path)
        trouble.removed()
    }

    func lock(_ path: String, sharing: Bool) throws -> (any FileLock)? {
        try trouble.isHeldElsewhere() ? nil : inner.lock(path, sharing: sharing)
    }
}
