import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// A private folder of a test, gone with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = "/tmp/latchkey-test-\(PluginContext.system.randomName(bytes: 8))"
        mkdir(path, 0o700)
    }

    deinit { Self.remove(path) }

    func setMode(_ path: String, _ mode: UInt32) { chmod(path, mode_t(mode)) }

    func mode(_ path: String) -> UInt32? { (try? SystemFiles().status(path))??.mode }

    func link(_ path: String, to target: String) { symlink(target, path) }

    private static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        for name in (try? SystemFiles().list(path)) ?? [] { remove("\(path)/\(name)") }
        rmdir(path)
    }
}
