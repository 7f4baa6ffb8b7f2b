public import Latchkey

/// A pause that the service demanded, in whole seconds, counted down by the context's clock.
public struct ModelCountdown: Hashable, Sendable {
    /// When it is over.
    public let end: MonotonicInstant
    /// The seconds left, rounded up, so that it shows 1 and never 0 until it is over.
    public private(set) var secondsLeft: Int64

    /// Creates a countdown of `duration` from `now`; a negative one is over at once.
    init(_ duration: Duration, from now: MonotonicInstant) {
        end = now + max(duration, .zero)
        secondsLeft = 0
        count(at: now)
    }

    /// Counts down to `now`.
    ///
    /// - Returns: When the next second is over; `nil` if the pause is over.
    @discardableResult
    mutating func count(at now: MonotonicInstant) -> MonotonicInstant? {
        let left = max(end - now, .zero)
        let (seconds, attoseconds) = left.components
        secondsLeft = seconds + (attoseconds > 0 ? 1 : 0)
        guard secondsLeft > 0 else { return nil }
        return end - .seconds(secondsLeft - 1)
    }
}
