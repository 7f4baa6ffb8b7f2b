public import FoundationEssentials
public import Latchkey
import LatchkeyLocked

/// One machine of a simulation: its executor, its clocks, and what happens at a later time on it.
///
/// No real time passes. When no job is ready, ``advance(notPast:)`` moves the clock to the next thing that waits for it.
@available(macOS 15, iOS 18, *)
public final class SimulatedMachine: Sendable {
    fileprivate struct Timer {
        var at: MonotonicInstant
        var serial: Int
        var fire: @Sendable () -> Void
    }

    fileprivate struct State {
        var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
        var wall = Date(timeIntervalSince1970: 1_800_000_000)
        var boot = 1
        var elapsed = Duration.zero
        /// How much more time passes than the clocks show, in thousandths.
        var drift = 0
        var serial = 0
        var moments = 0
        var timers: [Timer] = []
    }

    /// Runs the jobs.
    public let executor: SeededExecutor
    private let state = Locked(State())

    /// A machine whose schedule is drawn from `schedule`. Made and driven on one thread.
    public init(schedule: UInt64) { executor = SeededExecutor(seed: schedule) }

    /// The boot-time clock.
    public var now: MonotonicInstant { state.withLock { $0.now } }

    /// The wall clock.
    public var wall: Date { state.withLock { $0.wall } }

    /// The time that has really passed, over all boots and whatever the clocks say.
    public var elapsed: Duration { state.withLock { $0.elapsed } }

    /// The running boot's name.
    public var boot: String { state.withLock { "boot-\($0.boot)" } }

    /// Whether something waits for a time that has come.
    public var isDue: Bool { state.withLock { state in state.timers.contains { $0.at <= state.now } } }

    /// How many things that waited for a time have happened: a sleep was over, an answer came.
    public var moments: Int { state.withLock { $0.moments } }

    /// Sets the wall clock off by so much, as a person or the network would.
    public func turnWall(by duration: Duration) {
        state.withLock { $0.wall.addTimeInterval(Double(duration.components.seconds)) }
    }

    /// Lets the clocks run slow (more than 0) or fast (less), by so many thousandths of what really passes.
    public func setDrift(_ thousandths: Int) { state.withLock { $0.drift = thousandths } }

    /// Begins another boot: its clock counts from one second. What waited on the machine is forgotten by the caller.
    public func reboot() {
        state.withLock { state in
            state.boot += 1
            // Instants of a boot that is over mean nothing; what the network still carries keeps its distance.
            let shift = MonotonicInstant(nanoseconds: 1_000_000_000) - state.now
            state.now = state.now + shift
            for index in state.timers.indices { state.timers[index].at = state.timers[index].at + shift }
        }
    }

    /// Runs `fire` when the clock has come to `instant`. Returns what ``cancel(_:)`` takes.
    @discardableResult
    public func at(_ instant: MonotonicInstant, _ fire: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.serial += 1
            state.timers.append(Timer(at: instant, serial: state.serial, fire: fire))
            return state.serial
        }
    }

    /// Forgets what was to happen.
    public func cancel(_ serial: Int) {
        // What it held goes when the lock is free: its end may use the machine.
        let former = state.withLock { state in
            state.timers.firstIndex { $0.serial == serial }.map { state.timers.remove(at: $0) }
        }
        withExtendedLifetime(former) {}
    }

    /// Moves the clock to the next thing that waits for it, and does that. Returns whether there was one before `end`.
    @discardableResult
    public func advance(notPast end: MonotonicInstant = MonotonicInstant(nanoseconds: .max)) -> Bool {
        let timer = state.withLock { state -> Timer? in
            let first = state.timers.indices.min {
                (state.timers[$0].at, state.timers[$0].serial) < (state.timers[$1].at, state.timers[$1].serial)
            }
            guard let first, state.timers[first].at <= end else { return nil }
            let timer = state.timers.remove(at: first)
            state.pass(timer.at - state.now)
            state.moments += 1
            return timer
        }
        timer?.fire()
        return timer != nil
    }

    /// Lets so much time pass at once, as a suspended machine does: whatever waited is late.
    public func suspend(for duration: Duration) { state.withLock { $0.pass(duration) } }
}

@available(macOS 15, iOS 18, *)
extension SimulatedMachine.State {
    fileprivate mutating func pass(_ duration: Duration) {
        guard duration > .zero else { return }
        now = now + duration
        elapsed += duration + duration * drift / 1_000
        let (seconds, attoseconds) = duration.components
        wall.addTimeInterval(Double(seconds) + Double(attoseconds) / 1e18)
    }
}
