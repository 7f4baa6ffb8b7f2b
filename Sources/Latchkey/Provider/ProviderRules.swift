/// What a provider is, as data. The engine's decisions hang on it, so it is declared, not coded.
public struct ProviderRules: Sendable {
    /// What refreshing does to the credential.
    public enum RefreshRule: Sendable {
        /// Each answer may bring a new refresh token and end the old one. Alone in the lane.
        case rotates
        /// The refresh token stays as it is, or there is none.
        case fixed
        /// Tokens are minted under a long-lived secret that any answer may replace.
        case mints
    }

    /// What the service does with a refresh token that was used already.
    public enum ReplayRule: Sendable {
        /// Every reuse ends the whole family (RFC 9700, section 4.14). The safe assumption.
        case killsFamily
        /// Within a grace time a reuse answers with the same successor.
        case sameSuccessor
        /// Within a grace time a reuse answers with a new successor.
        case newSuccessor
        /// Nothing: the secret does not rotate.
        case notRotated

        /// The one of two that asks for more care.
        package func worse(_ other: Self?) -> Self {
            guard let other else { return self }
            return other.severity > severity ? other : self
        }

        private var severity: Int {
            switch self {
            case .notRotated: 0
            case .sameSuccessor: 1
            case .newSuccessor: 2
            case .killsFamily: 3
            }
        }
    }

    /// What its credentials may be used with.
    public var binding: ProviderBinding
    /// How one can sign in: ``SignInMethod/Kind`` of each.
    public var methods: Set<SignInMethod.Kind>
    /// What refreshing does to the credential.
    public var refresh: RefreshRule
    /// What a reuse does.
    public var replay: ReplayRule
    /// Whether several people may be signed in on one credential.
    public var sharesCredential: Bool
    /// Whether a revocation ends every grant of the person at this client, newer ones included.
    public var revocationEndsEveryGrant: Bool

    /// Rules of their parts; the defaults are the safe ones.
    public init(
        binding: ProviderBinding, methods: Set<SignInMethod.Kind>, refresh: RefreshRule = .rotates,
        replay: ReplayRule = .killsFamily, sharesCredential: Bool = false, revocationEndsEveryGrant: Bool = false
    ) {
        self.binding = binding
        self.methods = methods
        self.refresh = refresh
        self.replay = replay
        self.sharesCredential = sharesCredential
        self.revocationEndsEveryGrant = revocationEndsEveryGrant
    }
}
