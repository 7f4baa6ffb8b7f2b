import Latchkey
import LatchkeyLoopback
import LatchkeyJSON

extension Option {
    static let redirectFromInput = flag(
        "redirect-from-stdin", "Reads the whole address at which the browser arrived from standard input")
    static let codeFromInput = flag("code-from-stdin", "Reads a code from standard input")
    static let fieldsFromInput = flag(
        "fields-from-stdin", "Reads the fields of a form from standard input, as NAME=VALUE, a line each")
    static let choose = value("choose", "ID", .text, "Chooses one of several, by its id")
    static let resend = flag("resend", "Asks for another code or link")
    static let decline = flag("decline", "Says no, and forgets the challenge")
}

extension Command {
    static let answer = Command(
        name: "answer", summary: "Answers what a login left open, perhaps in another process",
        details: [
            "Without an id it lists what can still be answered. Without an option it asks at the terminal, or waits"
                + " for the other device. An address, code or password is never an argument, because those are visible to every"
                + " user of the machine."
        ],
        output: [("challenges", "Without an id: a list of objects as \"latchkey login --detach\" prints them")]
            + [("profile", "Otherwise the profile")] + AccountReport.members,
        options: [
            .redirectFromInput, .codeFromInput, .passwordFromInput, .fieldsFromInput, .choose, .resend, .decline,
            .verbose, .profile, .json,
        ],
        operands: [
            Operand(
                placeholder: "ID", kind: .text, count: .optional, help: "The challenge's id, as login --detach gave it")
        ],
        run: { invocation in
            guard let id = invocation.arguments.operands.first else {
                if let option = scripted.first(where: { invocation.arguments.has($0) }) {
                    throw UsageError(
                        "usage.answerID", ["option": "--\(option.name)"],
                        hint: ToolText("hint.answerID", ["command": invocation.shownLine("answer")]))
                }
                return try await list(invocation)
            }
            let (workplace, challenge) = try await find(id, invocation)
            return try await invocation.clients.toTheEnd(invocation.world.clock) {
                try await answer(challenge, workplace)
            }
        })

    private static func list(_ invocation: Invocation) async throws -> ExitStatus {
        var challenges: [Challenge] = []
        for profile in try candidates(invocation) {
            challenges += try await pending(profile, invocation) ?? []
        }
        let reports = challenges.map { ChallengeReport(challenge: $0) }
        try invocation.show(
            ["challenges": .array(reports.map(\.json))],
            reports.isEmpty
                ? [invocation.texts("answer.none")]
                : Array(reports.map { $0.lines(invocation.texts) }.joined(separator: [""])))
        return .success
    }

    private static func candidates(_ invocation: Invocation) throws -> [Profile] {
        if let name = invocation.arguments[.profile] { return [try invocation.profile(name)] }
        let store = try invocation.profiles()
        let profiles = try store.names().compactMap { name -> Profile? in
            do { return try store.profile(name) } catch {
                tell(error, of: name, invocation)
                return nil
            }
        }
        return profiles.filter { profile in
            if case .unknown = profile.service { false } else { true }
        }
    }

    /// The challenges that wait in a profile; `nil` if they cannot be read, and another profile may have the one that is
    /// meant.
    private static func pending(_ profile: Profile, _ invocation: Invocation) async throws -> [Challenge]? {
        do { return try await Workplace(invocation, profile).client.pendingChallenges() } catch {
            // An interrupted command reads no further profile, and says nothing about this one.
            try Task.checkCancellation()
            if invocation.arguments.has(.profile) { throw error }
            tell(error, of: profile.name, invocation)
            return nil
        }
    }

    private static func tell(_ error: any Error, of profile: String, _ invocation: Invocation) {
        let report = ErrorReport(of: error, profile: profile, invocation.shown)
        let words = invocation.shown("answer.unreadable", ["profile": profile, "reason": report.message])
        invocation.console.note("latchkey: \(Console.printable(words))")
        if let hint = report.hint {
            invocation.console.note(invocation.shown("hint", ["hint": Console.printable(hint)]))
        }
    }

    private static func find(_ id: String, _ invocation: Invocation) async throws -> (Workplace, Challenge) {
        for profile in try candidates(invocation) {
            let pending = try await pending(profile, invocation)
            guard let challenge = pending?.first(where: { $0.id == id }) else { continue }
            return (try await Workplace.open(invocation, profile), challenge)
        }
        throw ToolError(.refused(.expired), "error.challenge")
    }

    static func answer(_ first: Challenge, _ workplace: Workplace) async throws -> ExitStatus {
        let invocation = workplace.invocation
        var challenge = first
        while true {
            let answer = try await given(challenge, workplace)
            let step = try await workplace.waiting("progress.answering") { [challenge] client throws(AuthError) in
                try await client.answer(answer, to: challenge.id)
            }
            switch step {
            case .signedIn(let session):
                try workplace.becomeDefault()
                await workplace.settle()
                try await show(session.account, of: workplace)
                return .success
            case .continuesElsewhere(let place):
                try Command.show(place, of: workplace)
                return .success
            case .asked(let next):
                if case .device(let device) = next.ask {
                    let clock = invocation.world.clock
                    try await clock.sleep(until: clock.now() + max(.seconds(1), device.interval))
                } else if isScripted(invocation) {
                    // A challenge that stays is known to the script already.
                    if let refusal = next.refusal, next.id == challenge.id { throw refusal }
                    let report = ChallengeReport(challenge: next)
                    try invocation.show(report.json, report.lines(invocation.texts))
                    if let refusal = next.refusal { throw refusal }
                    return .success
                } else if let refusal = next.refusal {
                    invocation.console.note(ErrorReport(refusal, invocation.texts).message)
                }
                challenge = next
            }
        }
    }

    /// The options that answer.
    private static let scripted: [Option] = [
        .redirectFromInput, .codeFromInput, .passwordFromInput, .fieldsFromInput, .choose, .resend, .decline,
    ]

    private static func isScripted(_ invocation: Invocation) -> Bool {
        scripted.contains { invocation.arguments.has($0) }
    }

    private static func given(_ challenge: Challenge, _ workplace: Workplace) async throws -> Answer {
        let invocation = workplace.invocation
        if invocation.arguments.has(.decline) { return .declined }
        if invocation.arguments.has(.redirectFromInput) { return .redirected(try redirect(challenge, workplace)) }
        if invocation.arguments.has(.codeFromInput) { return .code(try line(invocation)) }
        if invocation.arguments.has(.passwordFromInput) { return .password(try line(invocation)) }
        if invocation.arguments.has(.fieldsFromInput) { return try FormInput(challenge, invocation).answer() }
        if let id = invocation.arguments[.choose] { return .choice(id) }
        if invocation.arguments.has(.resend) { return .resend }
        if case .device = challenge.ask { return .poll }
        return try await Presenters.answer(challenge, invocation)
    }

    /// Returns the address at which the browser arrived. One that was cut, or is another page's, is refused here, because
    /// the sign-in would be over with it. The answer to another sign-in is for the engine to judge.
    private static func redirect(_ challenge: Challenge, _ workplace: Workplace) throws -> Secret {
        let (given, texts) = (try line(workplace.invocation), workplace.invocation.shown)
        guard workplace.profile.service == .oauth, case .visit(let url, let redirect) = challenge.ask,
            let problem = PasteProblem(given, redirect: redirect, visited: url), problem != .otherSignIn
        else { return given }
        throw ToolError(
            .refused(.wrongInput), "error.pasted",
            ["problem": problem.text(redirect: redirect, in: texts.language)],
            hint: ToolText("hint.pasted"))
    }

    private static func line(_ invocation: Invocation) throws -> Secret {
        try PipedText.line(invocation, limit: 16_384)
    }
}
