import Proofs
import Testing

@testable import Latchkey

/// The gate's decisions, without clients, stores and clocks.
@Suite struct GateStateTests {
    private static func at(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    private func open(_ policy: UnlockPolicy, at seconds: Int64 = 0) -> GateState {
        var state = GateState(policy, isInForce: true, isOpen: false)
        _ = state.proved(at: Self.at(seconds), now: Self.at(seconds))
        return state
    }

    @Test("it starts shut, and is told open by a proof, once")
    func opening() {
        var state = GateState(UnlockPolicy(shields: false), isInForce: true, isOpen: false)
        #expect(Self.at(0) >= state.openUntil)
        #expect(state.proved(at: Self.at(1), now: Self.at(1)).events == [.unlocked])
        #expect(state.proved(at: Self.at(2), now: Self.at(2)).events == [])
        #expect(state.openUntil == .never)
    }

    @Test("an interval counts from the proof, not from when it was told of")
    func lateGrant() {
        var state = GateState(UnlockPolicy(interval: .seconds(60)), isInForce: true, isOpen: false)
        _ = state.proved(at: Self.at(10), now: Self.at(50))
        #expect(state.openUntil == Self.at(70))
    }

    @Test("a proof that is older than its interval opens nothing")
    func oldGrant() {
        var state = GateState(UnlockPolicy(interval: .seconds(60), shields: false), isInForce: true, isOpen: false)
        #expect(state.proved(at: Self.at(10), now: Self.at(70)).events == [])
        #expect(Self.at(70) >= state.openUntil)
    }

    @Test(
        "a deadline that has passed untold is told before the proof that opens it again", .law(12),
        arguments: [60, 61, 10_000])
    func lapsedUntold(_ now: Int64) {
        var state = open(UnlockPolicy(interval: .seconds(60)))
        let change = state.proved(at: Self.at(now), now: Self.at(now))
        #expect(change.events == [.shieldChanged(isUp: true), .locked, .unlocked, .shieldChanged(isUp: false)])
        // The proof has opened the store, too.
        #expect(!change.closesStore)
        var early = open(UnlockPolicy(interval: .seconds(60)))
        #expect(early.proved(at: Self.at(59), now: Self.at(59)).events == [])
        // One that is too old opens nothing, and what has passed is told all the same.
        var late = open(UnlockPolicy(interval: .seconds(60), shields: false))
        let old = late.proved(at: Self.at(0), now: Self.at(now))
        #expect(old.events == [.locked] && old.closesStore)
    }

    @Test("in the background it locks by itself when the time is over, and is told so then", .law(12))
    func background() {
        var state = open(UnlockPolicy(afterBackground: .seconds(30), shields: false))
        #expect(state.enter(.background, at: Self.at(100)).events == [])
        #expect(state.openUntil == Self.at(130))
        #expect(state.lapse(at: Self.at(129)).events == [])
        let change = state.lapse(at: Self.at(130))
        #expect(change.events == [.locked])
        #expect(change.closesStore)
        #expect(state.enter(.active, at: Self.at(131)).events == [])
        #expect(Self.at(131) >= state.openUntil)
    }

    @Test(
        "what was away for too long is locked though no alarm has rung", .need("L2"),
        arguments: [130, 131, 10_000] as [Int64])
    func backLate(_ back: Int64) {
        var state = open(UnlockPolicy(afterBackground: .seconds(30), shields: false))
        _ = state.enter(.background, at: Self.at(100))
        #expect(state.enter(.active, at: Self.at(back)).events == [.locked])
        #expect(Self.at(back) >= state.openUntil)
    }

    @Test("going to the background again does not begin the time anew")
    func twice() {
        var state = open(UnlockPolicy(afterBackground: .seconds(30)))
        _ = state.enter(.background, at: Self.at(100))
        _ = state.enter(.inactive, at: Self.at(120))
        _ = state.enter(.background, at: Self.at(125))
        #expect(state.openUntil == Self.at(130))
    }

    @Test("a passing interruption never locks, and covers the app", .need("N19"))
    func interruption() {
        var state = open(UnlockPolicy(afterBackground: .zero))
        #expect(state.enter(.inactive, at: Self.at(1)).events == [.shieldChanged(isUp: true)])
        #expect(state.openUntil == .never)
        #expect(state.enter(.active, at: Self.at(100_000)).events == [.shieldChanged(isUp: false)])
    }

    @Test("the cover stays up from before the app is hidden until it is unlocked")
    func cover() {
        var state = open(UnlockPolicy(afterBackground: .zero))
        #expect(state.enter(.inactive, at: Self.at(1)).events == [.shieldChanged(isUp: true)])
        #expect(state.enter(.background, at: Self.at(2)).events == [.locked])
        #expect(state.enter(.inactive, at: Self.at(3)).events == [])
        #expect(state.enter(.active, at: Self.at(4)).events == [])
        #expect(state.isShielded(at: Self.at(4)))
        #expect(state.proved(at: Self.at(5), now: Self.at(5)).events == [.unlocked, .shieldChanged(isUp: false)])
    }

    @Test("without a gate nothing locks, and nothing is covered")
    func noGate() {
        var state = GateState(UnlockPolicy(afterBackground: .zero), isInForce: false, isOpen: true)
        #expect(state.enter(.background, at: Self.at(1)).events == [])
        #expect(state.lock(at: Self.at(2)).events == [])
        #expect(state.lapse(at: Self.at(3)).events == [])
        #expect(state.openUntil == .never)
    }

    @Test("unlocked in the background, it locks after the time all the same")
    func provedAway() {
        var state = open(UnlockPolicy(afterBackground: .seconds(30)))
        _ = state.enter(.background, at: Self.at(100))
        _ = state.lapse(at: Self.at(130))
        _ = state.proved(at: Self.at(140), now: Self.at(140))
        #expect(state.openUntil == Self.at(170))
    }

    @Test("a time near the end of the clock does not turn over")
    func overflow() {
        var state = GateState(UnlockPolicy(interval: .seconds(300)), isInForce: true, isOpen: false)
        let end = MonotonicInstant(nanoseconds: .max - 5)
        _ = state.proved(at: end, now: end)
        #expect(end < state.openUntil)
    }

    @Test("another interval counts from the last proof, in both directions, and what has lapsed stays locked", .law(12))
    func otherInterval() {
        var state = open(UnlockPolicy(interval: .seconds(60), shields: false), at: 10)
        #expect(state.apply(UnlockPolicy(interval: .seconds(100), shields: false), at: Self.at(20)).events == [])
        #expect(state.openUntil == Self.at(110))
        #expect(state.apply(UnlockPolicy(interval: .seconds(5), shields: false), at: Self.at(20)).events == [.locked])
        #expect(state.apply(UnlockPolicy(shields: false), at: Self.at(20)).events == [])
        #expect(Self.at(20) >= state.openUntil)
        var lapsed = open(UnlockPolicy(interval: .seconds(60), shields: false), at: 10)
        #expect(lapsed.apply(UnlockPolicy(shields: false), at: Self.at(70)).events == [.locked])
        #expect(Self.at(70) >= lapsed.openUntil)
    }

    @Test("where nothing was proven, an interval counts from when it was set") func firstInterval() {
        var state = GateState(UnlockPolicy(atLaunch: false, shields: false), isInForce: true, isOpen: true)
        #expect(state.apply(UnlockPolicy(atLaunch: false, interval: .seconds(60)), at: Self.at(5)).events == [])
        #expect(state.openUntil == Self.at(65))
    }

    @Test("another time for the background counts from when it was set, for an app that is away", .law(12))
    func otherAway() {
        var state = open(UnlockPolicy(afterBackground: .seconds(30), shields: false))
        _ = state.enter(.background, at: Self.at(100))
        let longer = UnlockPolicy(afterBackground: .seconds(300), shields: false)
        #expect(state.apply(longer, at: Self.at(120)).events == [])
        #expect(state.openUntil == Self.at(420))
        #expect(state.apply(UnlockPolicy(afterBackground: .zero, shields: false), at: Self.at(121)).events == [.locked])
        #expect(state.enter(.active, at: Self.at(122)).events == [])
        #expect(Self.at(122) >= state.openUntil)
    }

    @Test("a shield that is switched on covers an app that is out of sight at once") func otherShield() {
        var state = open(UnlockPolicy(shields: false))
        _ = state.enter(.inactive, at: Self.at(1))
        #expect(state.apply(UnlockPolicy(), at: Self.at(2)).events == [.shieldChanged(isUp: true)])
    }
}
