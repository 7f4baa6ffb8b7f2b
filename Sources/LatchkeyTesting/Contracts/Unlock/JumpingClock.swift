import FoundationEssentials
import Latchkey
import LatchkeySystem

/// A clock on which time passes only while a task sleeps, and that a contract sets and restarts.
final class JumpingClock: AuthClock {
    private struct State {
        var now: MonotonicInstant
        var wall: Date
        var boot: String
        var sleeps = 0
    }

    private let state: Locked<State>

    /// Creates a clock that shows what `clock` shows.
    init(_ clock: any AuthClock) {
        state = Locked(State(now: clock.now(), wall: clock.wall(), boot: clock.boot))
    }

    func now() -> MonotonicInstant { state.withLock { $0.now } }

    func wall() -> Date { state.withLock { $0.wall } }

    var boot: String { state.withLock { $0.boot } }

    func sleep(until instant: MonotonicInstant) async throws {
        try Task.checkCancellation()
        let sleeps = state.withLock { state in
            state.sleeps += 1
            let (seconds, attoseconds) = max(instant - state.now, .zero).components
            state.now = max(instant, state.now)
            state.wall.addTimeInterval(Double(seconds) + Double(attoseconds) / 1e18)
            return state.sleeps
        }
        // Others have their turn now and then, which takes its time on a busy machine.
        if sleeps % 64 == 0 { await Task.yield() }
    }

    /// Sets the wall clock so many seconds ahead; back if negative.
    func setWall(aheadBy seconds: Double) { state.withLock { $0.wall.addTimeInterval(seconds) } }

    /// Starts the machine anew. It has run for a second since, and the wall clock goes on.
    func restart() {
        state.withLock { state in
            state.boot += "-next"
            state.now = MonotonicInstant(nanoseconds: 0) + .seconds(1)
            state.wall.addTimeInterval(1)
        }
    }
}
