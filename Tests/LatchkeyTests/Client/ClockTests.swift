import Foundation
import Latchkey
import LatchkeyTesting
import Testing

@Suite struct ClockTests {
    @Test(
        "setting the wall clock, either way, changes nothing within a boot",
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
        #expect(bench.service.renewCount == 1)
    }

    @Test("after a restart of the machine the wall clock tells what is left")
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

    @Test("after a restart with a wall clock before the receipt, a token is renewed and not believed")
    func restartIntoThePast() async throws {
        let bench = Bench()
        _ = try await bench.signedIn()
        bench.clock.setBoot("another", uptime: .seconds(5))
        bench.clock.setWall(bench.clock.wall().addingTimeInterval(-86_400))
        let auth = try bench.process(seed: 9)
        #expect(auth.currentToken() == nil)
        #expect(try await auth.accessToken().value.revealText() == "access-2")
    }

    @Test("a mark of another boot, or of the future, is waited out from when it was first seen")
    func foreignMark() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(renewals: .failed(TransportError(.interrupted, wasSent: true)))
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

    @Test("the one sleeping task renews ahead of the end, without being asked")
    func ahead() async throws {
        let bench = Bench()
        let auth = try AuthClient.Builder().provider(bench.service).store(bench.store).transport(ScriptedTransport())
            .context(bench.world).build()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        try await bench.run { try await bench.service.waitForRenewals(1) }
        while auth.currentToken()?.value.revealText() != "access-2" { await Task.yield() }
        #expect(bench.service.sentSecrets.first == "renewal-1")
    }
}
