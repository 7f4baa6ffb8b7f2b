public import LatchkeyJSON

/// What a service answered: somebody is signed in, or it wants something next.
public enum Turn: Sendable {
    /// Somebody is signed in.
    case signedIn(Grant)
    /// The service wants something next.
    case asked(Challenge)
}

/// A session that was just granted. The engine gives it a credential.
public struct Grant: Sendable {
    /// What renews it; `nil` where nothing does.
    public var renewal: Secret?
    /// Who is signed in now; at least one.
    public var sessions: [Session]
    /// Whose sign-in this was.
    public var current: Session.ID
    /// What the provider keeps for the credential.
    public var state: JSON
    /// Whether the session is one that somebody had before, in another client, and nothing was asked of the service for
    /// it now. Then whoever is signed in as the account stays so, and it is dropped: it would put an older token over a
    /// newer one. It is dropped as well where the store does not take it, since whoever had it still has it.
    public var isTakenOver = false

    /// A grant of its parts.
    public init(renewal: Secret? = nil, sessions: [Session], current: Session.ID, state: JSON = .object([:])) {
        self.renewal = renewal
        self.sessions = sessions
        self.current = current
        self.state = state
    }

    /// A grant of one session.
    public init(renewal: Secret? = nil, _ session: Session, state: JSON = .object([:])) {
        self.init(renewal: renewal, sessions: [session], current: session.id, state: state)
    }
}
