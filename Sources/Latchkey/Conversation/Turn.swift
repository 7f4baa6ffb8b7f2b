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
    /// The refresh token; `nil` if there is none.
    public var refreshToken: Secret?
    /// Who is signed in now; at least one.
    public var sessions: [AuthSession]
    /// Whose sign-in this was.
    public var current: AuthSession.ID
    /// What the provider keeps for the credential.
    public var state: JSON
    /// Whether the session is one that somebody had before, in another client, and nothing was asked of the service for
    /// it now. Then whoever is signed in as the account stays so, and it is dropped: it would put an older token over a
    /// newer one. It is dropped as well where the store does not take it, since whoever had it still has it.
    public var isTakenOver = false

    /// A grant of its parts.
    public init(
        refreshToken: Secret? = nil, sessions: [AuthSession], current: AuthSession.ID, state: JSON = .object([:])
    ) {
        self.refreshToken = refreshToken
        self.sessions = sessions
        self.current = current
        self.state = state
    }

    /// A grant of one session.
    public init(refreshToken: Secret? = nil, _ session: AuthSession, state: JSON = .object([:])) {
        self.init(refreshToken: refreshToken, sessions: [session], current: session.id, state: state)
    }
}
