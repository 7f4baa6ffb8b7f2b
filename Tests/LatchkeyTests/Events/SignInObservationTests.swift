import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// What is told of sign-ins, and how long they took.
@Suite struct SignInObservationTests {
    private static let password = SignInMethod.password(identifier: "a", Secret("p"))

    private func code(_ bench: Bench, id: String = "challenge-0123456789") -> ScriptedProvider.TurnStep {
        .turn(.asked(Challenge(id: id, binding: bench.service.rules.binding, ask: .totp)))
    }

    /// A sign-in that waits for a code.
    private func waiting() async throws -> (Bench, AuthClient, challenge: String) {
        let bench = Bench()
        let auth = try bench.process()
        bench.service.script(turns: code(bench))
        guard case .asked(let challenge) = try await auth.begin(.signIn(Self.password), with: "scripted") else {
            throw Bench.Stuck()
        }
        return (bench, auth, challenge.id)
    }

    private func ended(_ failure: AuthError.Code?, after seconds: Int) -> AuthObservation {
        .signIn("scripted", .password, failure: failure, took: .seconds(seconds))
    }

    @Test("a sign-in led by the client took what service and person took", .need("N23"))
    func whole() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.service.script(turns: code(bench))
        let latch = Latch()
        let presenter = ScriptedPresenter(
            .made { _ in
                try await latch.wait()
                return .code(Secret("1"))
            })
        let call = Task { try await auth.signIn(with: "scripted", Self.password, asking: presenter) }
        try await presenter.waitForChallenges(1)
        bench.clock.advance(by: .seconds(6))
        latch.open()
        _ = try await call.value
        #expect(bench.observer.signIns == [ended(nil, after: 6)])
    }

    @Test("a sign-in that waits for an answer has not ended; with its answer it has, and took the time of both steps")
    func steps() async throws {
        let (bench, auth, challenge) = try await waiting()
        #expect(bench.observer.signIns.isEmpty)
        bench.clock.advance(by: .seconds(3))
        bench.service.script(turns: code(bench, id: "challenge-the-second"))
        _ = try await auth.answer(.code(Secret("1")), to: challenge)
        #expect(bench.observer.signIns.isEmpty)
        bench.clock.advance(by: .seconds(4))
        _ = try await auth.answer(.code(Secret("2")), to: "challenge-the-second")
        #expect(bench.observer.signIns == [ended(nil, after: 7)])
    }

    @Test("a sign-in that fails at its first step has ended")
    func failed() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.service.script(turns: .failed(AuthError(.refused(.wrongInput), "no")))
        _ = try? await auth.begin(.signIn(Self.password), with: "scripted")
        #expect(bench.observer.signIns == [ended(.refused(.wrongInput), after: 0)])
    }

    @Test("a wrong answer is told, and so is the right one that follows")
    func wrong() async throws {
        let (bench, auth, challenge) = try await waiting()
        bench.service.script(turns: .failed(AuthError(.refused(.wrongInput), "no")))
        _ = try? await auth.answer(.code(Secret("1")), to: challenge)
        bench.clock.advance(by: .seconds(9))
        _ = try await auth.answer(.code(Secret("2")), to: challenge)
        #expect(bench.observer.signIns == [ended(.refused(.wrongInput), after: 0), ended(nil, after: 9)])
    }

    @Test("an answer that did not get through leaves the challenge waiting, and is no end")
    func unheard() async throws {
        let (bench, auth, challenge) = try await waiting()
        bench.service.script(turns: .failed(AuthError(.offline(.unreachable), "no")))
        _ = try? await auth.answer(.code(Secret("1")), to: challenge)
        #expect(bench.observer.signIns.isEmpty)
        _ = try await auth.answer(.code(Secret("1")), to: challenge)
        #expect(bench.observer.signIns.count == 1)
    }

    @Test("a person who declines has ended the sign-in; a second answer is none")
    func declined() async throws {
        let (bench, auth, challenge) = try await waiting()
        for _ in 1...2 { _ = try? await auth.answer(.declined, to: challenge) }
        #expect(bench.observer.signIns == [ended(.declined, after: 0)])
    }

    @Test("a challenge that another process began is not told of, though its answer counts")
    func elsewhere() async throws {
        let (bench, _, challenge) = try await waiting()
        let other = try bench.process(seed: 9)
        _ = try await other.answer(.code(Secret("1")), to: challenge)
        #expect(bench.observer.signIns.isEmpty)
    }

    @Test("the sign-ins that wait are bounded; the oldest is forgotten")
    func bounded() {
        let bench = Bench()
        let attempts = SignInAttempts(bench.world)
        for number in 0...SignInAttempts.bound {
            let challenge = Challenge(id: "\(number)", binding: bench.service.rules.binding, ask: .totp)
            attempts.note(.asked(challenge), of: attempts.attempt("scripted", .signIn(.anonymous)))
            bench.clock.advance(by: .seconds(1))
        }
        #expect(attempts.attempt(waitingFor: "0") == nil)
        #expect(attempts.attempt(waitingFor: "1") != nil)
    }
}
