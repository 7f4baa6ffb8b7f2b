/// A client's handle to one of its providers, such as `auth.oauth()`. It signs in with what that provider can do; anything
/// else does not compile. A program that decides at run time uses ``AuthClient/signIn(with:_:options:asking:)``.
public protocol ProviderHandle: Sendable {
    /// The type of the provider.
    associatedtype Provider: AuthProvider

    /// The client.
    var client: AuthClient { get }
    /// The provider as it is configured.
    var provider: Provider { get }
}

extension ProviderHandle {
    private var name: ProviderID { provider.rules.binding.provider }

    /// Signs in; `presenter` answers what the service asks. The session is stored before this returns.
    ///
    /// - Throws: As ``AuthClient/signIn(with:_:options:asking:)`` does.
    @discardableResult
    public func signIn(
        _ method: ProviderMethod<Provider>, options: SignInOptions = SignInOptions(),
        asking presenter: some ChallengePresenter
    ) async throws(AuthError) -> AuthSession {
        try await client.signIn(with: name, method.method, options: options, asking: presenter)
    }

    /// Signs in by a method that asks nothing, such as client credentials.
    ///
    /// - Throws: As ``AuthClient/signIn(with:_:options:)`` does.
    @discardableResult
    public func signIn(
        _ method: ProviderMethod<Provider>, options: SignInOptions = SignInOptions()
    ) async throws(AuthError) -> AuthSession {
        try await client.signIn(with: name, method.method, options: options)
    }

    /// Creates an account or recovers one; `presenter` answers what the service asks.
    ///
    /// - Returns: The session, or where the person continues.
    /// - Throws: As ``AuthClient/converse(_:with:options:asking:)`` does.
    @discardableResult
    public func converse(
        _ request: ProviderRequest<Provider>, options: SignInOptions = SignInOptions(),
        asking presenter: some ChallengePresenter
    ) async throws(AuthError) -> ConversationEnd {
        try await client.converse(request.request, with: name, options: options, asking: presenter)
    }

    /// Starts signing in. The app answers the challenges itself: ``AuthClient/answer(_:to:)``.
    ///
    /// - Throws: As ``AuthClient/begin(_:with:options:)`` does.
    public func begin(
        _ method: ProviderMethod<Provider>, options: SignInOptions = SignInOptions()
    ) async throws(AuthError) -> SignInStep {
        try await client.begin(.signIn(method.method), with: name, options: options)
    }

    /// Starts creating an account or recovering one. The app answers the challenges itself.
    ///
    /// - Throws: As ``AuthClient/begin(_:with:options:)`` does.
    public func begin(
        _ request: ProviderRequest<Provider>, options: SignInOptions = SignInOptions()
    ) async throws(AuthError) -> SignInStep {
        try await client.begin(request.request, with: name, options: options)
    }
}
