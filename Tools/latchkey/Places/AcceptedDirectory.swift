import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Option {
    static let acceptDirectory = value(
        "accept-directory", "DIR", .file,
        "Keeps the session in this directory, which others can get at, because its modes cannot be closed")
}

/// The one directory that the person takes as it is, although its modes let others in: a container's volume, or a drive of
/// Windows in WSL. The command line says it, else the environment, else the profile.
enum AcceptedDirectory {
    /// The variable for places that are read before a profile is, such as that of the profiles.
    static let variable = "LATCHKEY_ACCEPT_DIRECTORY"

    /// Makes the invocation's disk accept the directory, and no other.
    static func apply(to invocation: inout Invocation) {
        guard invocation.world.files is SystemFiles else { return }
        let environment = invocation.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
        if let path = invocation.arguments[.acceptDirectory].flatMap(real) ?? environment {
            return accept(path, in: &invocation)
        }
        if let path = profile(of: invocation)?.acceptedDirectory { accept(path, in: &invocation) }
    }

    private static func accept(_ path: String, in invocation: inout Invocation) {
        invocation.acceptedDirectory = path
        invocation.world.files = SystemFiles(unsafelyAccepting: path)
    }

    private static func profile(of invocation: Invocation) -> Profile? {
        let arguments = invocation.arguments
        guard arguments.command.options.contains(.profile) else { return nil }
        let named = arguments.command.name == Command.profiles.name ? arguments.operands.dropFirst().first : nil
        guard let name = named ?? ((try? invocation.profileName()) ?? nil) else { return nil }
        return (try? invocation.profiles().profile(name)) ?? nil
    }

    /// Returns the path without links, as the profile remembers it: a link that changes later must not move what is
    /// accepted. `nil` for the root, which would be every directory, and for what is not there.
    static func real(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        guard let text = String(validatingCString: found), text != "/" else { return nil }
        return text
    }
}
