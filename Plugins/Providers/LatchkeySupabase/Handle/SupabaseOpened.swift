public import Latchkey

/// What an address came to that the app was opened with.
@nonexhaustive
public enum SupabaseOpened: Sendable {
    /// Somebody is signed in, and the session is stored.
    case signedIn(AuthSession)
    /// The service wants something next, such as a new password or a further factor; the challenge is stored.
    case asked(Challenge)
    /// The first of the two addresses of a change is confirmed, and the link that the other one got is waited for. No
    /// session changed.
    ///
    /// The address itself says so, and nothing proves it: ``SupabaseHandle/user()`` tells how the change stands.
    case halfConfirmed
    /// A signed-in person's mail address has changed. The link brought a session of the same person, which took the
    /// place of the one that was here.
    case addressChanged(AuthSession)

    /// The conversation is over without a session, and the person goes on elsewhere.
    case continuesElsewhere(Elsewhere)

    /// What answering a challenge came to, so that a link and the questions after it are one loop.
    public init(_ step: SignInStep) {
        switch step {
        case .signedIn(let session): self = .signedIn(session)
        case .asked(let challenge): self = .asked(challenge)
        case .continuesElsewhere(let place): self = .continuesElsewhere(place)
        }
    }
}
