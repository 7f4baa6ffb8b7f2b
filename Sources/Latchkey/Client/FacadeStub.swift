extension AuthClient.Builder {
    /// Makes the client.
    public func build() throws(AuthError) -> AuthClient { AuthClient() }
}

extension AuthClient {
    /// Signs in with `provider`; `presenter` answers what the service asks.
    public func signIn(
        with provider: ProviderID, _ method: SignInMethod, options: SignInOptions = SignInOptions(),
        asking presenter: some ChallengePresenter
    ) async throws(AuthError) -> Session { throw Self.stub }

    /// Starts a conversation whose challenges the app answers itself.
    public func begin(
        _ request: SignInRequest, with provider: ProviderID, options: SignInOptions = SignInOptions()
    ) async throws(AuthError) -> SignInStep { throw Self.stub }

    /// Answers a stored challenge, perhaps of another process.
    public func answer(_ answer: Answer, to challenge: String) async throws(AuthError) -> SignInStep { throw Self.stub }

    /// The stored challenges that can still be answered.
    public func pendingChallenges() async throws(AuthError) -> [Challenge] { throw Self.stub }

    /// A good access token.
    nonisolated(nonsending)
        public func accessToken(
            for audience: Audience = .standard, of account: AccountID? = nil, minimumValidity: Duration? = nil
        ) async throws(AuthError) -> AccessToken
    { throw Self.stub }

    /// The access token, if one is good now.
    public func currentToken(for audience: Audience = .standard, of account: AccountID? = nil) -> AccessToken? { nil }

    /// Renews now, however long the token still lasts.
    @discardableResult
    public func refresh(
        for audience: Audience = .standard, of account: AccountID? = nil
    ) async throws(AuthError) -> AccessToken { throw Self.stub }

    /// Reads the store; every account that is signed in.
    @discardableResult
    public func restore() async throws(AuthError) -> [Account] { throw Self.stub }

    /// The accounts, newest state.
    public func accounts() async throws(AuthError) -> [Account] { throw Self.stub }

    /// The current account.
    public var currentAccount: AccountID? { nil }

    /// Makes `account` the current one, for every process of the store.
    public func switchAccount(to account: AccountID) async throws(AuthError) { throw Self.stub }

    /// Signs out.
    @discardableResult
    public func signOut(
        of account: AccountID? = nil, scope: SignOutScope = .thisSession
    ) async throws(AuthError) -> SignOutResult { throw Self.stub }

    /// Does what only one provider can do, in the lane.
    public func perform<Result: Sendable>(
        on account: AccountID? = nil, replay: ProviderRules.ReplayRule,
        _ work: @escaping @Sendable (Credential, ProviderContext) async throws -> (Renewal, Result)
    ) async throws(AuthError) -> Result { throw Self.stub }

    /// What happens, from now on.
    public var events: AsyncStream<AuthEvent> { AsyncStream { $0.finish() } }

    /// Whether the gate is locked.
    public var isLocked: Bool { false }

    /// Locks the gate.
    public func lock() async {}

    /// Asks for the proof and opens the gate.
    public func unlock() async throws(AuthError) { throw Self.stub }

    private static var stub: AuthError { AuthError(.configuration(.unsupported), "The engine is not built yet.") }
}
