import FoundationEssentials
import Latchkey
import LatchkeyJSON

extension Command {
    static let token = Command(
        name: "token", summary: "Prints a good access token, refreshed where needed",
        details: [
            "The only command that prints one. For a program, prefer \"latchkey exec\", which keeps it out of"
                + " scripts and their logs."
        ],
        output: [
            ("account", "The account's id"),
            ("audience", "What the token is for; empty: the service's default"),
            ("expiresAt", "When it ends, RFC 3339, UTC; absent where the service does not say"),
            ("expiresInSeconds", "How long it still lasts, whole seconds; absent where the service does not say"),
            ("scopes", "What was granted; absent where the service does not say"),
            ("token", "The token"),
            ("tokenType", "How it is sent: Bearer or DPoP"),
        ],
        options: [.minimumValidity, .audience, .account, .profile, .json],
        run: { invocation in
            let workplace = try await Workplace.open(invocation, invocation.profile())
            let (token, account) = try await workplace.token()
            guard invocation.arguments.has(.json) else {
                try invocation.console.say(token.value.revealText())
                return .success
            }
            try invocation.show(json(token, account, invocation), [])
            return .success
        })

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
