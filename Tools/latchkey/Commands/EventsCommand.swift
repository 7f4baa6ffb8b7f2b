import Latchkey
import LatchkeyJSON

extension Option {
    static let follow = flag("follow", "Goes on until Ctrl-C, one line for each event")
}

extension Command {
    static let events = Command(
        name: "events", summary: "Shows what happens to a profile's accounts, in this process or in others",
        details: [
            "Begins with the state of each account. With --follow it then shows every event as it happens: somebody"
                + " signs in or out, a token is refreshed, another account becomes the current one. Asks no service and"
                + " refreshes nothing. With --json each event is an object on a line of its own."
        ],
        output: [
            ("account", "The account's id, where the event is about one"),
            ("at", "When it was seen, RFC 3339, UTC"),
            (
                "event",
                "state, signedIn, refreshed, expiring, authenticationRequired, signedOut, currentChanged,"
                    + " locked, unlocked or gap"
            ),
            ("label", "The account's name, as \"latchkey status\" shows it; absent where it has none"),
            ("audience", "What the new token is for; absent for the default"),
            ("by", "Who signed out: app, elsewhere, service"),
            ("reason", "Why somebody must sign in again"),
            ("state", "As \"latchkey status\" shows it"),
        ],
        options: [.follow, .profile, .json],
        run: { invocation in
            let follows = invocation.arguments.has(.follow)
            let workplace = try Workplace(invocation, invocation.profile(), following: follows)
            let clock = invocation.world.clock
            _ = try await workplace.accounts()
            // Subscribed before the states are read, so that nothing is missed in between.
            let events = workplace.client.events
            // Keeps the name of an account that has signed out, for the event that reports it.
            var names: [AccountID: String] = [:]
            func show(_ event: AuthEvent) async throws {
                for account in try await workplace.client.accounts() {
                    if let label = account.label { names[account.id] = label }
                }
                let report = EventReport(event, at: clock.wall(), names: names, invocation.texts)
                try invocation.show(.object(report.json), [report.line])
            }
            for account in try await workplace.client.accounts() {
                try await show(.stateChanged(account.id, account.state))
            }
            guard follows else { return .success }
            for await event in events { try await show(event) }
            // Only Ctrl-C ends the stream.
            throw CancellationError()
        })
}
