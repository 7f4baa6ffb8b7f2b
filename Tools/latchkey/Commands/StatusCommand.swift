import Latchkey
import LatchkeyJSON

extension Command {
    static let status = Command(
        name: "status", summary: "Shows who is signed in, and until when",
        details: [
            "Asks no service. Ends with 0 when the account can be used, with 3 when somebody must sign in, with 4 when"
                + " access has ended and the service could not be reached, with 5 when it is locked, with 8 when access has"
                + " ended and the service refused this client at the last refresh."
        ],
        examples: ["latchkey status", Example("latchkey status --json", "manual.example.status")],
        output: [
            (
                "profile, issuer, clientId",
                "The profile in use; of a Supabase project or Clerk instance its URL and key"
            ),
            ("service", "The profile's kind of service: oauth, supabase or clerk"),
            ("store", "kind (unencryptedFiles, keyring or encryptedFile), path and open of where the session is kept"),
            ("name", "The person's name; absent where the service gives none"),
            ("scopes", "What was granted; absent where the service does not say"),
            ("problem", "code and message of a record of another account that cannot be read; absent without one"),
        ] + AccountReport.members,
        options: [.account, .profile, .json],
        run: { invocation in
            let workplace = try Workplace(invocation, invocation.profile(), asking: false)
            let place = await workplace.places.report()
            let accounts: [Account]
            do throws(AuthError) { accounts = try await workplace.accounts() } catch {
                guard error.code == .locked else { throw error }
                return try showLocked(workplace, place, error)
            }
            let account = try await workplace.account(among: accounts) ?? accounts.first { $0.isCurrent }
            // A record that cannot be read concerns another account, unless it is the selected one.
            let problem = try await workplace.client.unreadableRecords().first
            if let problem, account == nil { throw problem }
            let owed = try await workplace.client.owedRevocations()
            // What a broken record does not tell is left out.
            let person: PersonReport? =
                if let account { try? await PersonReport.kept(account, workplace) } else { nil }
            return try show(account, person, of: workplace, place, owed, problem)
        })

    private static func showLocked(
        _ workplace: Workplace, _ place: PlaceReport, _ error: AuthError
    ) throws -> ExitStatus {
        let (profile, texts) = (workplace.profile, workplace.invocation.texts)
        try workplace.invocation.show(
            .object([
                "profile": .string(profile.name), "service": .string(profile.service.name),
                "issuer": .string(profile.issuer), "clientId": .string(profile.clientID), "store": place.json,
                "state": "locked",
            ]),
            Columns.lines([
                (texts("label.profile"), profile.name), (texts("label.issuer"), texts(profile.target)),
                (texts("label.store"), place.words(texts)), (texts("label.state"), texts("state.locked")),
                (texts("label.next"), Hints.hint(for: error, profile: profile.name, texts)),
            ]))
        return .locked
    }

    private static func show(
        _ account: Account?, _ person: PersonReport?, of workplace: Workplace, _ place: PlaceReport,
        _ pending: Int, _ problem: AuthError?
    ) throws -> ExitStatus {
        let texts = workplace.invocation.texts
        let report = account.map { AccountReport(account: $0, now: workplace.invocation.world.clock.wall()) }
        let profile = workplace.profile
        var members: [String: JSON] = report?.json ?? ["state": "signedOut"]
        members["profile"] = .string(profile.name)
        members["service"] = .string(profile.service.name)
        members["issuer"] = .string(profile.issuer)
        members["clientId"] = .string(profile.clientID)
        members["pendingRevocations"] = .integer(Int64(pending))
        members["problem"] = problem.map(ErrorReport.short)
        members["store"] = place.json
        members["name"] = person?.name.map(JSON.string)
        members["scopes"] = person?.scopes.map { .array($0.map(JSON.string)) }
        try workplace.invocation.show(
            .object(members),
            Columns.lines([
                (texts("label.profile"), profile.name), (texts("label.issuer"), texts(profile.target)),
                (texts("label.store"), place.words(texts)), (texts("label.account"), report?.name(texts)),
                (texts("label.name"), person?.name == report?.name(texts) ? nil : person?.name),
                (texts("label.state"), report?.words(texts) ?? texts("state.signedOut")),
                (texts("label.access"), report?.until(texts)),
                (texts("label.session"), report?.sessionEnds(texts)),
                (texts("label.scopes"), person?.scopes?.joined(separator: " ")),
                (texts("label.refusal"), report?.clientAdvice(profile: profile.name, texts)),
                (texts("label.problem"), problem.map { ErrorReport($0, texts).message }),
                (texts("label.pending"), pending > 0 ? texts("pending", ["count": "\(pending)"]) : nil),
            ]))
        return report?.status ?? .signIn
    }
}
