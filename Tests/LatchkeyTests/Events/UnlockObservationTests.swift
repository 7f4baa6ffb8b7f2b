import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// What is told of prompts for the unlock.
@Suite struct UnlockObservationTests {
    private func process(_ steps: ScriptedUnlock.Step...) throws -> (Bench, ScriptedUnlock, AuthClient) {
        let bench = Bench()
        let unlock = ScriptedUnlock(clock: bench.clock)
        for step in steps { unlock.script(step) }
        let auth = try bench.process {
            $0.unlock(unlock, fallback: ScriptedUnlock(clock: bench.clock), reason: "Show your notes")
        }
        return (bench, unlock, auth)
    }

    @Test("a proof that was given is told with its kind and the time that the prompt took", .need("N23"))
    func proved() async throws {
        let latch = Latch()
        let (bench, unlock, auth) = try process(.held(latch, then: .granted))
        let call = Task { try await auth.unlock() }
        try await unlock.waitForPrompts(1)
        bench.clock.advance(by: .seconds(2))
        latch.open()
        try await call.value
        #expect(bench.observer.unlocks == [.unlock(.usual, .other, failure: nil, took: .seconds(2))])
    }

    @Test(
        "a prompt that fails is told with its reason and no kind",
        arguments: [
            AuthError.Code.declined, .refused(.wrongInput), .unlockUnavailable(.lockedOut),
            .unlockUnavailable(.notEnrolled), .unlockUnavailable(.invalidated), .unlockUnavailable(.missing),
        ])
    func failed(failure: AuthError.Code) async throws {
        let (bench, _, auth) = try process(.failed(AuthError(failure, "no")))
        #expect(await code { try await auth.unlock() } == failure)
        #expect(bench.observer.unlocks == [.unlock(.usual, nil, failure: failure, took: .zero)])
    }

    @Test("the fallback is told apart; a method's name outside the closed set is never repeated")
    func fallback() async throws {
        let (bench, _, auth) = try process()
        try await auth.unlock(with: .fallback)
        #expect(bench.observer.unlocks == [.unlock(.fallback, .other, failure: nil, took: .zero)])
    }

    @Test("where nobody was asked, nothing is told")
    func unasked() async throws {
        let (bench, _, auth) = try process()
        await auth.setPhase(.background)
        #expect(await code { try await auth.unlock() } == .locked)
        #expect(bench.observer.unlocks.isEmpty)
    }

    @Test("callers who share a prompt make one observation")
    func shared() async throws {
        let latch = Latch()
        let (bench, unlock, auth) = try process(.held(latch, then: .granted))
        let calls = (1...10).map { _ in Task { try await auth.unlock() } }
        try await unlock.waitForPrompts(1)
        await bench.settle()
        latch.open()
        for call in calls { try await call.value }
        #expect(bench.observer.unlocks.count == 1)
    }

    @Test("the kinds are those that the authenticators name")
    func kinds() {
        for name in ["biometrics", "passcode", "pin", "passphrase", "recoveryCode"] {
            let grant = UnlockGrant(provenAt: MonotonicInstant(nanoseconds: 0), method: name)
            #expect(AuthObservation.UnlockKind(grant).rawValue == name)
        }
        for name in ["", "Biometrics", "face of Ada", "CANARY"] {
            let grant = UnlockGrant(provenAt: MonotonicInstant(nanoseconds: 0), method: name)
            #expect(AuthObservation.UnlockKind(grant) == .other)
        }
    }
}
