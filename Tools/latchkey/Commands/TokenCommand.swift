import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuth

extension Option {
    static let idToken = flag("id", "Prints the ID token instead, which says who signed in")
}

extension Command {
    static let token = Command(
        name: "token", summary: "Prints a valid access token, and refreshes it first if necessary",
        details: [
            "Beside \"latchkey supabase provider-token\", no other command prints a token. For a program, prefer \"latchkey exec\","
                + " which keeps it out of scripts and their logs.",
            "With --id it prints the ID token of an OpenID Connect service, for a program that checks it. Whoever has it"
                + " can show that the person signed in to this client. One that has ended is replaced by a refresh, if"
                + " the service gives one with it.",
            "If the token lasts for less than --min-validity even after a refresh, standard error says so; with --strict"
                + " that is an error, and no token is printed.",
        ],
        examples: [
            "curl -H \"Authorization: Bearer $(latchkey token)\" https://api.example.com/me",
            Example("latchkey token --min-validity 10m --strict", "manual.example.token"),
        ],
        output: [
            ("account", "The account's id"),
            ("audience", "What the token is for; empty: the service's default"),
            ("expiresAt", "When it ends, RFC 3339, UTC; absent where the service does not say"),
            ("expiresInSeconds", "How long it still lasts, whole seconds; absent where the service does not say"),
            ("scopes", "What was granted; absent where the service does not say"),
            ("token", "The token"),
            ("tokenType", "How it is sent: Bearer or DPoP; id_token with --id"),
        ],
        options: [.idToken, .minimumValidity, .strict, .audience, .account, .verbose, .profile, .json],
        run: { invocation in
            if invocation.arguments.has(.idToken) { return try await printIDToken(invocation) }
            let (token, account) = try await invocation.token(of: invocation.profile())
            guard invocation.arguments.has(.json) else {
                try invocation.console.say(token.value.handedOver().revealText())
                return .success
            }
            try invocation.show(json(token, account, invocation), [])
            return .success
        })

    private static func printIDToken(_ invocation: Invocation) async throws -> ExitStatus {
        guard !invocation.arguments.has(.audience) else {
            throw UsageError(
                "usage.onlyOne", ["first": "--id", "second": "--audience"], command: invocation.arguments.command)
        }
        let profile = try invocation.profile()
        let (token, account) = try await idToken(of: profile, invocation)
        guard invocation.arguments.has(.json) else {
            try invocation.console.say(token.value.handedOver().revealText())
            return .success
        }
        let rest = max(0, token.endsAt.timeIntervalSince(invocation.world.clock.wall()))
        var members: [String: JSON] = [
            "token": .string(token.value.revealText()), "tokenType": "id_token", "audience": .string(profile.clientID),
            "expiresAt": .string(AccountReport.text(token.endsAt)), "expiresInSeconds": .integer(Int64(rest)),
        ]
        members["account"] = account.map { .string($0.value) }
        try invocation.show(.object(members), [])
        return .success
    }

    /// Returns an ID token of the account that the options name, and the account.
    ///
    /// - Parameter refused: One that is not to be returned again.
    static func idToken(
        of profile: Profile, _ invocation: Invocation, replacing refused: Secret? = nil
    ) async throws -> (token: OpenIDToken, account: AccountID?) {
        guard profile.service == .oauth else {
            try profile.checkKnown()
            throw ToolError(.configuration(.unsupported), "error.noIDToken", ["profile": profile.name])
        }
        let workplace = try await Workplace.open(invocation, profile)
        let accounts = try await workplace.accounts()
        let account = try await workplace.account(among: accounts)?.id ?? accounts.first { $0.isCurrent }?.id
        let validity = invocation.arguments.duration(.minimumValidity) ?? .zero
        let token = try await workplace.waiting("progress.refreshing") { client throws(AuthError) in
            try await client.oauth(account: account).idToken(minimumValidity: validity, replacing: refused)
        }
        return (token, account)
    }

    private static func json(_ token: AccessToken, _ account: AccountID?, _ invocation: Invocation) -> JSON {
        var members = TokenReport(token, invocation.world).json
        members["audience"] = .string(invocation.arguments[.audience] ?? "")
        members["token"] = .string(token.value.revealText())
        members["tokenType"] = .string(token.scheme)
        members["account"] = account.map { .string($0.value) }
        return .object(members)
    }
}
