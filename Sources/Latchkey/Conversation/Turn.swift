public import LatchkeyJSON

/// What a service answered: somebody is signed in, it wants something next, or the person goes on elsewhere.
public enum Turn: Sendable {
    /// Somebody is signed in.
    case signedIn(Grant)
    /// The service wants something next.
    case asked(Challenge)
    /// The conversation is over without a session, as it should be. Never the end of ``SignInRequest/signIn(_:)`` or of
    /// ``SignInRequest/stepUp(_:account:)``.
    case continuesElsewhere(Elsewhere)
}

/// Where a person goes on after a conversation that ended without a session.
@nonexhaustive
public enum Elsewhere: Hashable, Sendable {
    /// A message is on its way, and leads to the service's own page: a reset that ends there, say.
    case message(over: DeliveryChannel, sentTo: String?)
    /// A page of the service.
    case page(url: String)
    /// Somebody has to approve first.
    case approval
    /// Everything is done: the person signs in now, with the new password, say.
    case signIn
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
    /// The shared credential that the session hangs on: ``ProviderContext/shared``'s name. `nil`: one of its own.
    public var shared: Credential.ID?

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
