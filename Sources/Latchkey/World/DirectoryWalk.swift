/// A walk from the root to a directory, which opens each directory inside the previous one.
struct DirectoryWalk {
    /// The same limit as the kernel's (path_resolution(7)).
    private static let mostLinks = 40

    private let root: any FileAccess
    private let makes: Bool
    private var steps: [TrustedDirectory.Step] = []
    /// The components still to walk, the next one last.
    private var rest: [Substring] = []
    private var links = 0

    init(_ root: any FileAccess, makes: Bool) { (self.root, self.makes) = (root, makes) }

    /// Returns the directory at `path`, or `nil` if it is absent.
    consuming func walk(to path: String, _ demand: TrustedDirectory.Demand) throws -> TrustedDirectory? {
        rest = path.split(separator: "/").filter { $0 != "." }.reversed()
        // A directory that must belong to this user alone must be the last step, so that it is judged as such.
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0), demand == .sound || !rest.contains("..")
        else { throw AuthError(.configuration(.invalid), "\"\(path)\" is no absolute path without \"..\"") }
        try begin(demand)
        while let name = rest.popLast() {
            guard try go(to: String(name), demand) else { return nil }
        }
        return TrustedDirectory(steps: steps)
    }

    /// Starts again at the root.
    private mutating func begin(_ demand: TrustedDirectory.Demand) throws {
        guard case .directory(let files, let status)? = try disk(.read, at: "/", { try root.entry("/") }) else {
            throw AuthError(.store(.unavailable), "/ has disappeared")
        }
        steps = []
        try enter(.init(path: "/", files: files, status: status), demand)
    }

    /// Returns whether `name` exists in the directory that was reached last.
    private mutating func go(to name: String, _ demand: TrustedDirectory.Demand) throws -> Bool {
        // Links may climb. The parent is the directory that the walk came from, and has been judged.
        if name == ".." { steps.removeLast(steps.count > 1 ? 1 : 0) }
        if name == "." || name == ".." { return true }
        let here = steps[steps.count - 1]
        let path = here.path == "/" ? "/\(name)" : "\(here.path)/\(name)"
        var found = try look(name, at: path, in: here, demand)
        if found == nil, makes {
            try make(name, at: path, in: here)
            found = try disk(.read, at: path) { try here.files.entry(name) }
        }
        switch found {
        case .directory(let files, let status):
            try enter(.init(path: path, files: files, status: status), demand)
        case .link(let target, let status):
            guard demand == .sound || !rest.isEmpty else { throw Self.insecure(path, "is a link") }
            guard status.isOwn || status.owner == 0 else {
                throw Self.insecure(path, "is a link of another user (\(status.owner))")
            }
            try follow(target, at: path, demand)
        case .other: throw Self.insecure(path, "is not a directory")
        case nil: return false
        }
        return true
    }

    private func look(
        _ name: String, at path: String, in here: TrustedDirectory.Step, _ demand: TrustedDirectory.Demand
    ) throws -> FileEntry? {
        do {
            return try here.files.entry(name)
        } catch FileError.denied where demand == .own && rest.isEmpty {
            // A command that was run as root has made it: who types the next one can take it back.
            if let status = (try? here.files.status(name)) ?? nil, !status.isOwn {
                throw Self.insecure(path, status.foreignOwner(at: path))
            }
            throw AuthError.disk(.denied, .read, at: path)
        } catch let error as FileError {
            throw AuthError.disk(error, .read, at: path)
        }
    }

    private func make(_ name: String, at path: String, in here: TrustedDirectory.Step) throws {
        do {
            try here.files.makeDirectory(name)
        } catch FileError.denied {
            // The directory above is the one that forbids it, and the only one that is there to be changed.
            throw AuthError.disk(.denied, .write, at: here.path)
        } catch let error as FileError {
            throw AuthError.disk(error, .write, at: path)
        }
    }

    private mutating func follow(_ target: String, at path: String, _ demand: TrustedDirectory.Demand) throws {
        links += 1
        guard links <= Self.mostLinks else {
            throw AuthError(.store(.unavailable), "\(path) leads through too many links")
        }
        rest += target.split(separator: "/").reversed()
        if target.utf8.first == UInt8(ascii: "/") { try begin(demand) }
    }

    private mutating func enter(_ step: TrustedDirectory.Step, _ demand: TrustedDirectory.Demand) throws {
        if demand == .own, rest.isEmpty { try Self.checkOwn(step) } else { try checkSound(step) }
        steps.append(step)
    }

    private static func checkOwn(_ step: TrustedDirectory.Step) throws {
        let (path, status) = (step.path, step.status)
        guard status.isOwn else { throw insecure(path, status.foreignOwner(at: path)) }
        guard status.mode & 0o077 == 0 || status.isAccepted else {
            throw insecure(path, "lets others in; \(OwnFileRemedy.close(path, .directory))")
        }
    }

    private func checkSound(_ step: TrustedDirectory.Step) throws {
        let status = step.status
        func refuse(_ fault: InsecurePlace.Fault) -> AuthError {
            AuthError(InsecurePlace(path: step.path, fault: fault, isOwn: status.isOwn))
        }
        // The owner can remove and replace what is in the directory, even if it is sticky.
        guard status.isOwn || status.owner == 0 else { throw refuse(.owner(status.owner)) }
        guard status.mode & 0o022 != 0, status.mode & 0o1000 == 0, !status.isAccepted else { return }
        if status.mode & 0o002 == 0, step.isGroupPrivate { return }
        if TrustedDirectory.isEnclosed(steps, on: status.device) { return }
        throw refuse(status.mode & 0o002 == 0 ? .group : .everybody)
    }

    private static func insecure(_ path: String, _ fault: String) -> AuthError {
        AuthError(.store(.insecurePermissions), "\(path) \(fault)")
    }
}
