import Latchkey

/// A private file with the present access token, in a directory of its own.
///
/// If a program was killed, the next one removes its directory, because no process holds the directory's lock any
/// more.
struct TokenFile: Sendable {
    private static let prefix = "latchkey-exec-"

    private let base: TrustedDirectory
    private let directory: String
    private let files: any FileAccess
    private let lock: any FileLock
    private let world: PluginContext

    /// The path of the file. It is replaced as a whole, so that no reader sees a part.
    var path: String { "\(base.path)/\(directory)/access-token" }

    /// Makes the directory below `XDG_RUNTIME_DIR` if that is private, else below `TMPDIR` or `/tmp`.
    ///
    /// - Throws: ``ToolError``, also if other users could replace the directory.
    init(environment: [String: String], world: PluginContext) throws {
        let base = try Self.base(environment, world.files)
        Self.sweep(base)
        for _ in 1...3 {
            let directory = "\(Self.prefix)\(world.randomName())"
            try Self.reaching(base.path) { try base.files.makeDirectory(directory) }
            guard let files = Self.own(directory, in: base), let lock = try? files.lock(Self.lockName, sharing: false)
            else {
                // Another process's cleaning may have come between, or the place cannot keep private files.
                try? base.files.removeDirectory(directory)
                continue
            }
            (self.base, self.directory, self.files, self.lock, self.world) = (base, directory, files, lock, world)
            return
        }
        throw Self.failure(base.path)
    }

    /// Writes `token` in place of the previous one.
    func write(_ token: Secret) throws {
        try Self.reaching(base.path) {
            let temporary = ".\(world.randomName()).new"
            try files.writeNew(temporary, token.reveal())
            do {
                try files.rename(temporary, to: "access-token")
            } catch {
                try? files.remove(temporary)
                throw error
            }
        }
    }

    /// Removes the file and its directory.
    func remove() {
        Self.remove(directory, files, from: base)
        lock.release()
    }

    private static func base(_ environment: [String: String], _ files: any FileAccess) throws -> TrustedDirectory {
        if let runtime = environment["XDG_RUNTIME_DIR"],
            let place = try? TrustedDirectory.open(runtime, .own, in: files)
        {
            return place
        }
        let temporary = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        do {
            if let place = try TrustedDirectory.open(temporary, .sound, in: files) { return place }
        } catch let error as AuthError {
            throw ToolError(
                .store, code: "tokenFile", recovery: "correctConfiguration", "error.tokenPlace",
                ["problem": error.message], hint: ToolText("hint.runtimeOwn"))
        }
        throw failure(temporary)
    }

    private static func sweep(_ base: TrustedDirectory) {
        for name in (try? base.files.list(".")) ?? [] where name.hasPrefix(prefix) {
            guard let files = own(name, in: base), let lock = try? files.lock(lockName, sharing: false) else {
                continue
            }
            remove(name, files, from: base)
            lock.release()
        }
    }

    private static let lockName = "lock"

    /// Opens the directory if only this user can access it.
    private static func own(_ name: String, in base: TrustedDirectory) -> (any FileAccess)? {
        guard case .directory(let files, let status)? = try? base.files.entry(name), status.isOwn,
            status.mode & 0o077 == 0
        else { return nil }
        return files
    }

    private static func remove(_ name: String, _ files: any FileAccess, from base: TrustedDirectory) {
        for file in (try? files.list(".")) ?? [] { try? files.remove(file) }
        try? base.files.removeDirectory(name)
    }

    private static func reaching<Result>(_ place: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw failure(place) }
    }

    private static func failure(_ place: String) -> ToolError {
        ToolError(
            .store, code: "tokenFile", recovery: "correctConfiguration", "error.tokenFile", ["place": place],
            hint: ToolText("hint.runtime"))
    }
}
