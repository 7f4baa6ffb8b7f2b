/// What a provider is, as data. The engine's decisions hang on it, so it is declared, not coded.
public struct ProviderRules: Sendable {
    /// What refreshing does to the credential, and what the service does with a refresh token that was used already.
    ///
    /// Each case is a kind of service in `Documentation/Lane.md`. It decides what may be sent after a request whose answer
    /// was lost, and how long that has to wait. Where nothing is known, the first is the safe one.
    public enum RefreshRule: Sendable {
        /// Kind A. Each refresh token is good once; a second use ends everything that descends from the same sign-in
        /// (RFC 9700, section 4.14). Glewlwyd, node-oidc-provider, Keycloak with *Revoke Refresh Token*.
        case killsFamily
        /// Kind B1. Each is good once; for a while a second use brings the same successor again. Supabase (GoTrue).
        case sameSuccessor
        /// Kind B2. Each is good once; for a while a second use brings another successor. django-oauth-toolkit with a
        /// grace period, Cognito with rotation and a grace period.
        case newSuccessor
        /// Kind C. The refresh token stays as it is, or there is none. Keycloak and Cognito as they come, client
        /// credentials. Of an operation (``AuthClient/perform(on:replay:_:)``): it spends nothing.
        case fixed
        /// Kind D. Short tokens are minted under a long-lived one that any answer may replace. Clerk. Of an operation:
        /// as ``fixed``.
        case mints

        /// The one of two that asks for more care.
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

        /// What sending the secret again does: nothing, where it does not rotate.
        package var replay: Self { self == .mints ? .fixed : self }
    }

    /// What ending a session at the service takes.
    public enum RevocationRule: Sendable {
        /// Any token of the credential, also one that has ended, or the refresh token (RFC 7009).
        case anyToken
        /// An access token that has not ended. Where there is none, the engine refreshes the credential first, in the lane
        /// and journaled, so ``SessionRevoking/revoke(_:in:)`` sends nothing else.
        case liveAccessToken
        /// The same for what ends more than this session (``SignOutScope/everywhere``, ``SignOutScope/others``); this
        /// one is ended by any token.
        case liveAccessTokenForOthers
    }

    /// What its credentials may be used with.
    public var binding: ProviderBinding
    /// How one can sign in: ``SignInMethod/Kind`` of each.
    public var methods: Set<SignInMethod.Kind>
    /// What refreshing does to the credential, and a reuse.
    public var refresh: RefreshRule
    /// What it can do beside signing in. The engine refuses whatever is not named, before the provider is asked.
    public var capabilities: Set<ProviderCapability>
    /// The ways to sign in that are this provider's own; `methods` has ``SignInMethod/Kind/custom`` as well then.
    public var customMethods: [CustomMethod]
    /// What ending a session takes.
    public var revocation: RevocationRule
    /// What a conversation about somebody who is signed in does to their refresh token: what sending it again does, once
    /// linking or stepping up has taken effect. ``RefreshRule/fixed``: nothing, its grant is a session of its own.
    public var elevation: RefreshRule
    /// Whether several people may be signed in on one credential, whose tokens are minted (``RefreshRule/mints``).
    ///
    /// A sign-in is added to the credential there is (``Grant/shared``); each session ends by itself: a ``Refusal`` ends
    /// the one that was asked for, and a sign-out takes one out. Tokens are minted side by side and kept in memory, so
    /// minting must not replace the refresh token, or the service has to take those that it replaced; asking for one must
    /// cost little. Every other call that may replace it runs alone.
    public var sharesCredential: Bool
    /// Whether a revocation ends every grant of the person at this client, newer ones included.
    public var revocationEndsEveryGrant: Bool

    /// Rules of their parts; the defaults are the safe ones, and name no capability. `elevation` is by default
    /// ``RefreshRule/killsFamily``, but where nothing rotates.
    public init(
        binding: ProviderBinding, methods: Set<SignInMethod.Kind>, refresh: RefreshRule = .killsFamily,
        capabilities: Set<ProviderCapability> = [], customMethods: [CustomMethod] = [],
        revocation: RevocationRule = .anyToken, elevation: RefreshRule? = nil, sharesCredential: Bool = false,
        revocationEndsEveryGrant: Bool = false
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
    }

    /// What sending the secret again does.
    package var replay: RefreshRule { refresh.replay }
}
