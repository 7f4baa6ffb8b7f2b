/// A way to sign in that providers of one type have. Each provider's module makes them, such as `.browser()` of `LatchkeyOAuth`,
/// so that a way which a provider does not have does not compile.
public struct ProviderMethod<Provider: AuthProvider>: Sendable {
    /// The same for any provider.
    public let method: SignInMethod

    /// Says that providers of this type have `method`. For the module of a provider.
    public init(_ method: SignInMethod) { self.method = method }
}

/// A request about an account that providers of one type can do: a sign-up, a recovery. Each provider's module makes them.
public struct ProviderRequest<Provider: AuthProvider>: Sendable {
    /// The same for any provider.
    public let request: SignInRequest

    /// Says that providers of this type can do `request`. For the module of a provider.
    public init(_ request: SignInRequest) { self.request = request }
}
