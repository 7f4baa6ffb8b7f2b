import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@Suite struct GateTests {
    /// A store with a session in it, and a process with a gate.
    private func locked(_ policy: UnlockPolicy = UnlockPolicy()) async throws -> (Bench, ScriptedUnlock, AuthClient) {
        let bench = Bench()
        _ = try await bench.signedIn()
        let unlock = ScriptedUnlock(clock: bench.clock)
        let auth = try bench.process(seed: 9) { $0.unlock(unlock, reason: "Show your notes", policy: policy) }
        return (bench, unlock, auth)
    }

    @Test(
        "while locked no token leaves, nothing is sent, and nobody is asked", .law(12), .need("R2"),
        .complaint(.supabase, 19), .complaint(.clerk, 30))
    func locked() async throws {
        let (bench, unlock, auth) = try await locked()
        #expect(auth.isLocked)
        #expect(auth.currentToken() == nil)
        #expect(await code { try await auth.accessToken() } == .locked)
        #expect(await code { try await auth.refresh() } == .locked)
        #expect(await code { try await auth.restore() } == .locked)
        #expect(await code { try await auth.signIn(with: "scripted", .anonymous) } == .locked)
        #expect(
            await code { try await auth.perform(replay: .fixed) { _, _ in (CredentialChange(), 1) } } == .locked)
        #expect(unlock.promptCount == 0)
        #expect(bench.service.refreshCount == 0)
    }

    @Test("one proof opens the gate for everybody who asked meanwhile", .law(12))
    func onePrompt() async throws {
        let (bench, unlock, auth) = try await locked()
        let hold = Latch()
        unlock.script(.held(hold, then: .granted))
        let asking = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    asking.withLock { $0 += 1 }
                    try await auth.unlock()
                }
            }
            try await unlock.waitForPrompts(1)
            try await bench.until { asking.withLock { $0 } == 10 }
            await bench.settle()
            hold.open()
            try await group.waitForAll()
        }
        #expect(unlock.prompts == [UnlockPrompt(reason: "Show your notes")])
        #expect(try await auth.accessToken().value.revealText() == "access-1")
    }

    @Test(
        "a proof that fails leaves the gate locked, and says why", .need("B4"),
        arguments: [
            AuthError(.declined, "no"), AuthError(.refused(.wrongInput), "wrong"),
            AuthError(.unlockUnavailable(.missing), "no reader"),
        ])
    func failedProof(_ failure: AuthError) async throws {
        let (_, unlock, auth) = try await locked()
        unlock.script(.failed(failure))
        #expect(await code { try await auth.unlock() } == failure.code)
        #expect(auth.isLocked)
        #expect(await code { try await auth.accessToken() } == .locked)
    }

    @Test("an authenticator that cannot ask is not asked", .need("N1"))
    func unavailable() async throws {
        let (_, unlock, auth) = try await locked()
        unlock.set(.notEnrolled)
        #expect(await code { try await auth.unlock() } == .unlockUnavailable(.notEnrolled))
        unlock.set(.lockedOut(.seconds(30)))
        #expect(await code { try await auth.unlock() } == .unlockUnavailable(.lockedOut))
        #expect(unlock.promptCount == 0)
    }

    @Test("a proof counts for its interval, to the nanosecond", .law(12), .need("L1"), .complaint(.supabase, 19))
    func interval() async throws {
        let (bench, _, auth) = try await locked(UnlockPolicy(interval: .seconds(300)))
        try await auth.unlock()
        bench.clock.advance(by: .seconds(300) - .nanoseconds(1))
        #expect(auth.currentToken() == nil || !auth.isLocked)
        #expect(await code { try await auth.accessToken() } == nil)
        bench.clock.advance(by: .nanoseconds(1))
        #expect(auth.isLocked)
        #expect(auth.currentToken() == nil)
        #expect(await code { try await auth.accessToken() } == .locked)
    }

    @Test("being away locks after the policy's time, and not after a passing interruption", .need("L1"))
    func background() async throws {
        let (bench, _, auth) = try await locked(UnlockPolicy(afterBackground: .seconds(60)))
        try await auth.unlock()
        await auth.setPhase(.background)
        bench.clock.advance(by: .seconds(59))
        await auth.setPhase(.active)
        #expect(!auth.isLocked)
        await auth.setPhase(.background)
        bench.clock.advance(by: .seconds(60))
        await auth.setPhase(.active)
        #expect(auth.isLocked)
    }

    @Test("a token that arrives after the gate was closed is not handed out, and not lost", .law(12))
    func closedMeanwhile() async throws {
        let (bench, _, auth) = try await locked(UnlockPolicy(atLaunch: false))
        _ = try await auth.accessToken()
        let held = try await bench.service.hold { try await auth.refresh() }
        await auth.lock()
        held.answer()
        #expect(await code { try await held.value } == .locked)
        #expect(auth.currentToken() == nil)
        try await auth.unlock()
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        #expect(bench.service.refreshCount == 1)
    }

    @Test("locking on demand takes the token away at once", .law(12))
    func onDemand() async throws {
        let (_, _, auth) = try await locked(UnlockPolicy(atLaunch: false))
        _ = try await auth.accessToken()
        await auth.lock()
        #expect(auth.currentToken() == nil)
        #expect(await code { try await auth.accessToken() } == .locked)
        try await auth.unlock()
        #expect(auth.currentToken()?.value.revealText() == "access-1")
    }

    @Test("a client tells the policy that it was built with, and none without an authenticator")
    func policy() async throws {
        let policy = UnlockPolicy(interval: .seconds(60), shields: false, enrolment: .offered, keeping: .whileEnabled)
        let (bench, _, auth) = try await locked(policy)
        #expect(auth.unlockPolicy == policy)
        #expect(try bench.process().unlockPolicy == nil)
    }
}
