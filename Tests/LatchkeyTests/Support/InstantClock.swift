import FoundationEssentials
import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// A clock on which whoever sleeps has slept already; remembers for how long.
final class InstantClock: AuthClock {
    private let clock: ManualClock
    private let slept = Locked<[Duration]>([])

    init(_ clock: ManualClock = ManualClock()) { self.clock = clock }

    var boot: String { clock.boot }
    var sleeps: [Duration] { slept.withLock { $0 } }

    func now() -> MonotonicInstant { clock.now() }
    func wall() -> Date { clock.wall() }
    func advance(by duration: Duration) { clock.advance(by: duration) }

    func sleep(until instant: MonotonicInstant) async throws {
        try Task.checkCancellation()
        let rest = instant - now()
        slept.withLock { $0.append(rest) }
        clock.advance(by: rest)
    }
}
