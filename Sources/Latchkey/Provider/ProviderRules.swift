/// How a provider and its service behave, as data. The engine bases its decisions on it.
public struct ProviderRules: Sendable {
    /// What a refresh does to the credential, and how the service reacts to a refresh token that
    /// was already used.
    ///
    /// Each case is a kind of service in `Documentation/Internals/Lane.md`. It decides what may be sent after
    /// a request whose answer was lost, and how long to wait before. If you do not know the
    /// service, use the first case, the safe one.
    public enum RefreshRule: Sendable {
        /// Kind A. Each refresh token works once; a second use ends every token from the same
        /// sign-in (RFC 9700, section 4.14). Glewlwyd, node-oidc-provider, Keycloak with
        /// *Revoke Refresh Token*.
        case killsFamily
        /// Kind B1. Each refresh token works once; for a while a second use returns the same
        /// successor. Supabase (GoTrue).
        case sameSuccessor
        /// Kind B2. Each refresh token works once; for a while a second use returns another successor.
        /// django-oauth-toolkit with a grace period, Cognito with rotation and a grace period.
        case newSuccessor
        /// Kind C. The refresh token stays the same, or there is none. Keycloak and Cognito by
        /// default, client credentials. For an operation (``AuthClient/perform(on:replay:shown:_:)``): it
        /// spends nothing.
        case fixed
        /// Kind D. Short-lived tokens are issued under a long-lived one that any answer may
        /// replace. Clerk. For an operation: the same as ``fixed``.
        case mints

        /// Returns the rule of the two that needs more care.
        package func worse(_ other: Self?) -> Self {
            guard let other else { return self }
            return other.severity > severity ? other : self
        }

        private var severity: Int {
            switch self {
            case .fixed, .mints: 0
            case .sameSuccessor: 1
            case .newSuccessor: 2
            case .killsFamily: 3
            }
        }

        /// What sending the secret again does: ``fixed``, meaning nothing, if it does not rotate.
        package var replay: Self { self == .mints ? .fixed : self }
    }

    /// What the engine needs to end a session at the service.
    public enum RevocationRule: Sendable {
        /// Any token of the credential, even an expired one, or the refresh token (RFC 7009).
        case anyToken
        /// An access token that is still valid. If there is none, the engine first refreshes the
        /// credential, under the refresh lock and noted in the store, so
        /// ``SessionRevoking/revoke(_:in:)`` sends nothing else.
        case liveAccessToken
        /// A valid access token to end more than this session (``SignOutScope/everywhere``,
        /// ``SignOutScope/others``); any token to end this session.
        case liveAccessTokenForOthers
    }

    /// The configuration that the provider's credentials belong to.
    public var binding: ProviderBinding
    /// The kinds of sign-in that the provider offers.
    public var methods: Set<SignInMethod.Kind>
    /// What a refresh and a reuse of the refresh token do.
    public var refresh: RefreshRule
    /// What the provider can do in addition to signing in. The engine refuses anything else without
    /// calling the provider.
    public var capabilities: Set<ProviderCapability>
    /// The provider's own sign-in methods. If there are any, `methods` must include ``SignInMethod/Kind/custom``.
    public var customMethods: [CustomMethod]
    /// What ending a session needs.
    public var revocation: RevocationRule
    /// What sending the refresh token again does after linking or stepping up has taken effect.
    /// ``RefreshRule/fixed`` means nothing, because the grant is a new session.
    public var elevation: RefreshRule
    /// Whether several people can be signed in on one credential, whose tokens are issued as by
    /// ``RefreshRule/mints``.
    ///
    /// A sign-in joins the existing credential (``Grant/shared``). Each session ends on its own: a
    /// ``Refusal`` ends the one that the call asked for, and a sign-out removes one. Tokens are
    /// issued concurrently and kept in memory, so issuing one must not replace the refresh token
    /// (or the service must still accept the replaced ones), and must be cheap. Every other call
    /// that may replace the refresh token runs alone.
    public var sharesCredential: Bool
    /// For how long after a refresh the service answers the used token as it did before, if that is known and it does so
    /// at all. After a lost answer the engine asks again within this time.
    public var reuseInterval: Duration?
    /// Whether a revocation ends all of the person's grants at this client, including newer ones.
    public var revocationEndsEveryGrant: Bool
    /// Whether a sign-in or a sign-up may go on in a browser, or by a link, whatever was asked for: some people have no other
    /// way. A presenter that receives redirects then opens an address for each, if it can. The default is `false`.
    public var leadsElsewhere = false

    /// Creates rules. The defaults are the safe ones, without capabilities. `elevation` defaults to
    /// ``RefreshRule/killsFamily``, or to ``RefreshRule/fixed`` if nothing rotates.
    public init(
        binding: ProviderBinding, methods: Set<SignInMethod.Kind>, refresh: RefreshRule = .killsFamily,
        capabilities: Set<ProviderCapability> = [], customMethods: [CustomMethod] = [],
        revocation: RevocationRule = .anyToken, elevation: RefreshRule? = nil, sharesCredential: Bool = false,
        revocationEndsEveryGrant: Bool = false, reuseInterval: Duration? = nil
    ) {
        self.binding = binding
        self.methods = methods
        self.refresh = refresh
        self.capabilities = capabilities
        self.customMethods = customMethods
        self.revocation = revocation
        self.elevation = elevation ?? (refresh.replay == .fixed ? .fixed : .killsFamily)
        self.sharesCredential = sharesCredential
        self.revocationEndsEveryGrant = revocationEndsEveryGrant
        self.reuseInterval = reuseInterval
    }

    /// What sending the secret again does.
    package var replay: RefreshRule { refresh.replay }
}
