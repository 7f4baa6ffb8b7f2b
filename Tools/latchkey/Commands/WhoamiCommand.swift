import Latchkey
import LatchkeyJSON

extension Option {
    static let askPerson = flag("refresh", "Asks the service who it is now, and keeps the answer with the session")
}

extension Command {
    static let whoami = Command(
        name: "whoami", summary: "Shows who is signed in",
        details: [
            "Without --refresh it asks no service: it shows what the sign-in and the last --refresh have brought, also"
                + " offline. Ends with 3 when somebody must sign in."
        ],
        output: [
            ("sub", "The person's id at the service; absent where the service does not say it"),
            AccountReport.label,
            ("name", "The person's name; absent where the service gives none"),
            ("email", "The mail address; absent where the service gives none"),
            ("claims", "Of an OAuth profile an object: every claim, by its own name; absent without the scope openid"),
            ("account", "The account's id"),
            ("service", "The profile's kind of service: oauth, supabase or clerk"),
            ("issuer", "The issuer; of a Supabase project or Clerk instance its URL"), ("profile", "The profile"),
        ],
        options: [.askPerson, .account, .profile, .json],
        run: { invocation in
            let profile = try invocation.profile()
            try profile.checkKnown()
            let asks = invocation.arguments.has(.askPerson)
            let workplace = try await asks ? Workplace.open(invocation, profile) : Workplace(invocation, profile)
            let accounts = try await workplace.accounts()
            let account = try await workplace.account(among: accounts) ?? accounts.first { $0.isCurrent }
            guard let account else {
                throw AuthError(.signInRequired(.signedOut), "Nobody is signed in.")
            }
            if !asks, let error = AccountReport(account: account, now: invocation.world.clock.wall()).obstacle {
                throw error
            }
            let person =
                try await asks
                ? workplace.waiting("progress.asking") { _ throws(AuthError) in
                    try await PersonReport.asked(account, workplace)
                } : PersonReport.kept(account, workplace)
            try invocation.show(person.json(profile), [person.line(profile, invocation.texts)])
            return .success
        })
}
