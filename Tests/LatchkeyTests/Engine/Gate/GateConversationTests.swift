import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// A client whose store a key opens is locked while a conversation with the service is under way.
@Suite("Locking during a conversation") struct GateConversationTests {
    /// What the service answers in the end.
    enum Answered: CaseIterable, Sendable { case session, challenge, refusal }

    /// Whether the service has a credential that several people share, and whether one of them is signed in already.
    enum Sharing: CaseIterable, Sendable { case none, alone, beside }

    private static let key = UnlockKey(.key(source: "test"), Secret("0123456789abcdef"))

    private func client(_ bench: Bench) async throws -> (KeyedStore<MemoryStore>, AuthClient) {
        let store = KeyedStore(MemoryStore(context: bench.world), key: Self.key.secret)
        let unlock = ScriptedKeyUnlock(ScriptedUnlock(clock: bench.clock), key: Self.key)
        let auth = try bench.process(seed: 9) {
            $0.store(store).unlock(unlock, reason: "Show your notes", policy: UnlockPolicy())
        }
        try await auth.unlock()
        return (store, auth)
    }

    private func challenge(_ bench: Bench) -> ScriptedProvider.TurnStep {
        .turn(.asked(Challenge(id: "challenge-0123456789", binding: bench.service.rules.binding, ask: .totp)))
    }

    @Test(
        "what the service answers to a sign-in is stored before the store is closed", .law(2),
        arguments: Answered.allCases, Sharing.allCases)
    func begun(_ answered: Answered, _ sharing: Sharing) async throws {
        for isAnswer in [false, true] {
            let rules = ProviderRules.scripted(refresh: .mints, sharesCredential: true)
            let bench = sharing == .none ? Bench() : Bench(rules: rules)
            let (store, auth) = try await client(bench)
            if sharing == .beside {
                bench.service.script(turns: .granted(to: "bob"))
                _ = try await auth.signIn(with: "scripted", .anonymous)
            }
            let latch = Latch()
            let step: ScriptedProvider.TurnStep =
                switch answered {
                case .session: .granted(to: "ada")
                case .challenge: challenge(bench)
                case .refusal: .failed(AuthError(.refused(.wrongInput), "no"))
                }
            let before = (begun: bench.service.beginCount, answered: bench.service.answers.count)
            if isAnswer {
                bench.service.script(turns: challenge(bench))
                _ = try await auth.begin(.signIn(.anonymous), with: "scripted")
            }
            bench.service.script(turns: .held(latch, then: step))
            let call = Task {
                await code {
                    if isAnswer {
                        _ = try await auth.answer(.code(Secret("123456")), to: "challenge-0123456789")
                    } else {
                        _ = try await auth.begin(.signIn(.anonymous), with: "scripted")
                    }
                }
            }
            try await bench.until {
                isAnswer ? bench.service.answers.count > before.answered : bench.service.beginCount > before.begun
            }
            let locking = Task { await auth.lock() }
            try await bench.until { auth.isLocked }
            await bench.settle()
            let line: Comment = "\(answered), \(sharing), to an answer: \(isAnswer)"
            #expect(store.isOpen, line)
            latch.open()
            #expect(await call.value == (answered == .refusal ? .refused(.wrongInput) : nil), line)
            await locking.value
            #expect(!store.isOpen, line)
            try await auth.unlock()
            let people = try await auth.accounts()
            #expect(
                Set(people.compactMap(\.label))
                    == Set((sharing == .beside ? ["bob"] : []) + (answered == .session ? ["ada"] : [])), line)
            #expect(people.allSatisfy { $0.isDurable }, line)
            let isOpen = answered == .challenge || (answered == .refusal && isAnswer)
            #expect(try await auth.pendingChallenges().count == (isOpen ? 1 : 0), line)
        }
    }

    @Test("a conversation that begins as the store is closed is not sent: its answer could not be stored", .law(2))
    func closed() async throws {
        let bench = Bench()
        let (store, auth) = try await client(bench)
        await auth.lock()
        #expect(!store.isOpen)
        // As if it had been let in before.
        let code = await code {
            try await auth.engine.signIns.begin(.signIn(.anonymous), "scripted", SignInOptions())
        }
        #expect(code == .locked)
        #expect(bench.service.beginCount == 0)
    }
}
