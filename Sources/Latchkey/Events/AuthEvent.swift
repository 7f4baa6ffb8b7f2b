public import FoundationEssentials

/// What an app may want to react to.
@nonexhaustive
public enum AuthEvent: Hashable, Sendable {
    /// Somebody signed in.
    case signedIn(AccountID)
    /// A new access token is there, for the audience.
    case refreshed(AccountID, Audience)
    /// The account's state changed.
    case stateChanged(AccountID, AccountState)
    /// The access token ends soon and could not be refreshed so far.
    case expiring(AccountID, in: Duration)
    /// The person must sign in again.
    case authenticationRequired(AccountID, AuthError.SignInRequiredReason)
    /// A resource wants a stronger proof, or more scopes, than the session has (RFC 9470; RFC 6750, section 3.1).
    case stepUpRequired(AccountID, StepUp)
    /// Somebody signed out.
    case signedOut(AccountID, by: SignOutCause)
    /// Another account is the current one; `nil`: none.
    case currentChanged(AccountID?)
    /// The gate closed.
    case locked
    /// The gate opened.
    case unlocked
    /// The app shall be covered, or need not be any more.
    case shieldChanged(isUp: Bool)
    /// Somebody signed in the first time, and this device can ask for a proof: offer to switch the unlock on. Told once.
    case unlockOffered
    /// Whether the authenticator can ask has changed.
    case unlockAvailabilityChanged(UnlockAvailability)
    /// Events were dropped here, because the reader was slow. Read the states anew.
    case gap

    /// Who signed out.
    @nonexhaustive
    public enum SignOutCause: String, Sendable {
        /// This client was asked to.
        case app
        /// Another process did.
        case elsewhere
        /// The service ended the session.
        case service
    }
}

/// How an account stands.
@nonexhaustive
public enum AccountState: Hashable, Sendable {
    /// The store is being read.
    case restoring
    /// Nobody is signed in.
    case signedOut
    /// The gate is locked.
    case locked
    /// A good access token is there.
    case fresh
    /// Signed in; the access token must be refreshed first.
    case stale
    /// The service cannot be reached; the access token is good until then, or no longer.
    case offline(since: Date, accessUntil: Date?)
    /// The person must sign in again.
    case signInRequired(AuthError.SignInRequiredReason)
}
