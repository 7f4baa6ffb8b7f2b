/// A pause in whole seconds, counted down by a clock that runs on while the device sleeps.
public struct Countdown: Hashable, Sendable {
    /// When it is over.
    public let end: MonotonicInstant
    /// The seconds left, rounded up, so that it shows 1 and never 0 until it is over.
    public private(set) var secondsLeft: Int64

    /// Creates a countdown of `duration` from `now`; a negative one is over at once.
    public init(_ duration: Duration, from now: MonotonicInstant) {
        end = now + max(duration, .zero)
        secondsLeft = 0
        count(at: now)
    }

    /// Counts down to `now`.
    ///
    /// - Returns: When the next second is over; `nil` if the pause is over.
    @discardableResult
    public mutating func count(at now: MonotonicInstant) -> MonotonicInstant? {
        let left = max(end - now, .zero)
        let (seconds, attoseconds) = left.components
        secondsLeft = seconds + (attoseconds > 0 ? 1 : 0)
        guard secondsLeft > 0 else { return nil }
        return end - .seconds(secondsLeft - 1)
    }
}

/// The seconds left of a pause: at once, at each further second, and 0 when it is over.
///
/// A reader that is late, or whose device slept, gets the number of the moment and misses those between. If the
/// reading task is cancelled, the sequence ends without the 0.
public struct CountdownSeconds: AsyncSequence, Sendable {
    let start: Countdown
    let clock: any AuthClock

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(countdown: start, clock: clock) }

    /// Reads the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        var countdown: Countdown
        let clock: any AuthClock
        private var nextAt: MonotonicInstant?
        private var hasBegun = false
        private var isOver = false

        init(countdown: Countdown, clock: any AuthClock) {
            self.countdown = countdown
            self.clock = clock
        }

        /// Waits for the next second; `nil` after the 0, or when the task is cancelled.
        public mutating func next() async -> Int64? {
            guard !isOver else { return nil }
            if hasBegun, let nextAt {
                do { try await clock.sleep(until: nextAt) } catch {
                    isOver = true
                    return nil
                }
            }
            hasBegun = true
            nextAt = countdown.count(at: clock.now())
            isOver = nextAt == nil
            return countdown.secondsLeft
        }
    }
}

extension AuthClient {
    /// Counts down the pause that `error` demands (``AuthError/retryAfter``), beginning now.
    ///
    /// ```swift
    /// for await seconds in auth.countdown(of: error) { button.title = seconds > 0 ? "Again in \(seconds) s" : "Again" }
    /// ```
    ///
    /// Until it is over, the client sends nothing of the kind, and throws `rateLimited` with the rest of the pause.
    ///
    /// - Returns: The seconds left; 0 alone if `error` demands no pause.
    public func countdown(of error: AuthError) -> CountdownSeconds {
        let clock = engine.context.clock
        return CountdownSeconds(start: Countdown(error.retryAfter ?? .zero, from: clock.now()), clock: clock)
    }
}
