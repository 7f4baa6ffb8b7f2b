public import LatchkeyJSON

/// How a service answered: the person is signed in, it asks for something next, or the person
/// continues elsewhere.
public enum Turn: Sendable {
    /// The person is signed in.
    case signedIn(Grant)
    /// The service asks for something next.
    case asked(Challenge)
    /// The conversation ended without a session, as intended. Never a result of
    /// ``SignInRequest/signIn(_:)`` or ``SignInRequest/stepUp(_:account:)``.
    case continuesElsewhere(Elsewhere)
}

/// Where a person continues after a conversation that ended without a session.
@nonexhaustive
public enum Elsewhere: Hashable, Sendable {
    /// In a message that leads to the service's own page, for example a password reset that is completed there.
    case message(over: DeliveryChannel, sentTo: String?)
    /// On a page of the service.
    case page(url: String)
    /// At somebody else, who must approve first.
    case approval
    /// At a new sign-in: everything is done, and the person signs in now, for example with the new password.
    case signIn
}

/// A session that the service has just granted. The engine creates the credential for it.
public struct Grant: Sendable {
    /// The refresh token; `nil` if there is none.
    public var refreshToken: Secret?
    /// The signed-in sessions, at least one.
    public var sessions: [AuthSession]
    /// The ID of the session that this sign-in created.
    public var current: AuthSession.ID
    /// Data that the provider keeps with the credential.
    public var state: JSON
    /// Whether the session already existed in another client, and the service was not asked for a new one.
    ///
    /// The engine drops such a grant if its account is already signed in, because it would replace
    /// a newer token with an older one. It also drops it if the store does not accept it, because
    /// the other client still has it.
    public var isTakenOver = false
    /// The shared credential that the session belongs to: the ID of ``ProviderContext/shared``.
    /// `nil` if the session has its own credential.
    public var shared: Credential.ID?

    /// Creates a grant.
    public init(
        refreshToken: Secret? = nil, sessions: [AuthSession], current: AuthSession.ID, state: JSON = .object([:])
    ) {
        self.refreshToken = refreshToken
        self.sessions = sessions
        self.current = current
        self.state = state
    }

    /// Creates a grant of one session.
    public init(refreshToken: Secret? = nil, _ session: AuthSession, state: JSON = .object([:])) {
        self.init(refreshToken: refreshToken, sessions: [session], current: session.id, state: state)
    }
}
