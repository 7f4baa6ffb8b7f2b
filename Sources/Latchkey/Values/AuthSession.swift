public import FoundationEssentials
public import LatchkeyJSON

/// A signed-in account: who, since when, how, and its access tokens by audience.
public struct AuthSession: Sendable, Identifiable {
    /// Identifies one sign-in of one account within its credential.
    public struct ID: Hashable, Sendable {
        /// The ID: the service's own, or random.
        public let value: String

        /// Wraps an ID.
        public init(_ value: String) { self.value = value }
    }

    /// The session's ID within its credential.
    public var id: ID
    /// The account that is signed in.
    public var account: AccountID
    /// A name to show, such as an address or a user name. Personal, not secret.
    public var label: String?
    /// The access tokens, by audience.
    public var tokens: [Audience: AccessToken]
    /// When the person last proved who they are, according to the service.
    public var authenticatedAt: Date?
    /// Until when the service lets the session live; `nil` if it does not say.
    public var limits: SessionLimits?
    /// What the provider keeps, such as claims or an ID token. Its content is never printed.
    public var state: JSON
    /// The login that created the session, if several people share its credential; `nil` means the
    /// credential's own.
    package var login: String?
    /// Members of the stored record that this version does not know. They are written back unchanged.
    package var unknown: [String: JSON] = [:]

    /// Creates a session.
    public init(
        id: ID, account: AccountID, label: String? = nil, tokens: [Audience: AccessToken] = [:],
        authenticatedAt: Date? = nil, state: JSON = .object([:])
    ) {
        self.id = id
        self.account = account
        self.label = label
        self.tokens = tokens
        self.authenticatedAt = authenticatedAt
        self.state = state
    }
}
