public import FoundationEssentials

/// An instant of the clock that runs from boot and through sleep, in nanoseconds. Comparable inside one boot only.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
    /// Nanoseconds since boot, sleep included.
    public var nanoseconds: Int64

    /// The instant `nanoseconds` after boot.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Whether the first instant is earlier.
    public static func < (first: Self, second: Self) -> Bool { first.nanoseconds < second.nanoseconds }

    /// The instant `duration` later; stays at the end of the range instead of overflowing.
    public static func + (instant: Self, duration: Duration) -> Self {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        if overflow { return Self(nanoseconds: duration < .zero ? .min : .max) }
        return Self(nanoseconds: sum)
    }

    /// The instant `duration` earlier.
    public static func - (instant: Self, duration: Duration) -> Self { instant + (.zero - duration) }

    /// The time from the second to the first.
    public static func - (first: Self, second: Self) -> Duration {
        .nanoseconds(first.nanoseconds) - .nanoseconds(second.nanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds, held at the ends of the range.
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
/// Inside one boot the boot-time clock decides, so that neither process nor person setting the wall clock matters;
/// across boots the wall clock does, corrected by what the service's clock said.
public struct Lifetime: Hashable, Sendable {
    /// When the answer was received, on the boot-time clock.
    public var receivedAt: MonotonicInstant
    /// Which boot ``receivedAt`` belongs to.
    public var boot: String
    /// When the answer was received, by the service's clock.
    public var wall: Date
    /// How long it lasts from receipt; never negative.
    public var lasts: Duration

    /// A lifetime of its parts. Negative durations become zero, and those over ``longest`` become that.
    public init(receivedAt: MonotonicInstant, boot: String, wall: Date, lasts: Duration) {
        self.receivedAt = receivedAt
        self.boot = boot
        self.wall = wall
        self.lasts = min(max(lasts, .zero), Self.longest)
    }

    /// The longest a token is believed to last: 10 years.
    public static let longest = Duration.seconds(315_360_000)

    /// When it ends on the boot-time clock of the boot called `boot`, now being `now` and the service's clock showing
    /// `serverNow`.
    ///
    /// Across boots the rest is taken from the wall clock. One that shows a time before the receipt is wrong, and
    /// then the token counts as ended: asking for another is safe, handing out an ended one is not.
    public func ends(boot: String, now: MonotonicInstant, serverNow: Date) -> MonotonicInstant {
        if boot == self.boot { return receivedAt + lasts }
        let elapsed = serverNow.timeIntervalSince(wall)
        guard elapsed >= 0, elapsed.isFinite else { return now }
        let rest = lasts - .seconds(min(elapsed, Self.longest.inSeconds))
        return rest > .zero ? now + rest : now
    }
}
