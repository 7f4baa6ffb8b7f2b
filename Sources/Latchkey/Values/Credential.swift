public import LatchkeyJSON

/// What a refresh is made with: a refresh token, or a client token that several people are signed in on.
///
/// It is the unit of storage and locking. Apps never handle one; providers read it and answer with
/// a ``CredentialChange``.
public struct Credential: Sendable, Identifiable {
    /// Identifies a credential. The engine creates it at random and never reuses it.
    public struct ID: Hashable, Sendable {
        /// The ID as text.
        public let value: String

        /// Wraps an ID.
        public init(_ value: String) { self.value = value }
    }

    /// The ID that the engine created.
    public var id: ID
    /// The configuration that the credential belongs to.
    public var binding: ProviderBinding
    /// The refresh token; `nil` if there is none, or if the client's own authentication takes its place.
    public var refreshToken: Secret?
    /// The sessions that are signed in on it, at least one.
    public var sessions: [AuthSession]
    /// What the provider keeps for all sessions. Its content is never printed.
    public var state: JSON
    /// Members of the stored record that this version does not know. They are written back unchanged.
    package var unknown: [String: JSON] = [:]

    /// Creates a credential.
    public init(
        id: ID, binding: ProviderBinding, refreshToken: Secret? = nil, sessions: [AuthSession],
        state: JSON = .object([:])
    ) {
        self.id = id
        self.binding = binding
        self.refreshToken = refreshToken
        self.sessions = sessions
        self.state = state
    }

    /// Returns the session with this ID, or `nil` if the credential does not have it.
    public func session(_ id: AuthSession.ID) -> AuthSession? { sessions.first { $0.id == id } }
}
