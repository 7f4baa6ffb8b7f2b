public import FoundationEssentials
public import Latchkey
import LatchkeySystem

/// A clock that stands still until a test moves it.
public final class ManualClock: AuthClock {
    fileprivate struct Sleeper {
        var id: Int
        var instant: MonotonicInstant
        var latch: Latch
    }

    fileprivate struct State {
        var now: MonotonicInstant
        var wall: Date
        var boot: String
        var nextID = 0
        var sleepers: [Sleeper] = []
    }

    private let state: Locked<State>
    private let sleeping = Tally()

    /// Creates a clock that shows `wall`, `uptime` after the start of the boot called `boot`.
    public init(
        wall: Date = Date(timeIntervalSince1970: 1_800_000_000), uptime: Duration = .seconds(1_000),
        boot: String = "first-boot"
    ) {
        state = Locked(State(now: MonotonicInstant(nanoseconds: 0) + uptime, wall: wall, boot: boot))
    }

    /// The boot-time clock.
    public func now() -> MonotonicInstant { state.withLock { $0.now } }

    /// The running boot's name.
    public var boot: String { state.withLock { $0.boot } }

    /// The wall clock.
    public func wall() -> Date { state.withLock { $0.wall } }

    /// Moves both clocks forward, and wakes the sleepers whose instants have come, the earliest first.
    public func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let woken = state.withLock { state in
            state.now = state.now + duration
            state.wall.addTimeInterval(Double(seconds) + Double(attoseconds) / 1e18)
            return state.takeDue()
        }
        wake(woken)
    }

    /// Moves both clocks to the earliest instant that a task sleeps until, and wakes that task.
    ///
    /// - Returns: How far the clocks moved; `nil` if nobody sleeps.
    @discardableResult
    public func advanceToNextSleeper() -> Duration? {
        let rest = state.withLock { state in state.sleepers.map(\.instant).min().map { $0 - state.now } }
        guard let rest else { return nil }
        advance(by: max(rest, .zero))
        return max(rest, .zero)
    }

    /// Sets the wall clock, as a person or the network would. Wakes nobody.
    public func setWall(_ wall: Date) { state.withLock { $0.wall = wall } }

    /// Begins another boot, whose clock counts from `uptime`. Sleepers of the previous boot stay asleep.
    public func setBoot(_ boot: String, uptime: Duration = .zero) {
        state.withLock { state in
            state.boot = boot
            state.now = MonotonicInstant(nanoseconds: 0) + uptime
        }
    }

    /// The number of sleeping tasks.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// Returns when at least `count` tasks sleep, without waiting for time to pass.
    public func waitForSleepers(_ count: Int = 1) async throws { try await sleeping.wait(for: count) }

    /// Returns when the clock has been moved to `instant`.
    public func sleep(until instant: MonotonicInstant) async throws {
        try Task.checkCancellation()
        let latch = Latch()
        let id = state.withLock { state -> Int? in
            guard instant > state.now else { return nil }
            state.nextID += 1
            state.sleepers.append(Sleeper(id: state.nextID, instant: instant, latch: latch))
            return state.nextID
        }
        guard let id else { return }
        sleeping.add(1)
        do {
            try await latch.wait()
        } catch {
            let left = state.withLock { state in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return false }
                state.sleepers.remove(at: index)
                return true
            }
            if left { sleeping.add(-1) }
            throw error
        }
    }

    private func wake(_ woken: [Sleeper]) {
        sleeping.add(-woken.count)
        for sleeper in woken { sleeper.latch.open() }
    }
}

extension ManualClock.State {
    fileprivate mutating func takeDue() -> [ManualClock.Sleeper] {
        let now = now
        let due = sleepers.filter { $0.instant <= now }
        sleepers.removeAll { $0.instant <= now }
        return due.sorted { ($0.instant, $0.id) < ($1.instant, $1.id) }
    }
}
