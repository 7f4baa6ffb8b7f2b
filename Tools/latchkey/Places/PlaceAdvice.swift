import Latchkey
import LatchkeyFileStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a person can do about a directory that the tool cannot use: another user's home, or one that others may change.
///
/// Together with ``/Latchkey/OwnFileRemedy`` it decides which command a hint may name. What lies outside the tool's own
/// folders stays as it is: the way on is another place, or another user.
struct PlaceAdvice {
    let invocation: Invocation
    private var environment: [String: String] { invocation.environment }

    init(_ invocation: Invocation) { self.invocation = invocation }

    /// Returns the hint for `error`; `nil` if it is not about a place.
    func hint(for error: AuthError) -> ToolText? {
        guard case .store(let reason) = error.code else { return nil }
        switch reason {
        case .insecurePermissions, .readOnly, .unavailable: break
        default: return nil
        }
        for variable in ["XDG_RUNTIME_DIR", "HOME"] {
            if let hint = foreign(variable, error) { return hint }
        }
        if let place = error.insecurePlace { return hint(place) }
        if reason == .insecurePermissions, places.contains(where: { Self.isFileInstead(of: $0.path) }) {
            return ToolText("hint.fileInstead")
        }
        // Elsewhere the hint is to run it.
        let isDoctor = invocation.arguments.command.name == Command.doctor.name
        return reason == .unavailable && isDoctor ? ToolText("hint.unusablePlace") : nil
    }

    /// The hint for a variable that was left from another user, as `su` and `sudo -E` leave it.
    private func foreign(_ variable: String, _ error: AuthError) -> ToolText? {
        guard let path = environment[variable], path.hasPrefix("/"), path != "/", isAbout(path, error),
            let owner = Self.owner(of: path), owner != geteuid(),
            owner != 0 || Self.ofRoot.contains(path) || access(path, X_OK) != 0
        else { return nil }
        let people = GroupMembers.system(SystemFiles())
        func name(_ user: UInt32) -> String { people?.name(of: user) ?? "\(user)" }
        let values = ["variable": variable, "owner": name(owner), "user": name(geteuid())]
        guard variable == "HOME" else {
            let command = (["env", "-u", variable, "latchkey"] + invocation.words).map(\.quotedForShell)
            return ToolText("hint.foreignRuntime", values.merging(["command": command.joined(separator: " ")]) { $1 })
        }
        return ToolText("hint.foreignHome", values)
    }

    /// Whether the error is about what is at `path`, or below or above it.
    private func isAbout(_ path: String, _ error: AuthError) -> Bool {
        error.message.hasPrefix("\(path) ") || error.message.hasPrefix("\(path)/")
            || error.insecurePlace.map { path.hasPrefix("\($0.path)/") } == true
    }

    /// What root has of its own, so that a user who got it from root is told. So is what root has closed.
    private static let ofRoot: Set<String> = ["/root", "/var/root", "/run/user/0"]

    private static func owner(of path: String) -> UInt32? {
        var found = stat()
        return stat(path, &found) == 0 ? found.st_uid : nil
    }

    /// Whether a file is where the directory at `path`, or one above it, should be.
    private static func isFileInstead(of path: String) -> Bool {
        var (found, path) = (stat(), path)
        while stat(path, &found) != 0 {
            guard errno == ENOTDIR || errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex
            else { return false }
            path = String(path[..<slash])
        }
        return found.st_mode & S_IFMT != S_IFDIR
    }

    private func hint(_ place: InsecurePlace) -> ToolText {
        let asked = places.filter { isRefused($0.path, for: place) }
        guard !asked.isEmpty else { return ToolText("hint.otherPlace") }
        if place.isOwn, asked.contains(where: { place.path == $0.path || place.path.hasPrefix($0.path + "/") }) {
            return ToolText("hint.closeOwn", ["command": OwnFileRemedy.closing(place.path, .directory)])
        }
        let variables = asked.map(\.variable).joined(separator: ", ")
        if case .owner = place.fault { return ToolText("hint.movePlace", ["variables": variables]) }
        return ToolText("hint.acceptPlace", ["variables": variables, "command": accepting(place.path, asked)])
    }

    /// The tool's own folders, with the variables that move them.
    private var places: [(variable: String, path: String)] {
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? "\($0)/latchkey" : nil }
        return [
            ("XDG_CONFIG_HOME", try? invocation.profiles().directory),
            ("XDG_DATA_HOME", try? DataFolder(environment).path), ("XDG_RUNTIME_DIR", runtime),
        ].compactMap { variable, path in path.map { (variable, $0) } }
    }

    private func isRefused(_ path: String, for place: InsecurePlace) -> Bool {
        do {
            _ = try TrustedDirectory.open(path, .sound, in: invocation.world.files)
            return place.path.hasPrefix(path + "/")
        } catch let error as AuthError {
            return error.insecurePlace?.path == place.path
        } catch {
            return false
        }
    }

    /// The command line that accepts a place by name. What is read before the profile is takes the environment.
    private func accepting(_ path: String, _ asked: [(variable: String, path: String)]) -> String {
        // What the environment names counts before the options of a login or a profile.
        let isNamed = environment[AcceptedDirectory.variable]?.isEmpty == false
        if asked.map(\.variable) == ["XDG_DATA_HOME"], !isNamed {
            if invocation.arguments.command.name == Command.login.name {
                return invocation.again(.acceptDirectory, path)
            }
            if let name = invocation.profileOfHints ?? ((try? invocation.profileName()) ?? nil) {
                return "latchkey profiles edit \(name) --\(Option.acceptDirectory.name) \(path.quotedForShell)"
            }
        }
        return "export \(AcceptedDirectory.variable)=\(path.quotedForShell)"
    }
}
