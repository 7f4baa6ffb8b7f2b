import Latchkey
import LatchkeyTesting
import Testing

@Suite("Contracts of transport, unlock, presenter and observer")
struct SeamContractTests {
    @Test("a transport that keeps every promise passes") func transport() async throws {
        try await TransportContract(serving: RoutesTransport.base, RoutesTransport(fault: nil)).run()
    }

    @Test("a transport that retries keeps them too") func retryingTransport() async throws {
        var policy = RetryPolicy()
        policy.base = .zero
        let transport = Retrying(wrapping: RoutesTransport(fault: nil), policy: policy, context: .testing())
        try await TransportContract(serving: RoutesTransport.base, transport).run()
    }

    @Test(
        "a transport that breaks one promise is refused by the clause that demands it",
        arguments: RoutesTransport.Fault.allCases)
    func brokenTransport(fault: RoutesTransport.Fault) async throws {
        let contract = TransportContract(serving: RoutesTransport.base, RoutesTransport(fault: fault))
        let violation = await #expect(throws: ContractViolation.self) { try await contract.run() }
        #expect(violation?.clause == fault.clause)
    }

    static func unlock(_ situation: UnlockContract<ScriptedKeyUnlock>.Situation) -> ScriptedKeyUnlock {
        let unlock = ScriptedUnlock(clock: ManualClock())
        switch situation {
        case .right: break
        case .wrong: unlock.script(.failed(AuthError(.refused(.wrongInput), "the proof is wrong")))
        case .declined: unlock.script(.failed(AuthError(.declined, "the person said no")))
        case .unavailable: unlock.set(.notEnrolled)
        case .unanswered: unlock.script(.held(Latch(), then: .granted))
        }
        return ScriptedKeyUnlock(unlock, key: UnlockKey(.key(source: "test"), Secret("0123456789abcdef")))
    }

    func contract(
        _ change:
            @escaping @Sendable (UnlockContract<ScriptedKeyUnlock>.Situation) ->
            UnlockContract<ScriptedKeyUnlock>.Situation = { $0 }
    ) -> UnlockContract<ScriptedKeyUnlock> {
        UnlockContract(context: .testing(), prompts: { $0.script.promptCount }) { situation, _ in
            Self.unlock(change(situation))
        }
    }

    @Test("the scripted unlock keeps the contract") func unlock() async throws { try await contract().run() }

    @Test(
        "an unlock that gives another answer than the situation demands is refused",
        arguments: [
            (UnlockContract<ScriptedKeyUnlock>.Situation.wrong, "a wrong proof is refused(.wrongInput)"),
            (.declined, "the person's no is declined"),
            (.unavailable, "where it cannot ask it says so beforehand, and throws unlockUnavailable"),
            (.unanswered, "cancelling the task ends the prompt with CancellationError"),
        ])
    func brokenUnlock(situation: UnlockContract<ScriptedKeyUnlock>.Situation, clause: String) async throws {
        let contract = contract { $0 == situation ? .right : $0 }
        let violation = await #expect(throws: ContractViolation.self) { try await contract.run() }
        #expect(violation?.clause == clause)
    }

    func pins(_ fault: PINUnlock.Fault?) -> UnlockContract<PINUnlock> {
        let limit = UnlockContract<PINUnlock>.Limit(tries: PINUnlock.limit) { first, situation, _ in
            first.again(situation)
        }
        return UnlockContract(context: .testing(), limit: limit) { situation, context in
            PINUnlock(fault, situation, clock: context.clock)
        }
    }

    @Test("a PIN whose wrong proofs are counted keeps the contract") func pin() async throws {
        try await pins(nil).run()
    }

    @Test("a PIN that counts wrongly is refused by the clause that demands it", arguments: PINUnlock.Fault.allCases)
    func brokenPIN(fault: PINUnlock.Fault) async throws {
        let violation = await #expect(throws: ContractViolation.self) { try await pins(fault).run() }
        #expect(violation?.clause == fault.clause)
    }

    static let shows: [(ask: Ask, answer: Answer)] = [
        (.code(over: .mail, sentTo: "a…@example.com"), .code(Secret("123456"))),
        (.password, .password(Secret("correct horse"))), (.choose([.init(id: "a", label: "A")]), .choice("a")),
        (.fields([.init(name: "nick")]), .fields(["nick": Secret("adalove")])),
    ]

    static let unsupported = AuthError(.configuration(.unsupported), "the presenter cannot show it")

    func presenters(
        _ change: @escaping @Sendable (PresenterContract.Situation) -> PresenterContract.Situation = { $0 }
    ) -> PresenterContract {
        PresenterContract(shows: Self.shows) { situation, _ in
            switch change(situation) {
            case .answers(let answer): ScriptedPresenter(.answer(answer))
            case .declines: ScriptedPresenter(.answer(.declined))
            case .waits, .opens: ScriptedPresenter()
            case .cannotShow: ScriptedPresenter(.failed(Self.unsupported))
            }
        }
    }

    @Test("the scripted presenter keeps the contract") func presenter() async throws { try await presenters().run() }

    @Test("a presenter that gives another answer is refused") func brokenPresenter() async throws {
        let swaps: [(@Sendable (PresenterContract.Situation) -> PresenterContract.Situation, String)] = [
            (
                { if case .answers = $0 { .answers(.resend) } else { $0 } },
                "what the person answers comes back as it is"
            ),
            ({ if case .declines = $0 { .answers(.resend) } else { $0 } }, "the person's no is Answer.declined"),
            (
                { if case .waits = $0 { .declines } else { $0 } },
                "cancelling the task stops showing, with CancellationError"
            ),
            (
                { if case .cannotShow = $0 { .declines } else { $0 } },
                "a challenge it cannot show is configuration(.unsupported)"
            ),
        ]
        for (swap, clause) in swaps {
            let violation = await #expect(throws: ContractViolation.self) { try await presenters(swap).run() }
            #expect(violation?.clause == clause)
        }
    }

    @Test("the recording observer keeps the contract, and one that loses some does not") func observer() async throws {
        try await ObserverContract(count: { $0.observations.count }) { RecordingObserver() }.run()
        let violation = await #expect(throws: ContractViolation.self) {
            try await ObserverContract(count: { $0.observations.count }) { RecordingObserver(limit: 100) }.run()
        }
        #expect(violation?.clause == "it loses none within its bound")
    }
}
