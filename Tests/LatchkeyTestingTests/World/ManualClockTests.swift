import FoundationEssentials
import Latchkey
import LatchkeyTesting
import Testing

@Suite("Manual clock")
struct ManualClockTests {
    @Test("a sleeper wakes at its instant and not before") func wakes() async throws {
        let clock = ManualClock()
        let end = clock.now() + .seconds(10)
        async let woken: Void = clock.sleep(until: end)
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(9))
        #expect(clock.sleepers == 1)
        clock.advance(by: .seconds(1))
        try await woken
        #expect(clock.sleepers == 0)
    }

    @Test("a cancelled sleeper throws and is gone") func cancelled() async throws {
        let clock = ManualClock()
        let end = clock.now() + .seconds(10)
        let task = Task { try await clock.sleep(until: end) }
        try await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleepers == 0)
    }

    @Test("setting the wall clock moves nothing else") func wall() {
        let clock = ManualClock()
        let (now, wall) = (clock.now(), clock.wall())
        clock.setWall(wall.addingTimeInterval(-86_400))
        #expect(clock.now() == now)
        #expect(clock.wall() == wall.addingTimeInterval(-86_400))
    }
}
