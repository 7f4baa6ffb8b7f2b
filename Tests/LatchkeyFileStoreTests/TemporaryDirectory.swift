import Latchkey
import LatchkeyFileStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A directory of a test, removed with everything in it at the end.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = "/tmp/latchkey-\(PluginContext.system.randomName())"
        try SystemFiles().makeDirectory(path)
    }

    deinit { Self.remove(path) }

    /// Overwrites the middle of the record's file with other bytes.
    func damage(_ store: FileStore, _ key: StoreKey) throws {
        let files = SystemFiles()
        for name in try files.list(store.directory) where name.hasSuffix(".record") {
            let file = "\(store.directory)/\(name)"
            guard var bytes = try files.read(file, limit: 1 << 20) else { continue }
            bytes[bytes.count - 1] ^= 1
            try files.remove(file)
            try files.writeNew(file, bytes)
        }
    }

    /// Removes every file in a directory, as `rm` would.
    func empty(_ path: String) {
        for name in (try? SystemFiles().list(path)) ?? [] { Self.remove("\(path)/\(name)") }
    }

    private static func remove(_ path: String) {
        guard let status = try? SystemFiles().status(path) else { return }
        if status.kind == .directory {
            for name in (try? SystemFiles().list(path)) ?? [] { remove("\(path)/\(name)") }
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}
