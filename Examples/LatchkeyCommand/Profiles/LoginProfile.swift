import Latchkey

/// Makes the profile for a login, from the options and the existing profile.
enum LoginProfile {
    /// Returns the profile, from the options and the existing profile of that name.
    static func make(_ invocation: Invocation) throws -> Profile {
        let arguments = invocation.arguments
        let name = try name(invocation)
        for option in [Option.issuer, .supabase, .proxy] { try checkAddress(arguments, option) }
        let known = try invocation.profiles().profile(name)
        try known?.checkKnown()
        if arguments.has(.supabase) || (known?.service == .supabase && !arguments.has(.issuer)) {
            return try supabase(name, known, invocation)
        }
        if arguments.has(.clerk) || (known?.service == .clerk && !arguments.has(.issuer)) {
            return try clerk(name, known, invocation)
        }
        try refuseDirect(arguments)
        return try oauth(name, known?.service == .oauth ? known : nil, invocation)
    }

    private static func oauth(_ name: String, _ known: Profile?, _ invocation: Invocation) throws -> Profile {
        let arguments = invocation.arguments
        guard let issuer = arguments[.issuer] ?? known?.issuer, let client = arguments[.clientID] ?? known?.clientID
        else {
            throw UsageError(
                known == nil && arguments[.issuer] == nil && arguments[.clientID] == nil
                    ? "usage.newProfile" : "usage.oneMissing",
                ["name": name], hint: Hints.firstLogin)
        }
        let isSame = known?.issuer == issuer && known?.clientID == client
        var profile = (isSame ? known : nil) ?? Profile(name: name, issuer: issuer, clientID: client)
        let asked = profile.scopes
        try ProfileEdit.apply(invocation, to: &profile)
        if arguments.has(.scope) {
            profile.scopes = asked + ProfileEdit.scopes(arguments).filter { !asked.contains($0) }
        }
        if arguments.has(.device) { profile.method = .device }
        if [Option.noBrowser, .port, .redirectURI].contains(where: arguments.has) { profile.method = .browser }
        if arguments.has(.service) { profile.method = .service }
        guard profile.method != .service || profile.clientSecret != .none else {
            throw UsageError("usage.serviceSecret", hint: ToolText("hint.secretOption"))
        }
        return profile
    }

    /// Refuses the address of a service that no token may be sent to.
    private static func checkAddress(_ arguments: Arguments, _ option: Option) throws {
        guard let text = arguments[option] else { return }
        guard let address = WebAddress(text), !address.host.isEmpty else {
            throw UsageError("usage.addressMalformed", ["option": "--\(option.name)"], command: .login)
        }
        if address.isSecure { return }
        guard address.scheme == "http" else {
            throw UsageError(
                "usage.scheme", ["option": "--\(option.name)", "scheme": address.scheme], command: .login)
        }
        throw UsageError(
            "usage.plainHTTP", ["option": "--\(option.name)", "origin": address.origin],
            hint: ToolText("hint.https", ["origin": "https" + address.origin.dropFirst("http".count)]))
    }

    /// Refuses to change a profile's service while somebody is signed in under its name.
    static func checkUnused(_ profile: Profile, _ invocation: Invocation) async throws {
        guard let known = try invocation.profiles().profile(profile.name),
            known.service != profile.service || known.issuer != profile.issuer
                || (known.service == .oauth && known.clientID != profile.clientID)
        else { return }
        guard try await Workplace(invocation, known).accounts().isEmpty else {
            throw ToolError(
                .configuration(.changed), "error.signedInWith", ["profile": profile.name],
                parts: ["target": known.target])
        }
    }

    // A login with a service but without a profile's name uses the one profile that most people have, and never
    // another one that happened to be used last.
    private static func name(_ invocation: Invocation) throws -> String {
        let arguments = invocation.arguments
        let isNew =
            (arguments.has(.issuer) || arguments.has(.supabase) || arguments.has(.clerk)) && arguments[.profile] == nil
        if isNew, invocation.environment["LATCHKEY_PROFILE", default: ""].isEmpty { return "default" }
        return try invocation.profileName() ?? "default"
    }
}
