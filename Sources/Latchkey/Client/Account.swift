public import FoundationEssentials

/// What an app can know about an account. It holds no token and no credential.
public struct Account: Hashable, Sendable, Identifiable {
    /// The account's ID.
    public var id: AccountID
    /// The provider it signs in with.
    public var provider: ProviderID
    /// Who issued the session: an issuer or project URL.
    public var authority: String
    /// A name to show. Personal, not secret.
    public var label: String?
    /// Whether the account has a good token, is offline, or needs a new sign-in.
    public var state: AccountState
    /// Whether this is the current account.
    public var isCurrent: Bool
    /// When the access token for the standard audience ends, by this machine's wall clock.
    public var accessUntil: Date?
    /// When the session ends at the service unless it is refreshed before, or in any case, by this machine's wall clock;
    /// `nil` if the service does not say (``SessionLimits``). Of a session that cannot be refreshed, when its last token
    /// ends. It may have passed.
    public var sessionUntil: Date?
    /// Whether the session can be refreshed. If not, because the service gave no refresh token, the person must sign in
    /// again when the access token ends (``sessionUntil``).
    public var isRefreshable: Bool
    /// When the person last proved who they are, according to the service.
    public var authenticatedAt: Date?
    /// Whether the session is stored. If `false`, it is lost if the process ends before the store works again.
    public var isDurable: Bool
    /// The number of revocations that the service has not accepted yet.
    public var pendingRevocations: Int
    /// Whether the service refused this client at the last refresh (`configuration(.clientRefused)`), which says nothing
    /// about the session. No new token can be had until the client's id or secret is put right, here or at the service.
    public var isClientRefused: Bool

    /// Creates an account.
    public init(
        id: AccountID, provider: ProviderID, authority: String, label: String? = nil, state: AccountState,
        isCurrent: Bool = false, accessUntil: Date? = nil, sessionUntil: Date? = nil, isRefreshable: Bool = true,
        authenticatedAt: Date? = nil, isDurable: Bool = true, pendingRevocations: Int = 0, isClientRefused: Bool = false
    ) {
        self.id = id
        self.provider = provider
        self.authority = authority
        self.label = label
        self.state = state
        self.isCurrent = isCurrent
        self.accessUntil = accessUntil
        self.sessionUntil = sessionUntil
        self.isRefreshable = isRefreshable
        self.authenticatedAt = authenticatedAt
        self.isDurable = isDurable
        self.pendingRevocations = pendingRevocations
        self.isClientRefused = isClientRefused
    }
}

/// The result of one step of signing in.
public enum SignInStep: Sendable {
    /// The person is signed in, and the session is stored.
    case signedIn(AuthSession)
    /// The service asks for something next. The challenge is stored, so any process can answer it.
    case asked(Challenge)
    /// The conversation ended without a session.
    case continuesElsewhere(Elsewhere)
}

/// How a conversation ended, if it can end without a session.
public enum ConversationEnd: Sendable {
    /// The person is signed in, and the session is stored.
    case signedIn(AuthSession)
    /// The person continues somewhere else, such as in their mail or on the service's page.
    case continuesElsewhere(Elsewhere)

    /// The session, or `nil` if the conversation ended without one.
    public var session: AuthSession? {
        if case .signedIn(let session) = self { session } else { nil }
    }
}

/// The result of signing out. Except with ``SignOutScope/others``, the session is gone from this device.
public enum SignOutResult: Hashable, Sendable {
    /// The service has confirmed the sign-out.
    case revoked
    /// The service has not confirmed yet. Any process that uses this store tries again.
    case revocationQueued
    /// The service offers no revocation. Its tokens stay valid until they expire.
    case localOnly
    /// The service refuses this client the revocation, and will not be asked again. Its tokens stay valid until they
    /// expire.
    case revocationRefused
    /// Nobody was signed in.
    case nothingToDo
}
