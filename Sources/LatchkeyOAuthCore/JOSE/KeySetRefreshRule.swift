public import Latchkey

/// When to fetch a key set again. By OpenID Connect Core 1.0 section 10.1.1, an unknown key id announces a new key.
///
/// The rule is pure: times are passed in, and the caller does the fetching.
public struct KeySetRefreshRule: Hashable, Sendable {
    /// The shortest time between two fetches, so that tokens with invented key ids cannot cause a flood. The
    /// second fetch alone may follow the first one at once: the key may have been replaced between that fetch and
    /// the signature.
    public var minimumInterval: Duration
    /// The age at which a set is fetched again even though it has the key, so that a withdrawn key disappears.
    public var maximumAge: Duration

    /// Creates a rule. The defaults are 60 seconds and an hour.
    public init(minimumInterval: Duration = .seconds(60), maximumAge: Duration = .seconds(3600)) {
        self.minimumInterval = minimumInterval
        self.maximumAge = maximumAge
    }

    /// What to do next.
    public enum Decision: Hashable, Sendable {
        /// Use the set as it is: check the token, or refuse it for the reason that the set gives.
        case use
        /// Fetch first, then select again. If the fetch fails, use the held set.
        case fetch
    }

    /// Decides whether to fetch before a token is checked.
    public func decide(
        _ selection: JSONWebKeySet.Selection, in held: HeldKeySet, now: MonotonicInstant
    ) -> Decision {
        guard let attemptedAt = held.attemptedAt else { return .fetch }
        guard now - attemptedAt >= minimumInterval || (held.isFirst && selection.isUnknown) else { return .use }
        switch selection {
        case .unknownKeyID, .none: return .fetch
        case .key, .several, .mismatched, .refused: break
        }
        guard let fetchedAt = held.fetchedAt, now - fetchedAt < maximumAge else { return .fetch }
        return .use
    }
}

/// A key set, with the times of its last fetch and of the last attempt to fetch.
public struct HeldKeySet: Sendable {
    /// The last set that had a usable key; before there is one, the last set, which says why its keys are not usable.
    public private(set) var keys = JSONWebKeySet()
    /// When ``keys`` was fetched.
    public private(set) var fetchedAt: MonotonicInstant?
    /// When a fetch was last started.
    public private(set) var attemptedAt: MonotonicInstant?

    /// Whether another process has fetched ``keys``, and this one has not.
    public private(set) var isKept = false

    private var attempts = 0

    /// Creates an empty set that has not been fetched.
    public init() {}

    /// Creates a set that another process has fetched. The next fetch may follow at once.
    public init(_ keys: JSONWebKeySet, fetchedAt: MonotonicInstant) {
        (self.keys, self.fetchedAt, attemptedAt) = (keys, fetchedAt, fetchedAt)
        (isKept, attempts) = (true, 1)
    }

    /// Whether the set came by the only attempt so far.
    var isFirst: Bool { attempts == 1 && fetchedAt != nil }

    /// Records the start of a fetch. Call this before the request is sent.
    public mutating func beginFetch(at now: MonotonicInstant) {
        attemptedAt = now
        attempts = min(attempts + 1, 2)
    }

    /// Records the result of a fetch, `nil` if it failed. A failed fetch, or one without a usable key, takes nothing
    /// away.
    public mutating func endFetch(with fetched: JSONWebKeySet?, at now: MonotonicInstant) {
        guard let fetched else { return }
        guard !fetched.isEmpty else {
            if keys.isEmpty { keys = fetched }
            return
        }
        keys = fetched
        fetchedAt = now
        isKept = false
    }
}

extension JSONWebKeySet.Selection {
    /// Whether another set may have the key.
    fileprivate var isUnknown: Bool {
        switch self {
        case .unknownKeyID, .none: true
        default: false
        }
    }
}
