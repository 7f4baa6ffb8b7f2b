public import Latchkey
import LatchkeyLocked

/// Keeps what it sees, the newest ones when there are too many.
public final class RecordingObserver: AuthObserver {
    private let limit: Int
    private let seen = Locked<[Observation]>([])
    private let tally = Tally()

    /// An observer that keeps up to `limit` observations.
    public init(limit: Int = 10_000) { self.limit = max(limit, 1) }

    /// What was seen, the oldest first.
    public var observations: [Observation] { seen.withLock { $0 } }

    /// How many were seen, dropped ones included.
    public var count: Int { tally.count }

    /// Returns when at least `count` were seen.
    public func wait(for count: Int) async throws { try await tally.wait(for: count) }

    /// Keeps the observation.
    public func observe(_ observation: Observation) {
        seen.withLock { seen in
            if seen.count == limit { seen.removeFirst() }
            seen.append(observation)
        }
        tally.add()
    }
}
