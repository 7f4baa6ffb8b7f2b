import Latchkey
import LatchkeyJSON
import LatchkeySupabase

extension SupabaseDesk {
    /// Opens a link of a mail. Somebody may be signed in by it.
    func open() async throws {
        let link = try await mailedLink()
        let opened = try await ask { handle throws(AuthError) in
            try await handle.open(link, expectingInvite: arguments.has(.takesInvite))
        }
        switch opened {
        case .signedIn(let session):
            try workplace.becomeDefault()
            await workplace.settle()
            if arguments.has(.json) {
                return try show(["opened": "signedIn", "account": .string(session.account.value)], [])
            }
            try await Command.show(session.account, of: workplace)
        case .asked(let challenge):
            guard !asks else {
                _ = try await Command.answer(challenge, workplace)
                return
            }
            let report = ChallengeReport(challenge: challenge)
            let next = invocation.line("answer \(challenge.id)", for: workplace.profile.name)
            try show(
                ["opened": "asked"].merging(report.json.object ?? [:]) { $1 },
                report.lines(invocation.texts) + [invocation.texts("hint.run", ["command": next])])
        case .halfConfirmed:
            try show(["opened": "halfConfirmed"], [invocation.texts("supabase.halfConfirmed")])
        case .addressChanged(let session):
            let address = session.supabaseUser?.email ?? session.account.value
            try show(
                ["opened": "addressChanged", "account": .string(session.account.value)],
                [invocation.texts("supabase.contactChanged", ["address": address])])
        case .continuesElsewhere(let place): try Command.show(place, of: workplace)
        }
    }

    private func mailedLink() async throws -> Secret {
        if arguments.has(.redirectFromInput) { return try inputLine(16_384) }
        let words = invocation.texts("ask.link")
        guard let link = try await Presenters.line(TerminalQuestion(.mailLink), words, invocation) else {
            throw ToolError(.declined, "error.linkDeclined")
        }
        return link
    }
}
