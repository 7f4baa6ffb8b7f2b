public import LatchkeyJSON

/// What a refresh is made with: a refresh token, or a client token that several people are signed in on.
///
/// The unit of storage and locking. Apps never handle one; providers read it and answer with a ``CredentialChange``.
public struct Credential: Sendable, Identifiable {
    /// Names a credential: random, never reused, given by the engine.
    public struct ID: Hashable, Sendable {
        /// The name.
        public let value: String

        /// Wraps a name.
        public init(_ value: String) { self.value = value }
    }

    /// The name the engine gave.
    public var id: ID
    /// What it may be used with.
    public var binding: ProviderBinding
    /// The refresh token; `nil` if there is none, or if the client's own authentication takes its place.
    public var refreshToken: Secret?
    /// Who is signed in on it; at least one.
    public var sessions: [AuthSession]
    /// What the provider keeps for all sessions. Its content never prints.
    public var state: JSON
    /// Members of the stored record that this version does not know; written back as they were.
    package var unknown: [String: JSON] = [:]

    /// A credential of its parts.
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

    /// The session called `id`, when it is here.
    public func session(_ id: AuthSession.ID) -> AuthSession? { sessions.first { $0.id == id } }
}
