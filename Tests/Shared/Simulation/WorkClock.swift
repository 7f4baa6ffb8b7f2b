import FoundationEssentials
import Latchkey
import LatchkeySystem

/// A process's clock, which also counts the sleeps of its workers.
struct WorkClock: AuthClock {
    let inner: any AuthClock
    let history: History

    var boot: String { inner.boot }

    func now() -> MonotonicInstant { inner.now() }

    func wall() -> Date { inner.wall() }

    func sleep(until instant: MonotonicInstant) async throws {
        guard let worker = History.Worker.current else { return try await inner.sleep(until: instant) }
        history.state.withLock { $0.workers[worker]?.timers += 1 }
        defer { history.state.withLock { $0.workers[worker]?.timers -= 1 } }
        try await inner.sleep(until: instant)
    }
}
