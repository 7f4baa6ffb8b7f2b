import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Testing

/// What a person is told between two tries.
@Suite("Presenters that show refusals") struct RefusalShowingTests {
    /// Answers each challenge with a code, and keeps what is said in between.
    private final class Honest: RefusalShowing {
        let passages = Locked<[String]>([])

        func answer(_ challenge: Challenge) async throws -> Answer {
            passages.withLock { $0.append("asked") }
            return .code(Secret("123456"))
        }

        func show(_ refusal: AuthError, of challenge: Challenge) async throws {
            passages.withLock { $0.append(refusal.code.name) }
        }
    }

    @Test(
        "a wrong answer is told before the challenge is asked again, and the third one ends the sign-in with its error")
    func told() async throws {
        let bench = Bench()
        let auth = try bench.process()
        let wrong = ScriptedProvider.TurnStep.failed(AuthError(.refused(.wrongInput), "wrong"))
        let code = Challenge(id: "challenge-of-sixteen", binding: bench.service.rules.binding, ask: .totp)
        let presenter = Honest()
        bench.service.script(turns: .turn(.asked(code)), wrong, wrong, .granted(to: "alice"))
        _ = try await auth.signIn(with: "scripted", .anonymous, asking: presenter)
        let one = ["asked", "refused.wrongInput"]
        #expect(presenter.passages.withLock { $0 } == one + one + ["asked"])
        bench.service.script(turns: .turn(.asked(code)), wrong, wrong, wrong)
        let last = await #expect(throws: AuthError.self) {
            try await auth.signIn(with: "scripted", .anonymous, asking: presenter)
        }
        #expect(last?.code == .refused(.wrongInput))
        #expect(presenter.passages.withLock { $0 } == one + one + ["asked"] + one + one + ["asked"])
    }
}
