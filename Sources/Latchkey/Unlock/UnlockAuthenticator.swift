/// Proves that the person is there.
///
/// There is no `Bool` to forget: an authenticator returns a grant or throws.
public protocol UnlockAuthenticator: Sendable {
    /// Whether it can ask now. Never prompts.
    func availability() async -> UnlockAvailability

    /// Asks for proof and returns once it is given. The gate never shows two prompts at once.
    ///
    /// - Throws: ``AuthError``: `declined` when the person says no, `refused(.wrongInput)` when the proof is wrong,
    ///   `unlockUnavailable` when this device cannot ask.
    func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant
}

/// An authenticator whose grant carries the key that opens a ``LockableStore``.
public protocol KeyReleasing: UnlockAuthenticator {
    /// Asks for proof and gives the key. The gate hands it to the store and drops it.
    func unlockKey(_ prompt: UnlockPrompt) async throws -> (UnlockGrant, Secret)
}

/// Whether an authenticator can ask.
@nonexhaustive
public enum UnlockAvailability: Hashable, Sendable {
    /// It can.
    case available
    /// The person has not set it up.
    case notEnrolled
    /// Too many wrong tries; the duration says how long, where known.
    case lockedOut(Duration?)
    /// This device has no means; the reason is a sentence for a log.
    case missing(reason: String)
}

/// What to show when asking.
public struct UnlockPrompt: Hashable, Sendable {
    /// One sentence in the person's language, without a full stop.
    public var reason: String

    /// A prompt with its reason.
    public init(reason: String) { self.reason = reason }
}

/// Evidence of one unlock, held in memory and never stored.
public struct UnlockGrant: Hashable, Sendable {
    /// When the proof was given.
    public var provenAt: MonotonicInstant
    /// How: `passphrase`, `biometrics`.
    public var method: String

    /// A grant of its parts.
    public init(provenAt: MonotonicInstant, method: String) {
        self.provenAt = provenAt
        self.method = method
    }
}
