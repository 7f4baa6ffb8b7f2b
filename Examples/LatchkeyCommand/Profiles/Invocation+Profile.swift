import Latchkey

extension Invocation {
    /// Where the profiles are.
    func profiles() throws -> ProfileStore { try ProfileStore(environment: environment, world: world) }

    /// The profile's name that the command line, the environment or the last login says, in this order.
    func profileName() throws -> String? {
        if let name = arguments[.profile] { return name }
        guard let name = environment["LATCHKEY_PROFILE"], !name.isEmpty else { return try profiles().defaultName() }
        guard ProfileName.isValid(name) else {
            throw ToolError(.configuration(.invalid), "error.profileName")
        }
        return name
    }

    /// The profile in use.
    ///
    /// - Throws: `signInRequired(signedOut)` when nothing names one, `configuration(invalid)` when there is none of
    ///   the name.
    func profile() throws -> Profile {
        guard let name = try profileName() else {
            throw ToolError(.signInRequired(.signedOut), "error.nobodyYet", hint: Hints.firstLogin)
        }
        return try profile(name)
    }

    /// The profile called `name`.
    func profile(_ name: String) throws -> Profile {
        guard let profile = try profiles().profile(name) else {
            throw ToolError(.configuration(.invalid), "error.noProfile", ["profile": name])
        }
        return profile
    }
}
