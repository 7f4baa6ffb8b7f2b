public import LatchkeyJSON

/// What an answer changed. The engine merges it into the newest credential under the refresh lock.
public struct CredentialChange: Sendable {
    /// The new refresh token; `nil` if it did not change.
    public var refreshToken: Secret?
    /// New access tokens, by session and audience.
    public var minted: [AuthSession.ID: [Audience: AccessToken]]
    /// The new list of sessions, if the service sent it; `nil` if it did not change. `minted` is
    /// applied afterwards. In a credential that several people share, listed sessions are updated,
    /// and none is added or removed.
    public var sessions: [AuthSession]?
    /// The credential's new state; `nil` if it did not change.
    public var state: JSON?
    /// A session that a sign-in adds to a shared credential, with its login.
    var joining: AuthSession?

    /// Creates a change.
    public init(
        refreshToken: Secret? = nil, minted: [AuthSession.ID: [Audience: AccessToken]] = [:],
        sessions: [AuthSession]? = nil,
        state: JSON? = nil
    ) {
        self.refreshToken = refreshToken
        self.minted = minted
        self.sessions = sessions
        self.state = state
    }
}

extension CredentialChange {
    /// Whether nothing changed.
    var isEmpty: Bool {
        refreshToken == nil && minted.isEmpty && sessions == nil && state == nil && joining == nil
    }

    /// Whether it brings a token that `credential` does not have.
    func bringsSecret(over credential: Credential) -> Bool {
        refreshToken != nil || !minted.isEmpty || joining != nil
            || sessions?.contains { session in
                let known = credential.session(session.id)?.tokens ?? [:]
                return session.tokens.contains { known[$0.key] != $0.value }
            } ?? false
    }

    /// Returns the new tokens for `session`.
    func tokens(of session: AuthSession.ID) -> [Audience: AccessToken] {
        let stated = (joining?.id == session ? joining : nil) ?? sessions?.first { $0.id == session }
        return (stated?.tokens ?? [:]).merging(minted[session] ?? [:]) { _, new in new }
    }
}

/// A request for a token.
public struct TokenWant: Sendable {
    /// The session that needs it.
    public var session: AuthSession.ID
    /// What the token is for.
    public var audience: Audience
    /// The token that is no longer good enough.
    public var newerThan: AccessToken?

    /// Creates a request for a token.
    public init(session: AuthSession.ID, audience: Audience = .standard, newerThan: AccessToken? = nil) {
        self.session = session
        self.audience = audience
        self.newerThan = newerThan
    }
}

/// The only error of ``AuthProvider/refresh(_:for:in:)`` that can end a session; every other error is transient.
public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// How sure the refusal is.
    public enum Kind: String, Sendable {
        /// The service refused with a code from its closed list.
        case definite
        /// The service refused in its own form, with a code that is not in the closed list, or with none. An answer
        /// that is not of the service's form is no refusal: throw ``AuthError/init(_:provider:retryAfter:)``.
        case unexplained
    }

    /// How sure the refusal is.
    public var kind: Kind
    /// The service's code, if the provider knows it; never text from elsewhere.
    public var code: String
    /// The service's own ID of the request.
    public var requestID: String?
    /// What a definite refusal means for the person: `refused`, or more precisely `expired` or `banned`.
    public var reason: AuthError.SignInRequiredReason
    /// Whether the answer proves that the service issued nothing, so that this request changed nothing:
    /// an error by RFC 6749, section 5.2, rather than a page from a server in front of the service.
    public var issuedNothing: Bool
    /// What the service says about it, for the person.
    public var serviceText: ServiceText?

    /// Creates a refusal.
    public init(
        _ kind: Kind, code: String, requestID: String? = nil, reason: AuthError.SignInRequiredReason = .refused,
        issuedNothing: Bool = false
    ) {
        self.issuedNothing = issuedNothing
        self.kind = kind
        self.code = code
        self.requestID = requestID
        self.reason = reason
    }

    /// Kind and code.
    public var description: String { "\(kind.rawValue) refusal (\(code))" }
}

/// What to end at the service.
public struct Revocation: Sendable {
    /// The credential, with the newest known secrets.
    public var credential: Credential
    /// The session to end; `nil` means all sessions of the credential.
    public var session: AuthSession.ID?
    /// How far it reaches.
    public var scope: SignOutScope

    /// Creates a revocation.
    public init(_ credential: Credential, session: AuthSession.ID? = nil, scope: SignOutScope = .thisSession) {
        self.credential = credential
        self.session = session
        self.scope = scope
    }
}

/// Which sessions a sign-out ends at the service.
public enum SignOutScope: String, Sendable {
    /// This session.
    case thisSession
    /// Every other session of the person.
    case others
    /// Every session of the person.
    case everywhere
}
