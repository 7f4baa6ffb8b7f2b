import Foundation
import Latchkey
import LatchkeyTesting
import Proofs
import Testing

@Suite struct ClockTests {
    @Test(
        "setting the wall clock, either way, changes nothing within a boot", .law(13), .complaint(.supabase, 17),
        .complaint(.clerk, 33),
        arguments: [-86_400.0, -3_600, 3_600, 86_400])
    func wallJumps(by seconds: Double) async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.setWall(bench.clock.wall().addingTimeInterval(seconds))
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        let other = try bench.process(seed: 9)
        #expect(try await other.accessToken().value.revealText() == "access-1")
        bench.clock.advance(by: .seconds(3_600))
        #expect(try await other.accessToken().value.revealText() == "access-2")
        #expect(bench.service.refreshCount == 1)
    }

    @Test("after a restart of the machine the wall clock tells what is left", .law(13))
    func restart() async throws {
        let bench = Bench()
        _ = try await bench.signedIn()
        bench.clock.advance(by: .seconds(600))
        bench.clock.setBoot("another", uptime: .seconds(5))
        let auth = try bench.process(seed: 9)
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        bench.clock.advance(by: .seconds(2_800))
        #expect(try await auth.accessToken().value.revealText() == "access-2")
    }

    @Test("after a restart with a wall clock before the receipt, a token is refreshed and not believed", .law(13))
    func restartIntoThePast() async throws {
        let bench = Bench()
        _ = try await bench.signedIn()
        bench.clock.setBoot("another", uptime: .seconds(5))
        bench.clock.setWall(bench.clock.wall().addingTimeInterval(-86_400))
        let auth = try bench.process(seed: 9)
        #expect(auth.currentToken() == nil)
        #expect(try await auth.accessToken().value.revealText() == "access-2")
    }

    @Test("a mark of another boot, or of the future, is waited out from when it was first seen", .law(13))
    func foreignMark() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        _ = await code { try await auth.accessToken() }
        bench.clock.setBoot("another", uptime: .seconds(5))
        bench.clock.setWall(bench.clock.wall().addingTimeInterval(7_200))
        let next = try bench.process(seed: 9)
        let begun = bench.clock.now()
        let token = try await bench.run { try await next.accessToken() }
        #expect(token.value.revealText() == "access-2")
        #expect(bench.clock.now() - begun >= .seconds(10))
    }

    @Test("lifetimes no clock can hold are held to ten years, and negative ones to nothing")
    func absurdLifetimes() {
        let clock = ManualClock()
        func ends(_ lasts: Duration) -> Duration {
            Lifetime(receivedAt: clock.now(), boot: clock.boot, wall: clock.wall(), lasts: lasts)
                .ends(boot: clock.boot, now: clock.now(), serverNow: clock.wall()) - clock.now()
        }
        #expect(ends(.seconds(Int64.max)) == Lifetime.longest)
        #expect(ends(.seconds(-5)) == .zero)
        #expect(MonotonicInstant(nanoseconds: .max) + .seconds(1) == MonotonicInstant(nanoseconds: .max))
        #expect(MonotonicInstant(nanoseconds: .min) - .seconds(1) == MonotonicInstant(nanoseconds: .min))
    }

    @Test(
        "a machine that slept past many refreshes makes one when it wakes", .law(13), .complaint(.clerk, 33),
        arguments: [3_700, 86_400, 30 * 86_400])
    func suspend(seconds: Int) async throws {
        let bench = Bench()
        let auth = try bench.wakefulProcess()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        try await bench.clock.waitForSleepers(1)
        // The boot clock runs on in suspend; nothing ticked meanwhile.
        bench.clock.advance(by: .seconds(seconds))
        try await bench.service.waitForRefreshes(1)
        try await bench.until { auth.currentToken() != nil }
        await bench.settle()
        #expect(bench.service.refreshCount == 1)
        #expect(bench.service.sentSecrets == ["refresh-1"])
    }

    @Test("refreshes ahead of need begin also where the only one who asked was cancelled")
    func cancelledAtFirst() async throws {
        let bench = Bench()
        _ = try await bench.signedIn()
        let auth = try bench.wakefulProcess()
        let (reading, hold) = (Latch(), Latch())
        bench.store.script(afterRead: {
            reading.open()
            try await hold.wait()
        })
        let caller = Task { try await auth.accessToken() }
        try await reading.wait()
        caller.cancel()
        #expect(await code { try await caller.value } == .cancelled)
        hold.open()
        try await bench.clock.waitForSleepers(1)
        bench.clock.advance(by: .seconds(3_590))
        try await bench.service.waitForRefreshes(1)
    }

    @Test("an answer that lay in a machine that slept is counted from when its request left", .law(13))
    func sleptOverAnswer() async throws {
        let bench = Bench(tokenLifetime: .seconds(600))
        let auth = try await bench.signedIn()
        let held = try await bench.service.hold { try await auth.refresh() }
        bench.clock.advance(by: .seconds(601))
        held.answer()
        _ = try await held.value
        #expect(auth.currentToken() == nil)
        #expect(try await auth.accessToken().value.revealText() == "access-3")
        #expect(auth.currentToken() != nil)
    }

    @Test("a token that ended in suspend is not handed out as good, not even before the refresh", .law(13))
    func endedInSuspend() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(86_400))
        #expect(auth.currentToken() == nil)
        bench.service.script(refreshes: .failed(TransportError(.unreachable, wasSent: false)))
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
    }

    @Test(
        "after a restart with the wall clock a day off, a token is refreshed once, and nobody is signed out", .law(13),
        arguments: [-86_400.0, 86_400])
    func restartADayOff(by seconds: Double) async throws {
        let bench = Bench()
        _ = try await bench.signedIn()
        bench.clock.setBoot("another", uptime: .seconds(5))
        bench.clock.setWall(bench.clock.wall().addingTimeInterval(seconds))
        let auth = try bench.process(seed: 9)
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        // Set right again: what this boot received is judged by this boot's clock.
        bench.clock.setWall(bench.clock.wall().addingTimeInterval(-seconds))
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        #expect(try await bench.process(seed: 10).accessToken().value.revealText() == "access-2")
        #expect(bench.service.refreshCount == 1)
    }

    @Test(
        "the wall clock set a day off does not wake the sleeping task, nor keep it asleep", .law(13),
        arguments: [-86_400.0, 86_400])
    func wallJumpsWhileAsleep(by seconds: Double) async throws {
        let bench = Bench()
        let auth = try bench.wakefulProcess()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        try await bench.clock.waitForSleepers(1)
        bench.clock.setWall(bench.clock.wall().addingTimeInterval(seconds))
        await bench.settle()
        #expect(bench.service.refreshCount == 0)
        bench.clock.advance(by: .seconds(3_400))
        try await bench.service.waitForRefreshes(1)
        try await bench.until { auth.currentToken()?.value.revealText() == "access-2" }
        await bench.settle()
        #expect(bench.service.refreshCount == 1)
    }

    @Test(
        "an unexplained refusal of another boot, or of the future, does not keep from trying", .law(13),
        arguments: [-3_601.0, 7_200])
    func foreignRefusal(by seconds: Double) async throws {
        let (bench, auth) = try await Bench.ended()
        bench.service.script(refreshes: .refused(Refusal(.unexplained, code: "")))
        #expect(await code { try await auth.accessToken() } == .signInRequired(.refusedWithoutReason))
        bench.clock.setBoot("another", uptime: .seconds(5))
        bench.clock.setWall(bench.clock.wall().addingTimeInterval(seconds))
        let next = try bench.process(seed: 9)
        #expect(try await bench.run { try await next.accessToken() }.value.revealText() == "access-2")
    }

    @Test(
        "a request that may be under way does not keep the sleeping task from sleeping", .law(13),
        .complaint(.supabase, 4))
    func noSpinDuringHoldOff() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_400))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        _ = try await auth.accessToken()
        let wakeful = try bench.wakefulProcess()
        try await wakeful.restore()
        await bench.settle()
        let lanes = bench.observer.laneCount
        await bench.settle()
        #expect(bench.observer.laneCount == lanes)
        #expect(lanes < 5)
        let begun = bench.clock.now()
        try await bench.run { try await bench.service.waitForRefreshes(2) }
        #expect(bench.clock.now() - begun >= .seconds(200))
    }

    @Test("tokens that end as they come are not refreshed without being asked", .law(13), arguments: [0, -5])
    func noStorm(lifetime: Int) async throws {
        let bench = Bench(tokenLifetime: .seconds(lifetime))
        let auth = try bench.wakefulProcess()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        await bench.settle()
        #expect(bench.service.refreshCount == 0)
        _ = await code { try await auth.accessToken() }
        await bench.settle()
        #expect(bench.service.refreshCount == 1)
    }

    @Test(
        "the one sleeping task refreshes ahead of the end, without being asked", .need("R4", "D5"),
        .complaint(.supabase, 4))
    func ahead() async throws {
        let bench = Bench()
        let auth = try AuthClient.Builder().provider(bench.service).store(bench.store).transport(ScriptedTransport())
            .context(bench.world).build()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        try await bench.run { try await bench.service.waitForRefreshes(1) }
        try await bench.until { ![nil, "access-1"].contains(auth.currentToken()?.value.revealText()) }
        #expect(bench.service.sentSecrets.first == "refresh-1")
    }
}

extension RecordingObserver {
    /// How often a lane was asked for.
    fileprivate var laneCount: Int {
        observations.count { if case .store(_, .lock, _, _) = $0 { true } else { false } }
    }
}
