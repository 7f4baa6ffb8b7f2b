import Latchkey
import LatchkeyJSON

extension Option {
    static let redirectFromInput = flag(
        "redirect-from-stdin", "Reads the whole address at which the browser arrived from standard input")
    static let codeFromInput = flag("code-from-stdin", "Reads a code from standard input")
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
            .redirectFromInput, .codeFromInput, .passwordFromInput, .choose, .resend, .decline, .verbose, .profile,
            .json,
        ],
        operands: [
            Operand(
                placeholder: "ID", kind: .text, count: .optional, help: "The challenge's id, as login --detach gave it")
        ],
        run: { invocation in
            guard let id = invocation.arguments.operands.first else { return try await list(invocation) }
            let (workplace, challenge) = try await find(id, invocation)
            return try await invocation.clients.toTheEnd(invocation.world.clock) {
                try await answer(challenge, workplace)
            }
        })

    private static func list(_ invocation: Invocation) async throws -> ExitStatus {
        var challenges: [Challenge] = []
        for profile in try candidates(invocation) {
            challenges += try await Workplace(invocation, profile).client.pendingChallenges()
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
        return try store.names().compactMap { try store.profile($0) }.filter { profile in
            if case .unknown = profile.service { false } else { true }
        }
    }

    private static func find(_ id: String, _ invocation: Invocation) async throws -> (Workplace, Challenge) {
        for profile in try candidates(invocation) {
            let pending = try await Workplace(invocation, profile).client.pendingChallenges()
            guard let challenge = pending.first(where: { $0.id == id }) else { continue }
            return (try await Workplace.open(invocation, profile), challenge)
        }
        throw ToolError(.refused(.expired), "error.challenge")
    }

    private static func answer(_ first: Challenge, _ workplace: Workplace) async throws -> ExitStatus {
        let invocation = workplace.invocation
        var challenge = first
        while true {
            let answer = try await given(challenge, invocation)
            let step = try await workplace.waiting("progress.answering") { [challenge] client throws(AuthError) in
                try await client.answer(answer, to: challenge.id)
            }
            switch step {
            case .signedIn(let session):
                try invocation.profiles().setDefault(workplace.profile.name)
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
                    let report = ChallengeReport(challenge: next)
                    try invocation.show(report.json, report.lines(invocation.texts))
                    return .success
                }
                challenge = next
            }
        }
    }

    private static func isScripted(_ invocation: Invocation) -> Bool {
        let scripted: [Option] = [.redirectFromInput, .codeFromInput, .passwordFromInput, .choose, .resend, .decline]
        return scripted.contains { invocation.arguments.has($0) }
    }

    private static func given(_ challenge: Challenge, _ invocation: Invocation) async throws -> Answer {
        if invocation.arguments.has(.decline) { return .declined }
        if invocation.arguments.has(.redirectFromInput) { return .redirected(try line(invocation)) }
        if invocation.arguments.has(.codeFromInput) { return .code(try line(invocation)) }
        if invocation.arguments.has(.passwordFromInput) { return .password(try line(invocation)) }
        if let id = invocation.arguments[.choose] { return .choice(id) }
        if invocation.arguments.has(.resend) { return .resend }
        if case .device = challenge.ask { return .poll }
        return try await Presenters.askAtTerminal(challenge, invocation)
    }

    private static func line(_ invocation: Invocation) throws -> Secret {
        guard let bytes = try invocation.console.readLine(16_384), !bytes.isEmpty else {
            throw UsageError("usage.inputEmpty", command: .answer)
        }
        return Secret(bytes)
    }
}
