/// Proves that the person is present.
///
/// It returns a grant or throws, so there is no `Bool` to forget to check.
public protocol UnlockAuthenticator: Sendable {
    /// Returns whether the authenticator can ask now. Never prompts.
    func availability() async -> UnlockAvailability

    /// Asks for proof and returns once it is given. The client never shows two prompts at once.
    ///
    /// - Throws: ``AuthError``: `declined` if the person says no, `refused(.wrongInput)` if the
    ///   proof is wrong, `unlockUnavailable` if this device cannot ask.
    func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant
}

/// An authenticator that supplies the key that opens a ``LockableStore``.
public protocol KeyReleasing: UnlockAuthenticator {
    /// Asks for proof and passes the key to `opening`, which tries it. The key is dropped afterwards.
    ///
    /// An authenticator that cannot judge the proof by itself, such as a passphrase, learns here
    /// whether it was right, and counts wrong tries: increase the count before calling `opening`,
    /// and reset it once that returns.
    ///
    /// - Parameters:
    ///   - prompt: What to tell the person.
    ///   - opening: Opens the store. Throws ``AuthError`` `refused(.wrongInput)` if the key opens
    ///     nothing; any other error says nothing about the key.
    /// - Throws: As ``UnlockAuthenticator/unlock(_:)``; what `opening` throws.
    func unlock(
        _ prompt: UnlockPrompt, opening: @escaping @Sendable (UnlockKey) async throws -> Void
    ) async throws -> UnlockGrant
}

/// An authenticator that reports when it becomes able or unable to ask: a reader is plugged in, a
/// finger is enrolled.
public protocol AvailabilityWatching: UnlockAuthenticator {
    /// Returns a stream of what ``UnlockAuthenticator/availability()`` would return, whenever it
    /// changes. Never prompts.
    func availabilityChanges() -> AsyncStream<UnlockAvailability>
}

/// Whether an authenticator can ask for proof.
@nonexhaustive
public enum UnlockAvailability: Hashable, Sendable {
    /// It can ask.
    case available
    /// The person has not set it up.
    case notEnrolled
    /// Too many wrong tries. The duration says for how long, if known.
    case lockedOut(Duration?)
    /// What was set up has changed since, such as the enrolled fingers, and is no longer valid.
    case invalidated
    /// This device has no way to ask. The reason is a sentence for a log.
    case missing(reason: String)
}

/// What to show when asking for proof.
public struct UnlockPrompt: Hashable, Sendable {
    /// One sentence in the person's language, without a full stop.
    public var reason: String

    /// Creates a prompt.
    public init(reason: String) { self.reason = reason }
}

/// Evidence of one unlock. It is held in memory and never stored.
public struct UnlockGrant: Hashable, Sendable {
    /// When the proof was given.
    public var provenAt: MonotonicInstant
    /// How it was given: `passphrase`, `biometrics`.
    public var method: String

    /// Creates a grant.
    public init(provenAt: MonotonicInstant, method: String) {
        self.provenAt = provenAt
        self.method = method
    }
}
