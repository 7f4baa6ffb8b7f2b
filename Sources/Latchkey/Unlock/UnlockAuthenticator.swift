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

/// An authenticator that gives the key that opens a ``LockableStore``.
public protocol KeyReleasing: UnlockAuthenticator {
    /// Asks for proof and gives the key to `opening`, which tries it. The key is dropped afterwards.
    ///
    /// An authenticator that cannot judge the proof by itself, such as a passphrase, learns here whether it was right, and
    /// counts its wrong tries: the count goes up before `opening` is called, and back when it returned.
    ///
    /// - Parameter opening: Opens the store. Throws ``AuthError`` `refused(.wrongInput)` when the key opens nothing; any other
    ///   error says nothing about the key.
    /// - Throws: As ``UnlockAuthenticator/unlock(_:)``; what `opening` throws.
    func unlock(
        _ prompt: UnlockPrompt, opening: @escaping @Sendable (UnlockKey) async throws -> Void
    ) async throws -> UnlockGrant
}

/// An authenticator that tells by itself when it can ask and when not: a reader that is plugged in, fingers that are
/// enrolled.
public protocol AvailabilityWatching: UnlockAuthenticator {
    /// What ``UnlockAuthenticator/availability()`` would say, whenever it changes. Never prompts.
    func availabilityChanges() -> AsyncStream<UnlockAvailability>
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
    /// What was set up has changed since, such as the enrolled fingers: it counts no longer.
    case invalidated
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
