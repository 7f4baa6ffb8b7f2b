public import LatchkeyJSON

/// What an answer changed. The engine merges it into the newest credential inside the lane.
public struct CredentialChange: Sendable {
    /// The new refresh token; `nil`: as it was.
    public var refreshToken: Secret?
    /// New access tokens, by session and audience.
    public var minted: [AuthSession.ID: [Audience: AccessToken]]
    /// All sessions anew, where the service said so; `nil`: as they were. `minted` is applied afterwards. Of a credential
    /// that several people share, those that are in it are brought up to date, and none comes or goes.
    public var sessions: [AuthSession]?
    /// The credential's state anew; `nil`: as it was.
    public var state: JSON?
    /// A session that a sign-in adds to a shared credential, with its login.
    var joining: AuthSession?

    /// A change of its parts.
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

    /// Its tokens for `session`.
    func tokens(of session: AuthSession.ID) -> [Audience: AccessToken] {
        let stated = (joining?.id == session ? joining : nil) ?? sessions?.first { $0.id == session }
        return (stated?.tokens ?? [:]).merging(minted[session] ?? [:]) { _, new in new }
    }
}

/// Which token is wanted.
public struct TokenWant: Sendable {
    /// Whose.
    public var session: AuthSession.ID
    /// For what.
    public var audience: Audience
    /// The token that is not good enough any more.
    public var newerThan: AccessToken?

    /// A want of its parts.
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
        /// The service refused by a code of its closed list.
        case definite
        /// Refused with an empty or foreign body, or with a code that is not in the closed list.
        case unexplained
    }

    /// How sure the refusal is.
    public var kind: Kind
    /// The service's code, when it is one that the provider knows; never a foreign text.
    public var code: String
    /// The service's own number of the request.
    public var requestID: String?
    /// What a definite refusal means for the person: `refused`, or more precisely `expired` or `banned`.
    public var reason: AuthError.SignInRequiredReason
    /// Whether the service's word means that it issued nothing, so that this request changed nothing: an error of
    /// RFC 6749, section 5.2, and no page of whatever stands before the service.
    public var issuedNothing: Bool

    /// A refusal of its parts.
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

/// What shall be ended at the service.
public struct Revocation: Sendable {
    /// The credential, with the newest secrets that are known.
    public var credential: Credential
    /// One session of it; `nil`: all.
    public var session: AuthSession.ID?
    /// How far it reaches.
    public var scope: SignOutScope

    /// A revocation of its parts.
    public init(_ credential: Credential, session: AuthSession.ID? = nil, scope: SignOutScope = .thisSession) {
        self.credential = credential
        self.session = session
        self.scope = scope
    }
}

/// How far a sign-out reaches.
public enum SignOutScope: String, Sendable {
    /// This session.
    case thisSession
    /// Every other session of the person.
    case others
    /// Every session of the person.
    case everywhere
}
