public import Latchkey

/// The result of an address that the app was opened with.
@nonexhaustive
public enum SupabaseOpened: Sendable {
    /// The person is signed in, and the session is stored.
    case signedIn(AuthSession)
    /// The service needs something next, such as a new password or a further factor. The challenge
    /// is stored; ask the person for its answer.
    case asked(Challenge)
    /// The first of the two addresses of a change is confirmed; the link that the other address got
    /// must still be opened. No session changed.
    ///
    /// Only the opened address says so, which proves nothing: ask ``SupabaseHandle/user()`` for the
    /// state of the change.
    case halfConfirmed
    /// A signed-in person's mail address has changed. The link brought a new session of the same
    /// person, which replaced the one here.
    case addressChanged(AuthSession)

    /// The conversation is over without a session, and the person continues elsewhere.
    case continuesElsewhere(Elsewhere)

    /// Creates the result from a sign-in step, so that one loop can handle a link and the challenges after it.
    public init(_ step: SignInStep) {
        switch step {
        case .signedIn(let session): self = .signedIn(session)
        case .asked(let challenge): self = .asked(challenge)
        case .continuesElsewhere(let place): self = .continuesElsewhere(place)
        }
    }
}
