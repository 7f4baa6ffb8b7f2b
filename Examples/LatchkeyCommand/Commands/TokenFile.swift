import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A private file with the access token of the moment, in a directory of its own that goes with it.
///
/// What a killed program leaves behind is removed by the next one: a directory whose lock nobody holds.
struct TokenFile: Sendable {
    private static let prefix = "latchkey-exec-"

    private let directory: String
    private let lock: any FileLock
    private let world: PluginContext

    /// Where the token is. It is replaced whole, so that no reader sees a part.
    var path: String { directory + "/access-token" }

    /// A directory below `XDG_RUNTIME_DIR` where that is private, else below `TMPDIR` or `/tmp`.
    init(environment: [String: String], world: PluginContext) throws {
        let base = Self.base(environment, world.files)
        Self.sweep(base, world.files)
        for _ in 1...3 {
            let directory = "\(base)/\(Self.prefix)\(world.randomName())"
            try Self.reaching(base) { try world.files.makeDirectory(directory) }
            guard let status = try? world.files.status(directory), status.kind == .directory, status.isOwn,
                status.mode & 0o077 == 0, let lock = try? world.files.lock(Self.lockPath(directory), sharing: false)
            else {
                // Somebody who sweeps may have come between, or the place cannot keep what must be private.
                Self.remove(directory, world.files)
                continue
            }
            (self.directory, self.lock, self.world) = (directory, lock, world)
            return
        }
        throw Self.failure(base)
    }

    /// Puts `token` in place of the one before.
    func write(_ token: Secret) throws {
        try Self.reaching(directory) {
            let temporary = "\(directory)/.\(world.randomName()).new"
            try world.files.writeNew(temporary, token.reveal())
            do {
                try world.files.rename(temporary, to: path)
            } catch {
                try? world.files.remove(temporary)
                throw error
            }
        }
    }

    /// Removes file and directory.
    func remove() {
        Self.remove(directory, world.files)
        lock.release()
    }

    private static func base(_ environment: [String: String], _ files: any FileAccess) -> String {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/"),
            let status = try? files.status(runtime), status.kind == .directory, status.isOwn, status.mode & 0o077 == 0
        {
            return runtime
        }
        if let temporary = environment["TMPDIR"], temporary.hasPrefix("/") { return temporary }
        return "/tmp"
    }

    private static func sweep(_ base: String, _ files: any FileAccess) {
        for name in (try? files.list(base)) ?? [] where name.hasPrefix(prefix) {
            let directory = "\(base)/\(name)"
            guard let status = try? files.status(directory), status.kind == .directory, status.isOwn,
                let lock = try? files.lock(lockPath(directory), sharing: false)
            else { continue }
            remove(directory, files)
            lock.release()
        }
    }

    private static func lockPath(_ directory: String) -> String { directory + "/lock" }

    private static func remove(_ directory: String, _ files: any FileAccess) {
        for name in (try? files.list(directory)) ?? [] { try? files.remove("\(directory)/\(name)") }
        rmdir(directory)
    }

    private static func reaching<Result>(_ place: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw failure(place) }
    }

    private static func failure(_ place: String) -> ErrorReport {
        ErrorReport(
            status: .store, code: "tokenFile", message: "The token cannot be kept in a private file below \(place)",
            recovery: "correctConfiguration", hint: "Set XDG_RUNTIME_DIR to a private directory that can be written")
    }
}
