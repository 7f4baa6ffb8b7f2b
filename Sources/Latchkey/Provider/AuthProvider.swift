/// Connects Latchkey to one identity service. A provider is a value: it holds configuration, no
/// tokens and no state.
///
/// This comment is the manual for implementers.
///
/// | Call | From | May throw | Must never |
/// | --- | --- | --- | --- |
/// | `begin` | ``AuthClient/signIn(with:_:options:asking:)`` | ``AuthError`` | keep anything outside what it returns |
/// | `answer` | the same, or another process that read the stored challenge | ``AuthError`` | accept a redirect it did not ask for |
/// | `refresh` | the engine under the refresh lock, one at a time per credential | ``Refusal`` to end the session, ``TransportError``, ``AuthError`` | throw a ``Refusal`` unless the service itself refused |
///
/// A provider answers with what changed (``Grant``, ``CredentialChange``), never with a whole
/// credential. The engine merges the change into the newest record, gives out IDs, and stores the
/// result before anyone sees a token. Optional abilities are separate protocols:
/// ``SessionRevoking``, ``AnswerJudging``, ``SessionsGivingWay``, ``RefreshPreparing``.
public protocol AuthProvider: Sendable {
    /// What this provider can do and how its service behaves, as data. It never changes.
    var rules: ProviderRules { get }

    /// Starts signing in.
    ///
    /// - Returns: A grant, or what the service asks for next.
    func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn

    /// Continues after the answer to a challenge from `begin` or an earlier `answer`. It may run in
    /// another process.
    ///
    /// For ``Answer/declined``, end what the service holds half-finished, if anything, and throw
    /// ``AuthError`` `declined`. The engine also sends this answer if no other will come:
    /// cancelled, too late, or wrong too often. For ``Answer/poll``, return the challenge again
    /// (perhaps with a longer interval) while nothing is decided.
    func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn

    /// Gets a newer token than `want` has.
    ///
    /// Send the request that spends the credential as a POST, and send it once: a transport may
    /// repeat other methods.
    ///
    /// - Throws: ``Refusal`` if the service itself refused the credential: `definite` for a code
    ///   from the service's closed list; `unexplained` for another code in the service's own form,
    ///   in answer to a request of a form that has worked before. What is not of that form, whatever
    ///   its status, is a ``ForeignAnswer``: throw it as an ``AuthError``. Every other error is
    ///   transient and never ends a session. If the request certainly was not sent, throw a
    ///   ``TransportError`` whose `wasSent` is false.
    func refresh(_ credential: Credential, for want: TokenWant, in context: ProviderContext) async throws
        -> CredentialChange
}

/// A provider that can end sessions at the service.
public protocol SessionRevoking: AuthProvider {
    /// Tells the service that the credential, or one session of it, is no longer wanted.
    ///
    /// Returning means done, also if the service says that it knows no such token. Throwing means not done yet.
    func revoke(_ revocation: Revocation, in context: ProviderContext) async throws
}

/// A provider that reads a resource's answer. Without it, 401 means rejected and every other status accepted. With or
/// without it, a 401 whose challenges want other schemes alone (`Basic`, `Negotiate`), or say `insufficient_scope`, causes no
/// refresh.
public protocol AnswerJudging: AuthProvider {
    /// Returns what `response` says about the token that was sent.
    func verdict(on response: TransportResponse) -> TokenVerdict
}

/// What a resource's answer says about the token that was sent.
public enum TokenVerdict: Hashable, Sendable {
    /// The token was good, whatever else the answer says.
    case accepted
    /// The token was not good. The client gets a newer one, and repeats the request if it may be repeated.
    case rejected
    /// The token was good, but the resource requires a stronger proof or more scopes.
    case insufficient(StepUp)
    /// The resource wants something else than a token of this kind, so a newer one would be refused too. Nothing is
    /// refreshed, and the answer is returned.
    case otherwise
}

/// A demand for a stronger proof than the session has (RFC 9470).
public struct StepUp: Hashable, Sendable {
    /// The acceptable authentication context classes, the preferred one first.
    public var acr: [String]
    /// The longest time since the person last proved who they are.
    public var maxAge: Duration?
    /// Additional scopes.
    public var scopes: [String]

    /// Creates a demand.
    public init(acr: [String] = [], maxAge: Duration? = nil, scopes: [String] = []) {
        self.acr = acr
        self.maxAge = maxAge
        self.scopes = scopes
    }
}
