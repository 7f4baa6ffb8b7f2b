import LatchkeySystem

/// Limits retries to a share of the requests, so that a service that is down does not get several times the load.
///
/// Each request adds a share of a retry, and each retry takes one out. The budget never exceeds the
/// reserve. Counted in hundredths.
final class RetryBudget: Sendable {
    private let share: Int
    private let most: Int
    private let left: Locked<Int>

    init(percent: Int, reserve: Int) {
        share = min(max(percent, 0), 100)
        most = min(max(reserve, 0), 1_000_000) * 100
        left = Locked(most)
    }

    func noteRequest() { left.withLock { $0 = min(most, $0 + share) } }

    /// Takes out one retry. Returns `false` if there is none.
    func take() -> Bool {
        left.withLock { left in
            guard left >= 100 else { return false }
            left -= 100
            return true
        }
    }
}
