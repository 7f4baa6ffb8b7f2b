public import Latchkey

/// When a key set is fetched again; OpenID Connect Core 1.0 section 10.1.1 rolls keys over by unknown identifiers.
///
/// Pure: times come in as values, and fetching is the caller's.
public struct KeySetRefreshRule: Hashable, Sendable {
    /// The shortest time between two fetches, so that tokens with invented identifiers cause no flood.
    public var minimumInterval: Duration
    /// How old a set may get before it is fetched again even though it answers, so that a withdrawn key goes.
    public var maximumAge: Duration

    /// A rule; 60 seconds and an hour by default.
    public init(minimumInterval: Duration = .seconds(60), maximumAge: Duration = .seconds(3600)) {
        self.minimumInterval = minimumInterval
        self.maximumAge = maximumAge
    }

    /// What to do next.
    public enum Decision: Hashable, Sendable {
        /// Use the set as it is: check the token, or refuse it for the reason the set gives.
        case use
        /// Fetch first, then select once more. If the fetch fails, use what is there.
        case fetch
    }

    /// Whether to fetch before a token is checked.
    public func decide(
        _ selection: JSONWebKeySet.Selection, in held: HeldKeySet, now: MonotonicInstant
    ) -> Decision {
        guard let attemptedAt = held.attemptedAt else { return .fetch }
        guard now - attemptedAt >= minimumInterval else { return .use }
        switch selection {
        case .unknownKeyID, .none: return .fetch
        case .key, .ambiguous, .mismatched, .refused: break
        }
        guard let fetchedAt = held.fetchedAt, now - fetchedAt < maximumAge else { return .fetch }
        return .use
    }
}

/// A key set with when it was fetched, and when that was last tried.
public struct HeldKeySet: Sendable {
    /// The last set that had a key; empty before the first.
    public private(set) var keys = JSONWebKeySet()
    /// When ``keys`` came.
    public private(set) var fetchedAt: MonotonicInstant?
    /// When a fetch was last begun.
    public private(set) var attemptedAt: MonotonicInstant?

    /// Nothing fetched yet.
    public init() {}

    /// Notes that a fetch begins; to be called before the request leaves.
    public mutating func beginFetch(at now: MonotonicInstant) {
        attemptedAt = now
    }

    /// Takes over what a fetch gave, `nil` where it failed. An empty or failed fetch changes nothing.
    public mutating func endFetch(with fetched: JSONWebKeySet?, at now: MonotonicInstant) {
        guard let fetched, !fetched.isEmpty else { return }
        keys = fetched
        fetchedAt = now
    }
}
