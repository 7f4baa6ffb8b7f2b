import Latchkey

/// Makes the profile for a login, from the options and the existing profile.
enum LoginProfile {
    /// Returns the profile, from the options and the existing profile of that name.
    static func make(_ invocation: Invocation) throws -> Profile {
        let arguments = invocation.arguments
        let name = try name(invocation)
        let known = try invocation.profiles().profile(name)
        try known?.checkKnown()
        if arguments.has(.supabase) || (known?.service == .supabase && !arguments.has(.issuer)) {
            return try supabase(name, known, arguments)
        }
        if arguments.has(.clerk) || (known?.service == .clerk && !arguments.has(.issuer)) {
            return try clerk(name, known, arguments)
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
        profile.clientSecret = try clientSecret(invocation) ?? profile.clientSecret
        if arguments.has(.scope) {
            profile.scopes = arguments.all(.scope).flatMap { $0.split(separator: " ") }.map(String.init)
        }
        if arguments.has(.loginAudience) { profile.audiences = arguments.all(.loginAudience) }
        if arguments.has(.allowOrigin) { profile.allowedOrigins = try origins(arguments.all(.allowOrigin)) }
        if arguments.has(.clientSecretInBody) { profile.sendsSecretInBody = true }
        if let port = arguments.port(.port) { profile.redirectPort = port }
        if arguments.has(.device) { profile.method = .device }
        if arguments.has(.noBrowser) || arguments.has(.port) { profile.method = .browser }
        return profile
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

    private static func clientSecret(_ invocation: Invocation) throws -> Profile.ClientSecret? {
        let arguments = invocation.arguments
        if arguments.has(.askClientSecret) {
            guard arguments[.clientSecretFile] == nil else {
                throw UsageError(
                    "usage.onlyOne", ["first": "--client-secret-file", "second": "--ask-client-secret"],
                    command: .login)
            }
            return .prompt
        }
        if let path = arguments[.clientSecretFile] { return .file(try absolute(path)) }
        return invocation.environment[ClientSecrets.variable, default: ""].isEmpty ? nil : .environment
    }

    /// Returns the origins from the values of `--allow-origin`.
    static func origins(_ texts: [String]) throws -> [String] {
        try texts.map { text in
            guard let address = WebAddress(text), address.isSecure, address.path.isEmpty || address.path == "/" else {
                throw UsageError(
                    "usage.origin", command: .login)
            }
            return address.origin
        }
    }

    private static func absolute(_ path: String) throws -> String {
        if path.hasPrefix("/") { return path }
        guard let directory = WorkingDirectory.path else {
            throw UsageError("usage.absolute", ["option": "--client-secret-file"], command: .login)
        }
        return "\(directory)/\(path)"
    }
}
