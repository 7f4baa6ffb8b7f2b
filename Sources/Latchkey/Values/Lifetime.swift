public import FoundationEssentials

/// An instant on the clock that starts at boot and keeps running during sleep, in nanoseconds.
/// Instants are comparable only within one boot.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
    /// Nanoseconds since boot, sleep included.
    public var nanoseconds: Int64

    /// Creates the instant `nanoseconds` after boot.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Returns whether the first instant is earlier.
    public static func < (first: Self, second: Self) -> Bool { first.nanoseconds < second.nanoseconds }

    /// Returns the instant `duration` later. Stops at the end of the range instead of overflowing.
    public static func + (instant: Self, duration: Duration) -> Self {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        if overflow { return Self(nanoseconds: duration < .zero ? .min : .max) }
        return Self(nanoseconds: sum)
    }

    /// Returns the instant `duration` earlier.
    public static func - (instant: Self, duration: Duration) -> Self { instant + (.zero - duration) }

    /// Returns the time from the second instant to the first.
    public static func - (first: Self, second: Self) -> Duration {
        .nanoseconds(first.nanoseconds) - .nanoseconds(second.nanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds, limited to the range.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carry ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in seconds.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}

/// When something was received and how long it lasts.
///
/// Within one boot the boot-time clock decides, so that setting the wall clock has no effect.
/// Across boots the wall clock decides, corrected by the service's clock.
public struct Lifetime: Hashable, Sendable {
    /// When the answer was received, on the boot-time clock.
    public var receivedAt: MonotonicInstant
    /// The boot that ``receivedAt`` belongs to.
    public var boot: String
    /// When the answer was received, by the service's clock.
    public var wall: Date
    /// How long it lasts after receipt; never negative.
    public var lasts: Duration

    /// Creates a lifetime. Negative durations become zero, and durations over ``longest`` become ``longest``.
    public init(receivedAt: MonotonicInstant, boot: String, wall: Date, lasts: Duration) {
        self.receivedAt = receivedAt
        self.boot = boot
        self.wall = wall
        self.lasts = min(max(lasts, .zero), Self.longest)
    }

    /// The longest lifetime that is accepted for a token: 10 years.
    public static let longest = Duration.seconds(315_360_000)

    /// Returns when it ends on the boot-time clock of the boot called `boot`. `now` and `serverNow`
    /// are the current time on that clock and on the service's.
    ///
    /// In another boot the wall clock decides how much is left. If that shows a time before the
    /// receipt, it is wrong and the token counts as ended: asking for another one is safe, handing
    /// out an ended one is not.
    public func ends(boot: String, now: MonotonicInstant, serverNow: Date) -> MonotonicInstant {
        if boot == self.boot { return receivedAt + lasts }
        let elapsed = serverNow.timeIntervalSince(wall)
        guard elapsed >= 0, elapsed.isFinite else { return now }
        let rest = lasts - .seconds(min(elapsed, Self.longest.inSeconds))
        return rest > .zero ? now + rest : now
    }
}
