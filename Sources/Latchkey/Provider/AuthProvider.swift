/// One identity service in its own dialect. A value: configuration, no tokens, no state.
///
/// This comment is the manual for implementers.
///
/// | Call | From | May throw | Must never |
/// | --- | --- | --- | --- |
/// | `begin` | ``AuthClient/signIn(with:_:options:asking:)`` | ``AuthError`` | keep anything outside of what it returns |
/// | `answer` | the same, or another process that read the stored challenge | ``AuthError`` | accept a redirect it did not ask for |
/// | `refresh` | the lane, one at a time per credential | ``Refusal`` to end the session, ``TransportError``, ``AuthError`` | throw a ``Refusal`` for anything but the service's own word |
///
/// A provider answers with what changed (``Grant``, ``CredentialChange``), never with a whole credential: the engine merges it
/// into the newest record, gives ids and stores it before anyone sees a token. Optional abilities are protocols of
/// their own: ``SessionRevoking``, ``AnswerJudging``.
public protocol AuthProvider: Sendable {
    /// What this provider can do and how its service behaves, as data. Constant for the provider's life.
    var rules: ProviderRules { get }

    /// Starts signing in.
    ///
    /// - Returns: A grant, or what the service wants next.
    func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn

    /// Goes on with what `begin` or an earlier `answer` asked for. The process may be another one.
    ///
    /// To ``Answer/declined`` it ends what the service holds half-way, if anything, and throws ``AuthError`` `declined`.
    /// It gets that answer also when nobody will answer any more: cancelled, too late, or wrong too often.
    /// To ``Answer/poll`` it returns the challenge again (perhaps with a longer interval) while nothing is decided.
    func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn

    /// Gets a token newer than `want` has.
    ///
    /// - Throws: ``Refusal`` when the service itself refused the credential: `definite` from the service's closed list
    ///   of codes, `unexplained` for a refusal with an empty or foreign body, or with another code to a request of a form that
    ///   has worked before. Every other error is transient and
    ///   never ends a session. A request that surely did not leave is a ``TransportError`` whose `wasSent` is false.
    ///   Whatever spends the credential is a POST, and sent once: a transport may repeat other methods.
    func refresh(_ credential: Credential, for want: TokenWant, in context: ProviderContext) async throws
        -> CredentialChange
}

/// A provider that can end sessions at the service.
public protocol SessionRevoking: AuthProvider {
    /// Tells the service that the credential, or one session of it, is no longer wanted.
    ///
    /// Returning means done: also where the service says that it knows no such token. Throwing means not done yet.
    func revoke(_ revocation: Revocation, in context: ProviderContext) async throws
}

/// A provider that reads a resource's answer. Without it, 401 means rejected and everything else accepted.
public protocol AnswerJudging: AuthProvider {
    /// What `response` says about the token that was sent.
    func verdict(on response: TransportResponse) -> TokenVerdict
}

/// What a resource's answer says about the token that was sent.
public enum TokenVerdict: Hashable, Sendable {
    /// The token was good, whatever else the answer says.
    case accepted
    /// The token was not good.
    case rejected
    /// The token was good, but more is wanted.
    case insufficient(StepUp)
}

/// A stronger proof than the session has (RFC 9470).
public struct StepUp: Hashable, Sendable {
    /// Acceptable authentication context classes, the preferred one first.
    public var acr: [String]
    /// How long ago the person may have proven who they are.
    public var maxAge: Duration?
    /// Further scopes.
    public var scopes: [String]

    /// A demand of its parts.
    public init(acr: [String] = [], maxAge: Duration? = nil, scopes: [String] = []) {
        self.acr = acr
        self.maxAge = maxAge
        self.scopes = scopes
    }
}
