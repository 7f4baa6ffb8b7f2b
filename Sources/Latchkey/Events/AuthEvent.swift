public import FoundationEssentials

/// Something that an app may want to react to.
@nonexhaustive
public enum AuthEvent: Hashable, Sendable {
    /// A person signed in. Not told by the client whose person was signed in and linked a way to sign in or proved more:
    /// of the new session, it tells ``refreshed(_:_:)``. Other processes cannot tell the two apart, and tell this.
    case signedIn(AccountID)
    /// A new access token for the audience is available.
    case refreshed(AccountID, Audience)
    /// The account's state changed.
    case stateChanged(AccountID, AccountState)
    /// The access token or the session ends soon. Sent once for each end.
    case expiring(AccountID, Expiry)
    /// The person must sign in again.
    case authenticationRequired(AccountID, AuthError.SignInRequiredReason)
    /// A resource wants a stronger proof, or more scopes, than the session has (RFC 9470; RFC 6750, section 3.1).
    case stepUpRequired(AccountID, StepUp)
    /// The account was signed out.
    case signedOut(AccountID, by: SignOutCause)
    /// Another account is the current one now; `nil` means none.
    case currentChanged(AccountID?)
    /// The sessions are locked. Ask for an unlock before using them.
    case locked
    /// The sessions are unlocked.
    case unlocked
    /// Whether the app must be covered has changed: cover it if `isUp` is `true`, otherwise uncover it.
    case shieldChanged(isUp: Bool)
    /// A person signed in for the first time, and this device can ask for an unlock. Offer to turn
    /// unlocking on. Sent once.
    case unlockOffered
    /// Whether the authenticator can ask for an unlock has changed.
    case unlockAvailabilityChanged(UnlockAvailability)
    /// ``AuthClient/checkIntegrity(by:)`` found signs that another program interferes. Nothing was refused: you decide.
    case integrityFindings([IntegrityFinding])
    /// Events were dropped here because the reader was too slow. Read the accounts' states again.
    case gap

    /// What signed the account out.
    @nonexhaustive
    public enum SignOutCause: String, Sendable {
        /// The app called this client.
        case app
        /// Another process signed out.
        case elsewhere
        /// The service ended the session.
        case service
    }
}

/// The state of an account.
@nonexhaustive
public enum AccountState: Hashable, Sendable {
    /// The store is being read.
    case restoring
    /// Nobody is signed in.
    case signedOut
    /// The sessions are locked.
    case locked
    /// A valid access token is available.
    case fresh
    /// Signed in, but the access token must be refreshed before use.
    case stale
    /// The service cannot be reached. The access token is valid until `accessUntil`; `nil` means it has ended.
    case offline(since: Date, accessUntil: Date?)
    /// The person must sign in again.
    case signInRequired(AuthError.SignInRequiredReason)
}
