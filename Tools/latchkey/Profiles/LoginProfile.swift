import Latchkey

/// Makes the profile for a login, from the options and the existing profile.
enum LoginProfile {
    /// Returns the profile, from the options and the existing profile of that name.
    static func make(_ invocation: Invocation) throws -> Profile {
        let arguments = invocation.arguments
        let name = try name(invocation)
        for option in [Option.issuer, .supabase, .proxy] { try ServiceEndpoint.checkAddress(arguments, option) }
        try checkIssuer(arguments)
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
        let named = try endpointsOnly(arguments)
        guard let issuer = arguments[.issuer] ?? named ?? known?.issuer,
            let client = arguments[.clientID] ?? known?.clientID
        else {
            throw UsageError(
                known == nil && arguments[.issuer] == nil && arguments[.clientID] == nil
                    ? "usage.newProfile" : "usage.oneMissing",
                ["name": name], hint: Hints.firstLogin)
        }
        let hasIssuer = arguments.has(.issuer) || (named == nil && known?.hasIssuer ?? true)
        let isSame = known?.issuer == issuer && known?.clientID == client && known?.hasIssuer == hasIssuer
        var profile = (isSame ? known : nil) ?? Profile(name: name, issuer: issuer, clientID: client)
        profile.hasIssuer = hasIssuer
        let former = profile
        try ProfileEdit.apply(invocation, to: &profile)
        if arguments.has(.scope) {
            profile.scopes = former.scopes + ProfileEdit.scopes(arguments).filter { !former.scopes.contains($0) }
            // A profile that names none asks for the default ones, and goes on asking for them.
            let hasDefault = former.keepsDefaultScopes || former.scopes.isEmpty && !former.asksNoScope
            profile.keepsDefaultScopes = isSame && hasDefault
        }
        if arguments.has(.device) { profile.method = .device }
        if [Option.noBrowser, .port, .redirectURI].contains(where: arguments.has) { profile.method = .browser }
        if arguments.has(.service) { profile.method = .service }
        // A program that signs in itself has no usual scopes.
        if profile.method == .service { profile.keepsDefaultScopes = false }
        guard profile.method != .service || profile.clientSecret != .none else {
            throw UsageError("usage.serviceSecret", hint: ToolText("hint.secretOption"))
        }
        return profile
    }

    /// Refuses the address of a document, which people copy from the service's pages in place of the issuer.
    private static func checkIssuer(_ arguments: Arguments) throws {
        guard let text = arguments[.issuer], let place = text.firstRange(of: "/.well-known/") else { return }
        var issuer = text[..<place.lowerBound]
        let name = text[place.upperBound...]
        // RFC 8414 puts the issuer's path behind the document's name.
        if let end = name.firstIndex(of: "/") { issuer += name[end...] }
        throw UsageError("usage.discoveryAddress", hint: ToolText("hint.issuer", ["issuer": String(issuer)]))
    }

    /// Returns the origin of the token endpoint, which stands for the issuer if the command line names a client and its
    /// endpoints alone.
    private static func endpointsOnly(_ arguments: Arguments) throws -> String? {
        guard !arguments.has(.issuer), arguments.has(.clientID) else { return nil }
        try ServiceEndpoint.checkAddress(arguments, .tokenEndpoint)
        return arguments[.tokenEndpoint].flatMap { WebAddress($0)?.origin }
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
        let namesEndpoints = arguments.has(.tokenEndpoint) && arguments.has(.clientID)
        let isNew =
            (namesEndpoints || arguments.has(.issuer) || arguments.has(.supabase) || arguments.has(.clerk))
            && arguments[.profile] == nil
        if isNew, invocation.environment["LATCHKEY_PROFILE", default: ""].isEmpty { return "default" }
        return try invocation.profileName() ?? "default"
    }
}
