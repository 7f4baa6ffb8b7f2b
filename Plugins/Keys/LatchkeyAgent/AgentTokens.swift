public import Latchkey

/// What a client asks an agent for: an access token of a profile.
public struct AgentTokenRequest: Hashable, Sendable {
    /// Says where the profiles and sessions of the asking program are. An agent hands out tokens of its own home only.
    public var home: String
    /// The name of the profile.
    public var profile: String
    /// The account as the person calls it; `nil` means the current one.
    public var account: String?
    /// What the token is for.
    public var audience: Audience
    /// How long the token must last, in whole seconds.
    public var validity: Duration

    /// Creates a request.
    public init(
        home: String, profile: String, account: String? = nil, audience: Audience = .standard,
        validity: Duration = .zero
    ) {
        (self.home, self.profile, self.account) = (home, profile, account)
        (self.audience, self.validity) = (audience, validity)
    }
}

/// What an agent answers: an access token that is valid now, and whose it is.
public struct AgentToken: Sendable {
    /// The token.
    public var token: AccessToken
    /// The account.
    public var account: AccountID?

    /// Creates an answer.
    public init(_ token: AccessToken, of account: AccountID?) { (self.token, self.account) = (token, account) }
}

/// Hands out access tokens for an agent.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | A profile that ``serve(_:of:)`` has not named, or another home | throws `configuration(.unsupported)` |
/// | Somebody has signed out, in any process, or the sessions are locked | throws; never a token from memory |
public protocol AgentTokenServing: Sendable {
    /// Hands out tokens of the profile with this name from now on, if `home` is the agent's.
    func serve(_ profile: String, of home: String) async throws

    /// Returns a token that is valid now. The store is read for each request.
    func token(_ request: AgentTokenRequest) async throws -> AgentToken
}
