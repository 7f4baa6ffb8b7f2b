import Latchkey
import LatchkeyOAuth

extension Option {
    static let prompt = value(
        "prompt", "WHAT", .words(["login", "consent", "select_account", "none"]),
        "What the service asks for in the browser: login asks for the password again, select_account for the account",
        repeats: true)
    static let acr = value(
        "acr", "NAME", .text,
        "The strength of the proof (acr) that the service must ask for, in its own words; a weaker one is refused",
        repeats: true)
    static let maxAge = value(
        "max-age", "DURATION", .duration,
        "How long ago the person may have proved who they are; else the service asks again")
    static let locale = value(
        "locale", "TAG", .text, "The language of the service's pages, such as fr-CA, the preferred one first",
        repeats: true)
    static let hint = value(
        "hint", "NAME", .text,
        "What the service shows as the name to sign in with; unlike --account, anybody may sign in")
}

extension Option {
    static let parameter = value(
        "param", "NAME=VALUE", .text,
        "Adds this to requests for authorization, a device code and tokens, for what one service alone knows, such as audience=URI",
        repeats: true)
}

/// Who is to sign in, and how the service asks.
enum LoginPerson {
    /// What only a browser's request can say.
    static let ofBrowser: [Option] = [.prompt, .acr, .maxAge, .locale, .hint]

    /// Refuses what the way of signing in does not know.
    static func check(_ profile: Profile, _ arguments: Arguments) throws {
        guard let option = ofBrowser.first(where: { arguments.has($0) }) else { return }
        guard profile.service == .oauth, profile.method == .browser, !arguments.has(.withToken) else {
            throw UsageError("usage.browserOnly", ["option": "--\(option.name)"], command: .login)
        }
        let prompts = arguments.all(.prompt)
        guard prompts.count < 2 || !prompts.contains("none") else {
            throw UsageError(
                "usage.onlyOne",
                ["first": "--prompt none", "second": "--prompt \(prompts.first { $0 != "none" } ?? "none")"],
                command: .login)
        }
    }

    /// Adds to the options of a sign-in what the command line says.
    static func fill(_ options: inout SignInOptions, _ workplace: Workplace) async throws {
        let arguments = workplace.invocation.arguments
        options.loginHint = arguments[.hint] ?? arguments[.loginHint]
        let prompts = arguments.all(.prompt)
        options.prompt = prompts.isEmpty ? nil : prompts.joined(separator: " ")
        options.acr = arguments.all(.acr)
        options.maxAge = arguments.duration(.maxAge)
        options.locales = arguments.all(.locale)
        guard workplace.profile.service == .oauth, let name = arguments[.loginHint] else { return }
        options.expectedPerson = name
        // An account that is signed in here may be meant by its ID, which the service does not know.
        guard let known = try await workplace.accounts().first(where: { $0.id.value == name }), let label = known.label
        else { return }
        options.expectedPerson = label
        if arguments[.hint] == nil { options.loginHint = label }
    }

    /// What the person can do about a service that gave no refresh token.
    static func adviceOnRefreshing(_ workplace: Workplace) -> String {
        let (profile, invocation) = (workplace.profile, workplace.invocation)
        func line(_ options: String) -> [String: String] {
            ["command": invocation.line("login \(options)", for: profile.name)]
        }
        if profile.hasIssuer, OAuthProvider.refreshesAfterConsent(at: profile.issuer) {
            return invocation.shown("login.notRefreshable.consent", line("--prompt consent"))
        }
        let ownScopes = profile.asksNoScope || (!profile.scopes.isEmpty && !profile.keepsDefaultScopes)
        if ownScopes, !profile.scopes.contains("offline_access") {
            return invocation.shown("login.notRefreshable.scope", line("--scope offline_access"))
        }
        return invocation.shown("login.notRefreshable.other")
    }

    /// Says so if the service does not show whether the person of `--account` has signed in.
    static func note(_ account: Account, _ invocation: Invocation) {
        guard let wanted = invocation.arguments[.loginHint]?.lowercased() else { return }
        let subject = account.id.value.split(separator: " ").last.map { String($0).lowercased() }
        let label = account.label?.lowercased()
        let names = [account.id.value.lowercased(), subject, label, label.map { String($0.prefix { $0 != "@" }) }]
        guard !names.contains(wanted) else { return }
        let words = invocation.shown("login.otherName", ["name": invocation.arguments[.loginHint] ?? ""])
        invocation.console.note("latchkey: \(Console.printable(words))")
    }
}
