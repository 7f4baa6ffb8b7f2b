import Latchkey

extension Invocation {
    /// Where the profiles are.
    func profiles() throws(AuthError) -> ProfileStore { try ProfileStore(environment: environment, world: world) }

    /// The profile's name that the command line, the environment or the last login says, in this order.
    func profileName() throws(AuthError) -> String? {
        if let name = arguments[.profile] { return name }
        guard let name = environment["LATCHKEY_PROFILE"], !name.isEmpty else { return try profiles().defaultName() }
        guard ProfileName.isValid(name) else {
            throw AuthError(.configuration(.invalid), "LATCHKEY_PROFILE is not the name of a profile.")
        }
        return name
    }

    /// The profile in use.
    ///
    /// - Throws: `signInRequired(signedOut)` when nothing names one, `configuration(invalid)` when there is none of
    ///   the name.
    func profile() throws -> Profile {
        guard let name = try profileName() else {
            // Programs read English.
            let texts = arguments.has(.json) ? .english : texts
            var report = ErrorReport(AuthError(.signInRequired(.signedOut), "Nobody has signed in yet."), texts)
            report.hint = Hints.firstLogin(texts)
            throw report
        }
        return try profile(name)
    }

    /// The profile called `name`.
    func profile(_ name: String) throws(AuthError) -> Profile {
        guard let profile = try profiles().profile(name) else {
            throw AuthError(.configuration(.invalid), "There is no profile \(name).")
        }
        return profile
    }
}
