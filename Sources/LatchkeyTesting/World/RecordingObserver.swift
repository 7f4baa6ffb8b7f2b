public import Latchkey
import LatchkeyLocked

/// Keeps what it sees, the newest ones when there are too many, and lets a test wait for it.
public final class RecordingObserver: AuthObserver {
    private let limit: Int
    /// A ring once it is full; `oldest` is where it begins.
    private let seen = Locked((kept: [AuthObservation](), oldest: 0))
    private let tally = Tally()

    /// An observer that keeps up to `limit` observations, at least one; each further one takes the oldest one's place.
    public init(limit: Int = 10_000) { self.limit = max(limit, 1) }

    /// What was seen, the oldest first.
    public var observations: [AuthObservation] {
        seen.withLock { Array($0.kept[$0.oldest...] + $0.kept[..<$0.oldest]) }
    }

    /// How many were seen, dropped ones included.
    public var count: Int { tally.count }

    /// Returns when at least `count` were seen.
    public func wait(for count: Int) async throws { try await tally.wait(for: count) }

    /// Keeps the observation.
    public func observe(_ observation: AuthObservation) {
        seen.withLock { seen in
            guard seen.kept.count == limit else { return seen.kept.append(observation) }
            seen.kept[seen.oldest] = observation
            seen.oldest = (seen.oldest + 1) % limit
        }
        tally.add()
    }
}
