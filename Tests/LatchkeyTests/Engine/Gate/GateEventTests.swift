import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

/// What listeners hear of the gate, at the moment and after it.
@Suite struct GateEventTests {
    /// Collects what a client tells.
    private final class Heard: Sendable {
        let events = Locked<[AuthEvent]>([])

        init(_ auth: AuthClient) {
            let stream = auth.events
            Task.detached { [events] in for await event in stream { events.withLock { $0.append(event) } } }
        }

        /// What was told of the gate.
        var gate: [AuthEvent] {
            events.withLock { events in
                events.filter { event in
                    switch event {
                    case .locked, .unlocked, .shieldChanged, .unlockOffered, .unlockAvailabilityChanged: true
                    default: false
                    }
                }
            }
        }
    }

    private func process(
        _ bench: Bench, _ policy: UnlockPolicy
    ) async throws -> (ScriptedUnlock, AuthClient, Heard) {
        if try await bench.store.keys(.credential).isEmpty { _ = try await bench.signedIn() }
        let unlock = ScriptedUnlock(clock: bench.clock)
        let auth = try bench.process(seed: 9) { $0.unlock(unlock, reason: "Show your notes", policy: policy) }
        return (unlock, auth, Heard(auth))
    }

    @Test("an interval that lapses is told at its very end, and not before", .law(12))
    func lapse() async throws {
        let bench = Bench()
        let (_, auth, heard) = try await process(bench, UnlockPolicy(interval: .seconds(60), shields: false))
        try await auth.unlock()
        await bench.settle()
        bench.clock.advance(by: .seconds(60) - .nanoseconds(1))
        await bench.settle()
        #expect(heard.gate == [.unlocked])
        bench.clock.advance(by: .nanoseconds(1))
        try await bench.until { heard.gate == [.unlocked, .locked] }
        #expect(bench.observer.observations.filter { $0 == .gate(locked: true) }.count == 1)
        try await auth.unlock()
        try await bench.until { heard.gate == [.unlocked, .locked, .unlocked] }
    }

    @Test("background work gets tokens until the policy's time is over, and none afterwards", .law(12))
    func backgroundWork() async throws {
        let bench = Bench()
        let (unlock, auth, heard) = try await process(
            bench, UnlockPolicy(afterBackground: .seconds(60), shields: false))
        try await auth.unlock()
        _ = try await auth.accessToken()
        await auth.setPhase(.background)
        bench.clock.advance(by: .seconds(60) - .nanoseconds(1))
        _ = try await auth.accessToken()
        await bench.settle()
        bench.clock.advance(by: .nanoseconds(1))
        #expect(auth.currentToken() == nil)
        #expect(await code { try await auth.accessToken() } == .locked)
        try await bench.until { heard.gate == [.unlocked, .locked] }
        #expect(await code { try await auth.unlock() } == .locked)
        #expect(unlock.promptCount == 1)
        await auth.setPhase(.active)
        #expect(auth.isLocked)
        try await auth.unlock()
        #expect(unlock.promptCount == 2)
    }

    @Test("labels are hidden while locked, unless the policy shows them", .law(12), arguments: [false, true])
    func labels(_ shown: Bool) async throws {
        let bench = Bench()
        let (_, auth, _) = try await process(bench, UnlockPolicy(showsLabels: shown))
        try await auth.unlock()
        let label = try #require(try await auth.accounts().first?.label)
        await auth.lock()
        let account = try #require(try await auth.accounts().first)
        #expect(account.label == (shown ? label : nil))
        #expect(account.state == .locked)
    }

    @Test("the cover goes up before the app is hidden, and comes off when it is unlocked", .need("L3"))
    func shield() async throws {
        let bench = Bench()
        let (_, auth, heard) = try await process(bench, UnlockPolicy(afterBackground: .zero))
        #expect(auth.isShielded)
        try await auth.unlock()
        #expect(!auth.isShielded)
        await auth.setPhase(.inactive)
        #expect(auth.isShielded && !auth.isLocked)
        await auth.setPhase(.background)
        #expect(auth.isShielded && auth.isLocked)
        await auth.setPhase(.active)
        #expect(auth.isShielded)
        try await auth.unlock()
        #expect(!auth.isShielded)
        try await bench.until {
            heard.gate == [
                .unlocked, .shieldChanged(isUp: false), .shieldChanged(isUp: true), .locked, .unlocked,
                .shieldChanged(isUp: false),
            ]
        }
    }

    @Test("an authenticator that can ask no longer is told of when the app comes back", .need("N16"))
    func availability() async throws {
        let bench = Bench()
        let (unlock, auth, heard) = try await process(bench, UnlockPolicy(shields: false))
        await auth.setPhase(.active)
        #expect(heard.gate == [])
        unlock.set(.invalidated)
        await auth.setPhase(.active)
        try await bench.until { heard.gate == [.unlockAvailabilityChanged(.invalidated)] }
        #expect(await code { try await auth.unlock() } == .unlockUnavailable(.invalidated))
        #expect(unlock.promptCount == 0)
    }
}
