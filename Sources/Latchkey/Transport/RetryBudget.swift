import LatchkeyLocked

/// Keeps retries to a share of the requests, so that a service that is down is not asked several times as often.
///
/// Each request puts a share of a retry in, each retry takes one out; never more than the reserve is in it. Counted in
/// hundredths.
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

    /// Takes a retry out; `false` when there is none.
    func take() -> Bool {
        left.withLock { left in
            guard left >= 100 else { return false }
            left -= 100
            return true
        }
    }
}
