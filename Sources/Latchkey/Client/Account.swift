public import FoundationEssentials

/// What an app may know of an account: no token, no credential.
public struct Account: Hashable, Sendable, Identifiable {
    /// Its name.
    public var id: AccountID
    /// The provider it signs in with.
    public var provider: ProviderID
    /// Who issued the session: an issuer or project URL.
    public var authority: String
    /// A name to show. Personal, not secret.
    public var label: String?
    /// How it stands.
    public var state: AccountState
    /// Whether it is the current one.
    public var isCurrent: Bool
    /// When the access token for the standard audience ends, by this machine's wall clock.
    public var accessUntil: Date?
    /// When the person last proved who they are, by the service's word.
    public var authenticatedAt: Date?
    /// Whether the session is stored; `false`: it is lost if the process ends before the store works again.
    public var isDurable: Bool
    /// How many revocations the service has not accepted yet.
    public var pendingRevocations: Int

    /// An account of its parts.
    public init(
        id: AccountID, provider: ProviderID, authority: String, label: String? = nil, state: AccountState,
        isCurrent: Bool = false, accessUntil: Date? = nil, authenticatedAt: Date? = nil, isDurable: Bool = true,
        pendingRevocations: Int = 0
    ) {
        self.id = id
        self.provider = provider
        self.authority = authority
        self.label = label
        self.state = state
        self.isCurrent = isCurrent
        self.accessUntil = accessUntil
        self.authenticatedAt = authenticatedAt
        self.isDurable = isDurable
        self.pendingRevocations = pendingRevocations
    }
}

/// What signing in came to so far.
public enum SignInStep: Sendable {
    /// Somebody is signed in, and the session is stored.
    case signedIn(AuthSession)
    /// The service wants something next; the challenge is stored and can be answered by any process.
    case asked(Challenge)
    /// The conversation is over without a session.
    case continuesElsewhere(Elsewhere)
}

/// How a conversation ended that need not end with a session.
public enum ConversationEnd: Sendable {
    /// Somebody is signed in, and the session is stored.
    case signedIn(AuthSession)
    /// The person goes on elsewhere.
    case continuesElsewhere(Elsewhere)

    /// The session, where there is one.
    public var session: AuthSession? {
        if case .signedIn(let session) = self { session } else { nil }
    }
}

/// What became of a sign-out. The session is gone from here in every case.
public enum SignOutResult: Hashable, Sendable {
    /// The service knows.
    case revoked
    /// The service could not be told yet; any process of this store tries again.
    case revocationQueued
    /// The service offers no revocation; its tokens end by themselves.
    case localOnly
    /// Nobody was signed in.
    case nothingToDo
}
