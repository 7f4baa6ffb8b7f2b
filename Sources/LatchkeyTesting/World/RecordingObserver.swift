public import Latchkey
import LatchkeySystem

/// Keeps the newest observations, and lets a test wait for them.
public final class RecordingObserver: AuthObserver {
    private let limit: Int
    /// A ring once it is full; `oldest` is its beginning.
    private let seen = Locked((kept: [AuthObservation](), oldest: 0))
    private let tally = Tally()

    /// Creates an observer that keeps the newest `limit` observations, at least one.
    public init(limit: Int = 10_000) { self.limit = max(limit, 1) }

    /// The observations, the oldest first.
    public var observations: [AuthObservation] {
        seen.withLock { Array($0.kept[$0.oldest...] + $0.kept[..<$0.oldest]) }
    }

    /// The number of observations, including dropped ones.
    public var count: Int { tally.count }

    /// Returns when there have been at least `count` observations.
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
