import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// One process switches the unlock on or off, and another one over the same store runs already.
@Suite("A switch in another process") struct GateSwitchTests {
    private let bench = Bench()
    private let unlock: ScriptedUnlock
    private let policy = UnlockPolicy(afterBackground: .seconds(60), enrolment: .offered)

    init() { unlock = ScriptedUnlock(clock: bench.clock) }

    private func process(_ seed: UInt64, _ observer: (any AuthObserver)? = nil) throws -> AuthClient {
        try bench.process(seed: seed) { builder in
            var settings = Bench.settings
            settings.followsStore = false
            let builder = builder.unlock(unlock, reason: "Show your notes", policy: policy).settings(settings)
            return observer.map { builder.observer($0) } ?? builder
        }
    }

    /// Two processes with the same person, of which the first has switched the unlock on.
    private func switchedOn() async throws -> (first: AuthClient, second: AuthClient) {
        let (first, second) = (try process(7), try process(8))
        _ = try await first.signIn(with: "scripted", .anonymous)
        try await second.restore()
        try await first.setUnlockEnabled(true)
        #expect(unlock.promptCount == 1)
        return (first, second)
    }

    @Test("a process that runs already stays open, and can lock", .law(12))
    func locks() async throws {
        let (_, second) = try await switchedOn()
        _ = try await second.accessToken()
        await second.lock()
        #expect(second.isLocked)
        #expect(await code { try await second.accessToken() } == .locked)
        try await second.unlock()
        #expect(unlock.promptCount == 2)
        _ = try await second.accessToken()
    }

    @Test("a process that runs already locks in the background when the policy says so", .law(12))
    func background() async throws {
        let (_, second) = try await switchedOn()
        await second.setPhase(.background)
        #expect(!second.isLocked)
        bench.clock.advance(by: .seconds(61))
        #expect(second.isLocked)
        await second.setPhase(.active)
        #expect(await code { try await second.accessToken() } == .locked)
    }

    @Test("a process that runs already can switch it off, which counts for the next process", .law(12))
    func switchesOff() async throws {
        let (_, second) = try await switchedOn()
        try await second.setUnlockEnabled(false)
        let next = try process(9)
        try await next.restore()
        #expect(!next.isLocked)
        #expect(unlock.promptCount == 1)
    }

    @Test("the last sign-out switches it off, whichever process it is in", .law(12))
    func lastSignOut() async throws {
        let (_, second) = try await switchedOn()
        try await second.signOut()
        let next = try process(9)
        #expect(try await next.accounts().isEmpty)
        #expect(!next.isLocked)
    }

    @Test("a sign-out that leaves somebody keeps it")
    func notLast() async throws {
        let (first, second) = try await switchedOn()
        bench.service.script(turns: .granted(to: "bob"))
        _ = try await first.signIn(with: "scripted", .anonymous)
        try await second.restore()
        try await second.signOut()
        let next = try process(9)
        #expect(await code { try await next.restore() } == .locked)
    }

    @Test(
        "switched off, a locked process stays locked until its app unlocks it, and then no proof is asked for", .law(12)
    )
    func staysLocked() async throws {
        let (first, second) = try await switchedOn()
        await second.lock()
        try await first.setUnlockEnabled(false)
        await second.setPhase(.active)
        #expect(await code { try await second.accessToken() } == .locked)
        try await second.unlock()
        #expect(unlock.promptCount == 1)
        _ = try await second.accessToken()
        await second.lock()
        #expect(!second.isLocked)
    }

    @Test("a gate that is shut follows a switch that is off only where the app opens it", .law(12))
    func shut() {
        let now = bench.clock.now()
        for opens in [false, true] {
            var state = GateState(policy, isInForce: true, isOpen: false)
            let change = state.follow(isInForce: false, opens: opens, at: now)
            #expect(state.isInForce == !opens)
            #expect((now < state.openUntil) == opens)
            #expect(change.events.contains(.unlocked) == opens)
        }
    }

    @Test("a record that was damaged meanwhile counts as switched on", .law(12))
    func damaged() async throws {
        let (first, second) = try await switchedOn()
        try await first.setUnlockEnabled(false)
        let version = try await bench.store.read(GateRecord.key)?.version
        try await bench.store.replace(GateRecord.key, at: version, with: Array("{".utf8))
        await second.lock()
        #expect(second.isLocked)
    }

    @Test("where the store reports changes, a running process follows a switch at once, on and off", .law(12))
    func watched() async throws {
        let store = bench.store.inner
        func process(_ seed: UInt64) throws -> AuthClient {
            try bench.process(seed: seed) { $0.store(store).unlock(unlock, reason: "test", policy: policy) }
        }
        let (first, second) = (try process(7), try process(8))
        _ = try await first.signIn(with: "scripted", .anonymous)
        try await second.restore()
        try await first.setUnlockEnabled(true)
        try await bench.run { [bench] in try await bench.until { second.engine.gate.isInForce } }
        #expect(!second.isLocked)
        try await first.setUnlockEnabled(false)
        try await bench.run { [bench] in try await bench.until { !second.engine.gate.isInForce } }
        #expect(unlock.promptCount == 1)
    }

    @Test("a launch without a switch is not noted as an unlocking")
    func nothingUnlocked() async throws {
        _ = try await bench.signedIn()
        let auth = try process(9)
        try await auth.restore()
        #expect(!auth.isLocked)
        #expect(!bench.observer.observations.contains { if case .gate = $0 { true } else { false } })
    }
}
