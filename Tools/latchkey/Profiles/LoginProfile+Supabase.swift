import Latchkey
import LatchkeyClerk

extension LoginProfile {
    private static let ofOAuth: [Option] = [
        .issuer, .clientID, .clientSecretFile, .clientSecretEnvironment, .askClientSecret,
        .clientSecretInBody, .clientSecretRaw, .device, .loginAudience, .service, .noScope, .revocationReach,
        .authorizationEndpoint, .tokenEndpoint, .deviceEndpoint, .revocationEndpoint, .userinfoEndpoint,
    ]
    private static let ofDirect: [Option] = [
        .supabase, .key, .clerk, .proxy, .password, .passwordFromInput, .code, .link, .connection, .signUp, .forgot,
        .guest, .codeFromInput, .trustIssuer,
    ]

    /// Refuses options that only Supabase and Clerk have.
    static func refuseDirect(_ arguments: Arguments) throws {
        guard let option = ofDirect.first(where: { arguments.has($0) }) else { return }
        throw UsageError("usage.forSupabase", ["option": "--\(option.name)"], command: .login)
    }

    /// Returns the profile for a Supabase project, from the options and what `known` has.
    static func supabase(_ name: String, _ known: Profile?, _ invocation: Invocation) throws -> Profile {
        let arguments = invocation.arguments
        try refuse(ofOAuth + [.clerk, .proxy], arguments, key: "usage.notForSupabase")
        let known = known?.service == .supabase ? known : nil
        let url = arguments[.supabase].map(project)
        guard let issuer = url ?? known?.issuer,
            let key = arguments[.key] ?? (url == nil ? known : same(known, url))?.clientID
        else {
            throw UsageError("usage.projectKey", hint: .run("latchkey login --supabase URL --key KEY"))
        }
        var profile = same(known, issuer) ?? Profile(name: name, issuer: issuer, clientID: key)
        profile.service = .supabase
        profile.clientID = key
        if known == nil || known?.issuer != issuer { profile.method = .password }
        try ProfileEdit.apply(invocation, to: &profile)
        try choose(&profile, arguments)
        return profile
    }

    /// Returns the profile for a Clerk instance, from the options and what `known` has.
    static func clerk(_ name: String, _ known: Profile?, _ invocation: Invocation) throws -> Profile {
        let arguments = invocation.arguments
        try refuse(
            ofOAuth + [.supabase, .key, .guest, .scope, .trustIssuer], arguments, key: "usage.notForClerk")
        let known = known?.service == .clerk ? known : nil
        guard let key = arguments[.clerk] ?? known?.clientID else {
            throw UsageError("usage.instanceKey", hint: .run("latchkey login --clerk KEY"))
        }
        // Checked here, before the person is asked anything.
        let address = try ClerkProvider.frontendAPI(publishableKey: key)
        let issuer = arguments[.proxy] ?? (known?.clientID == key ? known?.issuer : nil) ?? address
        var profile = same(known, issuer) ?? Profile(name: name, issuer: issuer, clientID: key)
        (profile.service, profile.clientID) = (.clerk, key)
        if known == nil { profile.method = .password }
        try ProfileEdit.apply(invocation, to: &profile)
        try choose(&profile, arguments)
        return profile
    }

    private static func refuse(_ options: [Option], _ arguments: Arguments, key: String) throws {
        guard let option = options.first(where: { arguments.has($0) }) else { return }
        throw UsageError(key, ["option": "--\(option.name)"], command: .login)
    }

    private static func same(_ known: Profile?, _ issuer: String?) -> Profile? {
        known?.issuer == issuer ? known : nil
    }

    /// Sets the way to sign in; only one may be given.
    private static func choose(_ profile: inout Profile, _ arguments: Arguments) throws {
        let ways: [(option: Option, method: Profile.Method)] = [
            (.password, .password), (.code, .code), (.link, .link), (.connection, .browser), (.forgot, .password),
        ]
        let chosen = ways.filter { arguments.has($0.option) }
        guard chosen.count < 2 else {
            throw UsageError(
                "usage.onlyOne",
                ["first": "--\(chosen[0].option.name)", "second": "--\(chosen[1].option.name)"], command: .login)
        }
        if arguments.has(.passwordFromInput) {
            guard chosen.first.map({ $0.method == .password }) ?? true else {
                throw UsageError(
                    "usage.goesWith", ["option": "--password-from-stdin", "others": "--password"], command: .login)
            }
            profile.method = .password
        }
        if let method = chosen.first?.method { profile.method = method }
        if let name = arguments[.connection] { profile.connection = name }
        try checkGuest(arguments)
        guard !arguments.has(.forgot) || !arguments.has(.signUp) else {
            throw UsageError("usage.onlyOne", ["first": "--forgot", "second": "--sign-up"], command: .login)
        }
        guard profile.method != .browser || profile.service == .clerk || !arguments.has(.signUp) else {
            throw UsageError(
                "usage.goesWith", ["option": "--sign-up", "others": "--password, --code, --link"], command: .login)
        }
    }

    /// Refuses what a guest has not got. The profile's way to sign in stays for the day when there is an address.
    private static func checkGuest(_ arguments: Arguments) throws {
        let ofPeople: [Option] = [
            .password, .passwordFromInput, .code, .codeFromInput, .link, .connection, .forgot, .signUp, .loginHint,
        ]
        guard arguments.has(.guest), let option = ofPeople.first(where: { arguments.has($0) }) else { return }
        throw UsageError(
            "usage.onlyOne", ["first": "--\(Option.guest.name)", "second": "--\(option.name)"], command: .login)
    }

    /// Returns the project's URL from an address that people copy: with a slash at the end, or with its service's
    /// path.
    private static func project(_ address: String) -> String {
        var address = address[...]
        while address.hasSuffix("/") { address.removeLast() }
        if address.hasSuffix("/auth/v1") { address.removeLast("/auth/v1".count) }
        return String(address)
    }
}
