public import FoundationEssentials
public import LatchkeyJSON

/// One account signed in: who, since when, how, and its access tokens by audience.
public struct AuthSession: Sendable, Identifiable {
    /// Names one sign-in of one account within its credential.
    public struct ID: Hashable, Sendable {
        /// The name: the service's own, or random.
        public let value: String

        /// Wraps a name.
        public init(_ value: String) { self.value = value }
    }

    /// The session's name within its credential.
    public var id: ID
    /// Whose session it is.
    public var account: AccountID
    /// A name to show to the person: an address or a user name. Personal, not secret.
    public var label: String?
    /// The access tokens, each for what it opens.
    public var tokens: [Audience: AccessToken]
    /// When the person last proved who they are, by the service's word.
    public var authenticatedAt: Date?
    /// What the provider keeps: claims, an ID token. Its content never prints.
    public var state: JSON
    /// The login that made it, where several people share its credential; `nil`: the credential's own.
    package var login: String?
    /// Members of the stored record that this version does not know; written back as they were.
    package var unknown: [String: JSON] = [:]

    /// A session of its parts.
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
