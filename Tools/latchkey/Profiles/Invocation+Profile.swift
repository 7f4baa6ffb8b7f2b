import Latchkey

extension Invocation {
    /// Returns the store of the profiles.
    func profiles() throws -> ProfileStore { try ProfileStore(environment: environment, world: world) }

    /// Returns the profile's name from the command line, the environment or the last login, in this order.
    func profileName() throws -> String? {
        if let name = arguments[.profile] { return name }
        guard let name = environment["LATCHKEY_PROFILE"], !name.isEmpty else { return try profiles().defaultName() }
        guard ProfileName.isValid(name) else {
            throw ToolError(.configuration(.invalid), "error.profileName")
        }
        return name
    }

    /// Returns the line to type for `words` with a profile: it names the profile unless the tool would take it anyway.
    func line(_ words: String, for profile: String) -> String {
        let usual = environment["LATCHKEY_PROFILE"].flatMap { $0.isEmpty ? nil : $0 }
        let taken = usual ?? (try? profiles().defaultName()) ?? nil
        return "latchkey \(words)\(taken == profile ? "" : " --profile \(profile)")"
    }

    /// Returns the line to type for `words` with the profile of this command.
    func shownLine(_ words: String) -> String {
        "latchkey \(words)" + (profileOfHints.map { " --profile \($0)" } ?? "")
    }

    /// Returns the profile in use.
    ///
    /// - Throws: `signInRequired(signedOut)` if no name is known, `configuration(invalid)` if there is no profile
    ///   of the name.
    func profile() throws -> Profile {
        guard let name = try profileName() else {
            throw ToolError(.signInRequired(.signedOut), "error.nobodyYet", hint: Hints.firstLogin)
        }
        return try profile(name)
    }

    /// Returns the profile called `name`.
    func profile(_ name: String) throws -> Profile {
        guard let profile = try profiles().profile(name) else {
            throw ToolError(.configuration(.invalid), "error.noProfile", ["profile": name])
        }
        return profile
    }
}
