import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuth

extension Option {
    static let idToken = flag("id", "Prints the ID token instead, which says who signed in")
}

extension Command {
    static let token = Command(
        name: "token", summary: "Prints a good access token, refreshed where needed",
        details: [
            "The only command that prints one. For a program, prefer \"latchkey exec\", which keeps it out of"
                + " scripts and their logs.",
            "With --id it prints the ID token of an OpenID Connect service, for a program that checks it. Whoever has it"
                + " can show that the person signed in to this client. One that has ended is replaced by a refresh, if"
                + " the service gives one with it.",
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
        options: [.idToken, .minimumValidity, .audience, .account, .profile, .json],
        run: { invocation in
            if invocation.arguments.has(.idToken) { return try await printIDToken(invocation) }
            let workplace = try await Workplace.open(invocation, invocation.profile())
            let (token, account) = try await workplace.token()
            guard invocation.arguments.has(.json) else {
                try invocation.console.say(token.value.revealText())
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
        guard profile.service == .oauth else {
            try profile.checkKnown()
            throw ToolError(.configuration(.unsupported), "error.noIDToken", ["profile": profile.name])
        }
        let workplace = try await Workplace.open(invocation, profile)
        let accounts = try await workplace.accounts()
        let account = try await workplace.account(among: accounts)?.id ?? accounts.first { $0.isCurrent }?.id
        let validity = invocation.arguments.duration(.minimumValidity) ?? .zero
        let token = try await workplace.waiting("progress.refreshing") { client throws(AuthError) in
            try await client.oauth(account: account).idToken(minimumValidity: validity)
        }
        guard invocation.arguments.has(.json) else {
            try invocation.console.say(token.value.revealText())
            return .success
        }
        let rest = max(0, token.expiresAt.timeIntervalSince(invocation.world.clock.wall()))
        var members: [String: JSON] = [
            "token": .string(token.value.revealText()), "tokenType": "id_token", "audience": .string(profile.clientID),
            "expiresAt": .string(AccountReport.text(token.expiresAt)), "expiresInSeconds": .integer(Int64(rest)),
        ]
        members["account"] = account.map { .string($0.value) }
        try invocation.show(.object(members), [])
        return .success
    }

    private static func json(_ token: AccessToken, _ account: AccountID?, _ invocation: Invocation) -> JSON {
        var members: [String: JSON] = [
            "audience": .string(invocation.arguments[.audience] ?? ""), "token": .string(token.value.revealText()),
            "tokenType": .string(token.scheme),
        ]
        members["account"] = account.map { .string($0.value) }
        members["scopes"] = token.scopes.map { .array($0.map { .string($0) }) }
        if let lifetime = token.lifetime {
            let clock = invocation.world.clock
            let ends = lifetime.ends(boot: clock.boot, now: clock.now(), serverNow: clock.wall())
            let rest = max(.zero, ends - clock.now())
            members["expiresInSeconds"] = .integer(rest.components.seconds)
            members["expiresAt"] = .string(AccountReport.text(clock.wall().addingTimeInterval(rest.inSeconds)))
        }
        return .object(members)
    }
}
