package import LatchkeyTesting

/// A call of the public surface.
package enum Call: String, CaseIterable, Sendable {
    case signIn, askCode, answerCode, token, refresh, request, signOut, switchAccount, restore, settle
    case lock, unlock, background
    /// `perform`: proves a second factor, which does more to the refresh token than a refresh.
    case verify
    /// Takes over a session that another client of the person's has.
    case adopt
    /// Empties the outbox with leave from `whenSignedIn`.
    case work
    /// "Stay signed in": refreshes the current account, whoever that is.
    case stay
    /// Asks the service who the person is, and keeps the answer with the session.
    case claims
    /// A resource refused the account's access token.
    case discard
    /// A request to a resource that takes no token of anybody.
    case unmended

    /// Whether only histories of an app's life draw it, so that every other seed means what it always meant.
    var isOfLife: Bool { self == .work || self == .stay }

    /// Whether it is drawn last, into the histories that are there, for the same reason.
    var isOfPerson: Bool { [.claims, .discard, .unmended].contains(self) }

    /// How often it is drawn, beside the others.
    var weight: Int {
        switch self {
        case .work: 8
        case .token, .refresh, .signOut: 6
        case .signIn, .request: 4
        // A gate opens and closes in a moment: what else is under way just then would hardly ever be drawn.
        case .lock, .unlock, .background: 4
        case .restore, .answerCode, .verify, .adopt: 2
        default: 1
        }
    }
}

/// What happens beside the calls.
package enum Event: String, CaseIterable, Sendable {
    case kill, powerLoss, passTime, suspend, turnWall, clockDrifts, endElsewhere, cancel
    case diskFull, diskFails, diskDenied, lockHeld, keyringLocked, keyringUnavailable, keyringFull, keyringSlow
    case keyringLosesAnswers, allWell
    /// Another user of the machine gets hold of a directory above the store, and may move the store away.
    case neighbourGetsIn
    /// A process dies while the service takes its time with its refresh, and another one refreshes at once.
    case diesWaiting
    /// The person taps a button of the app's window.
    case tap
    /// Nothing gets through any more, for minutes or for more than a week.
    case outage
    case backOnline
    /// The service answers everything with `Retry-After`, for seconds or for an hour.
    case serviceRests

    /// As ``Call/isOfLife``.
    var isOfLife: Bool {
        switch self {
        case .tap, .outage, .backOnline, .serviceRests: true
        default: false
        }
    }

    /// Whether the store takes less from now on.
    var troublesStore: Bool {
        switch self {
        case .diskFull, .diskFails, .diskDenied, .lockHeld, .keyringLocked, .keyringUnavailable, .keyringFull,
            .keyringSlow, .keyringLosesAnswers, .neighbourGetsIn:
            true
        default: false
        }
    }

    var weight: Int {
        switch self {
        case .kill, .passTime, .cancel: 4
        case .suspend, .turnWall, .powerLoss: 2
        case .allWell: 3
        case .tap: 8
        case .outage, .backOnline, .serviceRests: 2
        default: 1
        }
    }
}

/// One step of a history: what is done, where, by whom, and how many jobs run before the next.
package struct Step: Sendable, CustomStringConvertible {
    package enum Deed: Sendable {
        case call(Call)
        /// Two processes at once.
        case both(Call)
        case event(Event)
    }

    var deed: Deed
    var slot: Int
    var person: String
    var patience: Int
    /// What the step itself draws from, so that a history without its neighbours is the same in this step.
    var seed: UInt64

    package var description: String {
        switch deed {
        case .call(let call): "process in slot \(slot): \(call.rawValue) of \(person), then \(patience) jobs"
        case .both(let call):
            "slots \(slot) and \((slot + 1) % 3): \(call.rawValue) of \(person), then \(patience) jobs"
        case .event(let event): "\(event.rawValue) (slot \(slot)), then \(patience) jobs"
        }
    }
}

/// What is the same from the first step of a history to the last.
package struct Scenario: Sendable, CustomStringConvertible {
    package var kind: SimulatedService.Kind
    /// Whether the sessions are in files; else in a keyring.
    var isOnDisk: Bool
    var gate: GateKind
    var endsEveryGrant: Bool
    /// Whether a revocation ends every session of the same browser.
    var sharesSessions = false
    /// For how many seconds the service answers a used token again, and the client knows that.
    var reuse: Int?
    /// Of a thousand requests, how many meet trouble.
    var trouble: Int

    /// The values that ``reuse`` is drawn from.
    static let intervals = [0, 10, 60]

    /// ``reuse``, as a duration.
    var reuseInterval: Duration? { reuse.map { .seconds($0) } }

    /// Whether a revocation may end other sessions than its own.
    var reachesFurther: Bool { endsEveryGrant || sharesSessions }

    package var description: String {
        "service \(kind.rawValue)\(endsEveryGrant ? ", a revocation ends every grant" : "")"
            + (sharesSessions ? ", a revocation ends every session of the browser" : "")
            + (reuse.map { ", it answers a used token for \($0) s" } ?? "")
            + ", \(isOnDisk ? "files" : "keyring")\(gate == .none ? "" : ", \(gate.rawValue)"), trouble \(trouble)/1000"
    }
}

/// A scenario and its steps, drawn from one seed.
package struct Plan: Sendable {
    package var scenario: Scenario
    package var steps: [Step]

    package init(seed: UInt64, kind: SimulatedService.Kind? = nil) {
        var random = SplitMix(seed: seed)
        let kinds = SimulatedService.Kind.allCases.filter { $0 != .shares }
        let drawn = kinds[random.below(kinds.count)]
        // Drawn apart, so that what was kept in writing before there was such a kind is the same.
        var other = SplitMix(seed: seed ^ 0x5AE5)
        let kind = kind ?? (other.below(6) == 0 ? .shares : drawn)
        scenario = Scenario(
            kind: kind, isOnDisk: random.below(2) == 0,
            gate: random.below(3) == 0 ? GateKind.allCases[1 + random.below(GateKind.allCases.count - 1)] : .none,
            endsEveryGrant: kind != .mints && kind != .shares && random.below(8) == 0,
            trouble: random.below(3) == 0 ? 0 : random.below(400))
        let most = [3, 3, 3, 3, 6, 6, 12, 30][random.below(8)]
        var beside = SplitMix(seed: seed ^ 0x51D)
        scenario.sharesSessions =
            !scenario.endsEveryGrant && kind != .mints && kind != .shares && beside.below(8) == 0
        var interval = SplitMix(seed: seed ^ 0x2E05E)
        if [.strict, .sameSuccessor].contains(kind), interval.below(2) == 0 {
            scenario.reuse = Scenario.intervals[interval.below(Scenario.intervals.count)]
        }
        steps = [Self.step(.call(.signIn), &random)]
        for _ in 0..<1 + random.below(most) { steps.append(Self.step(Self.deed(&random), &random)) }
        // An app's life, in every third history, drawn apart for the same reason.
        var life = SplitMix(seed: seed ^ 0x11FE)
        if life.below(3) == 0 { live(&life) }
        var person = SplitMix(seed: seed ^ 0xC1A1)
        if person.below(3) == 0 { ask(&person) }
        var resource = SplitMix(seed: seed ^ 0xD15C)
        if resource.below(3) == 0 { refuse(&resource) }
        var strict = SplitMix(seed: seed ^ 0x401)
        if strict.below(4) == 0 { refuseAll(&strict) }
    }

    /// Puts requests to a resource that refuses everybody between the steps.
    private mutating func refuseAll(_ random: inout SplitMix) {
        for _ in 0..<2 + random.below(4) {
            steps.insert(Self.step(.call(.unmended), &random), at: 1 + random.below(steps.count))
        }
    }

    /// Puts refusals by a resource between the steps.
    private mutating func refuse(_ random: inout SplitMix) {
        for _ in 0..<1 + random.below(3) {
            let deed: Step.Deed = random.below(3) == 0 ? .both(.discard) : .call(.discard)
            steps.insert(Self.step(deed, &random), at: 1 + random.below(steps.count))
        }
    }

    /// Puts questions about a person between the steps.
    private mutating func ask(_ random: inout SplitMix) {
        for _ in 0..<1 + random.below(3) {
            let deed: Step.Deed = random.below(3) == 0 ? .both(.claims) : .call(.claims)
            steps.insert(Self.step(deed, &random), at: 1 + random.below(steps.count))
        }
    }

    /// Puts what happens in the life of an app in the place of some steps, and adds some.
    private mutating func live(_ random: inout SplitMix) {
        for index in steps.indices.dropFirst() where random.below(3) == 0 {
            steps[index].deed = Self.deed(&random, isLife: true)
        }
        for _ in 0..<1 + random.below(4) {
            steps.append(Self.step(Self.deed(&random, isLife: true), &random))
        }
    }

    private static func deed(_ random: inout SplitMix, isLife: Bool = false) -> Step.Deed {
        let calls = Call.allCases.filter { $0.isOfLife == isLife && !$0.isOfPerson }
        switch random.below(10) {
        case 0..<5: return .call(pick(calls, { $0.weight }, &random))
        case 5: return .both(pick(calls, { $0.weight }, &random))
        default: return .event(pick(Event.allCases.filter { $0.isOfLife == isLife }, { $0.weight }, &random))
        }
    }

    private static func pick<Choice>(
        _ choices: [Choice], _ weight: (Choice) -> Int, _ random: inout SplitMix
    ) -> Choice {
        var left = random.below(choices.reduce(0) { $0 + weight($1) })
        for choice in choices {
            left -= weight(choice)
            if left < 0 { return choice }
        }
        return choices[0]
    }

    private static func step(_ deed: Step.Deed, _ random: inout SplitMix) -> Step {
        Step(
            deed: deed, slot: random.below(3), person: History.people[random.below(4) == 0 ? 1 : 0],
            patience: random.below(4) == 0 ? 300 : random.below(40), seed: random.next())
    }
}
