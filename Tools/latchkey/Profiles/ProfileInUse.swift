import LatchkeySystem

/// The profile whose sessions a command works with, for the commands that its hints name. It may be another one than the
/// command line says: `answer` finds the profile of a challenge, and `login` with an issuer makes one.
final class ProfileInUse: Sendable {
    private let noted = Locked<String?>(nil)

    /// The name; `nil` before the command has opened a profile.
    var name: String? { noted.withLock { $0 } }

    /// Notes that the command works with the profile `name` from now on.
    func note(_ name: String) { noted.withLock { $0 = name } }
}

extension Invocation {
    /// Returns the profile that a hint has to name: the one of the command line, or else the one that the command works
    /// with if a command without a name would take another one.
    var profileOfHints: String? {
        if let name = arguments[.profile] { return name }
        // Before the first sign-in, a command without a name means the profile `default`.
        guard let name = profileInUse.name, ((try? profileName()) ?? "default") != name else { return nil }
        return name
    }
}
