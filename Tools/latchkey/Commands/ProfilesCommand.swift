import Latchkey
import LatchkeyJSON

extension Option {
    static let remove = value("remove", "NAME", .profile, "The same as \"remove NAME\"")
    static let force = flag(
        "force", "remove: signs everybody out first, and removes what is left even if the service cannot be told")
    static let clear = value(
        "clear", "WHAT", .words(ProfileEdit.clearable), "edit: forgets what the profile has of this", repeats: true)
}

extension Command {
    static let profiles = Command(
        name: "profiles", summary: "Lists, shows, changes and removes profiles",
        details: [
            "A profile says with what one signs in: issuer and client, or project and key; scopes. \"latchkey login\" makes it.",
            "\"list\" shows all, \"show\" everything of one, \"use\" makes one the default. \"edit\" changes what the options say:"
                + " scopes and audiences count from the next sign-in, everything else at once. \"remove\" removes one with"
                + " which nobody is signed in; with --force it ends the sessions first and says what is lost.",
        ],
        examples: [
            "latchkey profiles", "latchkey profiles show work",
            "latchkey profiles edit work --allow-origin https://api.example.com",
            "latchkey profiles edit work --clear allow-origin --ca-file /etc/ssl/company.pem",
            "latchkey profiles edit --key sb_publishable_abc", "latchkey profiles remove work --force",
        ],
        output: [
            (
                "profiles",
                "A list of objects: profile, service, issuer, clientId, method, default, capabilities: what the service can do"
                    + " beside signing in; scopes, audiences, trustedAudiences, allowedOrigins; redirectUri, redirectPort,"
                    + " clientSecret (environment, file or prompt), caFile, acceptedDirectory, proxy, product, parameters, consent (always or never), revocationReach, reuseInterval (seconds), trustedIssuers, endpoints, hasIssuer (false)"
                    + " and defaultScopes (false: none are asked for; true: the usual ones too) where they are set"
            ),
            ("removed", "remove: the name"),
            ("signedOut", "remove --force: how many sessions were ended"),
            ("untold", "remove --force: how many of their ends the service will never be told of"),
        ],
        options: [
            .remove, .force, .names, .scope, .noScope, .loginAudience, .allowOrigin, .port, .redirectURI,
            .clientSecretFile,
            .clientSecretEnvironment,
            .askClientSecret, .clientSecretInBody, .clientSecretRaw, .caFile, .proxyServer, .product, .trustAudience,
            .trustIssuer,
            .consent, .revocationReach, .parameter, .reuseInterval, .acceptDirectory,
            .authorizationEndpoint, .tokenEndpoint, .deviceEndpoint, .revocationEndpoint, .userinfoEndpoint,
            .key, .clear, .profile, .json,
        ],
        operands: [
            Operand(
                placeholder: "ACTION", kind: .words(["list", "show", "use", "edit", "remove"]), count: .optional,
                help: "What to do; list if not given"),
            Operand(placeholder: "NAME", kind: .profile, count: .optional, help: "Which profile"),
        ],
        run: { invocation in
            if let name = invocation.arguments[.remove] { return try await remove(name, invocation) }
            switch invocation.arguments.operands.first ?? "list" {
            case "show": try ProfileReport(try named(invocation), invocation).show(invocation)
            case "use": try use(try named(invocation), invocation)
            case "edit": try edit(try edited(invocation), invocation)
            case "remove": return try await remove(try name(invocation), invocation)
            default: try list(invocation)
            }
            return .success
        })

    /// The profile to change: the one that is named, or else the one in use.
    private static func edited(_ invocation: Invocation) throws -> Profile {
        let isNamed = invocation.arguments.operands.count > 1
        guard !isNamed || !invocation.arguments.has(.profile) else {
            throw UsageError("usage.onlyOne", ["first": "NAME", "second": "--profile"], command: .profiles)
        }
        return isNamed ? try named(invocation) : try invocation.profile()
    }

    private static func named(_ invocation: Invocation) throws -> Profile { try invocation.profile(name(invocation)) }

    private static func name(_ invocation: Invocation) throws -> String {
        guard invocation.arguments.operands.count > 1 else {
            throw UsageError("usage.operandMissing", ["operand": "NAME"], command: .profiles)
        }
        return invocation.arguments.operands[1]
    }

    private static func remove(_ name: String, _ invocation: Invocation) async throws -> ExitStatus {
        let profile: Profile
        do { profile = try invocation.profile(name) } catch let error as ToolError {
            guard error.text.key == "error.profileUnreadable", invocation.arguments.has(.force) else { throw error }
            return try await ProfileRemoval.removeUnread(name, invocation)
        }
        return try await ProfileRemoval(invocation, profile).run()
    }

    private static func list(_ invocation: Invocation) throws {
        let store = try invocation.profiles()
        let names = try store.names()
        if invocation.arguments.has(.names) {
            for name in names { try invocation.console.say(name) }
            return
        }
        var (reports, unreadable): ([ProfileReport], ToolError?) = ([], nil)
        for name in names {
            do {
                if let profile = try store.profile(name) { reports.append(try ProfileReport(profile, invocation)) }
            } catch let error as ToolError { unreadable = unreadable ?? error }
        }
        try invocation.show(
            ["profiles": .array(reports.map { .object($0.json(invocation)) })],
            reports.isEmpty && unreadable == nil
                ? [invocation.texts("profiles.none", ["hint": invocation.texts(Hints.firstLogin)])]
                : Columns.lines(
                    reports.map {
                        ("\($0.isDefault ? "*" : " ") \($0.profile.name)", invocation.texts($0.profile.target))
                    }))
        // Told after the list, so that a damaged profile does not hide the others.
        if let unreadable { throw unreadable }
    }

    private static func use(_ profile: Profile, _ invocation: Invocation) throws {
        try invocation.profiles().setDefault(profile.name)
        try ProfileReport(profile: profile, isDefault: true).show(
            invocation, saying: invocation.texts("profiles.used", ["profile": profile.name]))
    }

    private static func edit(_ profile: Profile, _ invocation: Invocation) throws {
        guard !invocation.arguments.names(beside: [.json, .profile]).isEmpty else {
            throw UsageError("usage.nothingToEdit", command: .profiles)
        }
        var edited = profile
        ProfileEdit.clear(invocation.arguments, in: &edited)
        try ProfileEdit.apply(invocation, to: &edited)
        guard edited.method != .service || edited.clientSecret != .none else {
            throw UsageError("usage.serviceSecret", hint: ToolText("hint.secretOption"))
        }
        try invocation.profiles().save(edited)
        let asksAgain =
            edited.scopes != profile.scopes || edited.asksNoScope != profile.asksNoScope
            || edited.keepsDefaultScopes != profile.keepsDefaultScopes
            || edited.audiences != profile.audiences
            || edited.asksConsent != profile.asksConsent
        try ProfileReport(edited, invocation).show(
            invocation,
            saying: invocation.texts(
                asksAgain ? "profiles.changedLater" : "profiles.changed",
                ["profile": profile.name, "command": "latchkey login --profile \(profile.name)"]))
    }
}
