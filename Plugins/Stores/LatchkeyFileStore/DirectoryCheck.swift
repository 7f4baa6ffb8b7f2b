import Latchkey

/// Whether the directory and the files in it are this user's alone.
///
/// Looked at before each use. Between looking and opening only this user, or root, can change anything: the directory
/// gives nobody else access, and no directory above it lets others rename it away.
struct DirectoryCheck {
    let directory: String
    let files: any FileAccess
    private let isAbsolute: Bool
    /// The directories above, the root first.
    private let ancestors: [String]

    init(directory: String, files: any FileAccess) {
        self.directory = directory
        self.files = files
        let parts = directory.split(separator: "/")
        isAbsolute = directory.first == "/" && !parts.contains("..")
        var paths = ["/"]
        for part in parts.dropLast() {
            paths.append(paths.count == 1 ? "/\(part)" : "\(paths[paths.count - 1])/\(part)")
        }
        ancestors = paths
    }

    /// Whether the directory is there; it and those above it are sound then.
    func run() throws -> Bool {
        guard isAbsolute else {
            throw AuthError(.configuration(.invalid), "the store's directory is no absolute path without \"..\"")
        }
        for ancestor in ancestors {
            guard try isSound(ancestor: ancestor) else { return false }
        }
        guard let found = try status(directory) else { return false }
        guard found.kind == .directory else { throw insecure(directory, "is not a directory") }
        guard found.isOwn else { throw insecure(directory, "belongs to another user") }
        guard found.mode & 0o077 == 0 else {
            throw insecure(directory, "lets others in; chmod 700 \(directory) closes it")
        }
        return true
    }

    /// Makes the directory when it is absent. Always true.
    func make() throws -> Bool {
        if try run() { return true }
        try disk(.write, at: directory) { try files.makeDirectory(directory) }
        guard try run() else { throw AuthError(.store(.unavailable), "\(directory) has disappeared") }
        return true
    }

    /// Whether the file is there; it is sound then.
    func isSound(file path: String) throws -> Bool {
        guard let found = try status(path) else { return false }
        guard found.kind == .file else { throw insecure(path, "is not a regular file") }
        guard found.isOwn else { throw insecure(path, "belongs to another user") }
        guard found.links == 1 else { throw insecure(path, "has a second name") }
        guard found.mode & 0o077 == 0 else { throw insecure(path, "is open to others; chmod 600 \(path) closes it") }
        return true
    }

    /// Makes the names of the directory, and of this user's directories above it, durable: this process or one that
    /// died may have made them.
    func syncParents() throws {
        for ancestor in ancestors.reversed() {
            guard let found = try status(ancestor), found.kind == .directory, found.isOwn else { return }
            do {
                try files.syncDirectory(ancestor)
            } catch FileError.denied {
                // A directory that this user may not read is not one that it made.
                return
            } catch let error as FileError {
                throw AuthError.disk(error, .write, at: ancestor)
            }
        }
    }

    private func isSound(ancestor: String) throws -> Bool {
        guard var found = try status(ancestor) else { return false }
        if found.kind == .link {
            guard found.isOwn || found.owner == 0 else { throw insecure(ancestor, "is another user's link") }
            guard let target = try status(ancestor + "/.") else { return false }
            found = target
        }
        guard found.kind == .directory else { throw insecure(ancestor, "is not a directory") }
        guard found.mode & 0o002 == 0 || found.mode & 0o1000 != 0 else {
            throw insecure(ancestor, "may be changed by everybody; chmod o-w \(ancestor) closes it")
        }
        return true
    }

    private func status(_ path: String) throws -> FileStatus? {
        try disk(.read, at: path) { try files.status(path) }
    }

    private func insecure(_ path: String, _ fault: String) -> AuthError {
        AuthError(.store(.insecurePermissions), "\(path) \(fault)")
    }

    /// The path without doubled or trailing slashes and without `.`.
    static func normalized(_ path: String) -> String {
        let parts = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        return path.first == "/" ? "/\(parts)" : parts
    }
}
