public import FoundationEssentials
public import Latchkey
import LatchkeySystem

/// One machine of a simulation: its executor, its clocks, and its scheduled events.
///
/// No real time passes. When no job is ready, ``advance(notPast:)`` moves the clock to the next scheduled event.
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

    /// The executor that runs the jobs.
    public let executor: SeededExecutor
    private let state = Locked(State())

    /// Creates a machine whose schedule is drawn from `schedule`. Use it only on the thread that creates it.
    public init(schedule: UInt64) { executor = SeededExecutor(seed: schedule) }

    /// The boot-time clock.
    public var now: MonotonicInstant { state.withLock { $0.now } }

    /// The wall clock.
    public var wall: Date { state.withLock { $0.wall } }

    /// The time that has really passed, over all boots and whatever the clocks show.
    public var elapsed: Duration { state.withLock { $0.elapsed } }

    /// The running boot's name.
    public var boot: String { state.withLock { "boot-\($0.boot)" } }

    /// Whether an event is scheduled for a time that has come.
    public var isDue: Bool { state.withLock { state in state.timers.contains { $0.at <= state.now } } }

    /// How many scheduled events have happened, such as the end of a sleep or the arrival of an answer.
    public var moments: Int { state.withLock { $0.moments } }

    /// Moves the wall clock by `duration`, as a person or the network would.
    public func turnWall(by duration: Duration) {
        state.withLock { $0.wall.addTimeInterval(Double(duration.components.seconds)) }
    }

    /// Makes the clocks slow (above 0) or fast (below 0), by this many thousandths of the time that
    /// really passes.
    public func setDrift(_ thousandths: Int) { state.withLock { $0.drift = thousandths } }

    /// Begins another boot, whose clock counts from one second. The caller must drop what waited on the machine.
    public func reboot() {
        state.withLock { state in
            state.boot += 1
            // Instants of an ended boot mean nothing; what the network still carries keeps its distance in time.
            let shift = MonotonicInstant(nanoseconds: 1_000_000_000) - state.now
            state.now = state.now + shift
            for index in state.timers.indices { state.timers[index].at = state.timers[index].at + shift }
        }
    }

    /// Runs `fire` when the clock reaches `instant`. Returns the number for ``cancel(_:)``.
    @discardableResult
    public func at(_ instant: MonotonicInstant, _ fire: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.serial += 1
            state.timers.append(Timer(at: instant, serial: state.serial, fire: fire))
            return state.serial
        }
    }

    /// Cancels a scheduled event.
    public func cancel(_ serial: Int) {
        // Releases what the event held after the lock is free, because its `deinit` may use the machine.
        let former = state.withLock { state in
            state.timers.firstIndex { $0.serial == serial }.map { state.timers.remove(at: $0) }
        }
        withExtendedLifetime(former) {}
    }

    /// Moves the clock to the next scheduled event and runs it. Returns whether there was one before `end`.
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

    /// Lets this much time pass at once, as on a suspended machine: every event in between is late.
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
