public import FoundationEssentials
public import Latchkey
public import LatchkeyCrypto

/// What an ID token must say, OpenID Connect Core 1.0 sections 3.1.3.7 and 12.2.
public struct IDTokenRules: Sendable {
    /// The leeway nobody may exceed: ten minutes.
    public static let maximumLeeway = Duration.seconds(600)

    /// The issuer, compared as it is written.
    public var issuer: String
    /// This client; must be in `aud`, and be `azp` where there is one.
    public var clientID: String
    /// The time by the server's clock.
    public var now: Date
    /// The nonce that was sent. Required in the token when set, refused in it when not; after a refresh see ``prior``.
    public var nonce: Secret?
    /// How old the person's proof may be, when that was asked for; then `auth_time` must be there.
    public var maxAge: Duration?
    /// The access token that came with the ID token, to compare with `at_hash` where there is one.
    public var accessToken: Secret?
    /// The values of `acr` that are enough. Empty: any, or none.
    public var requiredACR: Set<String> = []
    /// The audiences that may stand beside this client. Empty: none.
    public var trustedAudiences: Set<String> = []
    /// The signature algorithms. All asymmetric ones of RFC 7518 and RFC 8037 by default.
    public var algorithms = Set(SignatureAlgorithm.allCases)
    /// How far the clocks may differ; held between zero and ``maximumLeeway``.
    public var leeway: Duration = .seconds(60)
    /// How long ago `iat` may be for a token just received. A day by default.
    public var maximumIssuedAge: Duration = .seconds(86_400)
    /// The claims of the first sign-in, when the token comes from a refresh: the person must not change.
    public var prior: IDTokenClaims?

    /// Rules for a token just received from `issuer`.
    public init(issuer: String, clientID: String, now: Date, nonce: Secret? = nil) {
        self.issuer = issuer
        self.clientID = clientID
        self.now = now
        self.nonce = nonce
    }

    var leewaySeconds: Double { min(max(leeway, .zero), Self.maximumLeeway).inSeconds }
}
