public import FoundationEssentials
public import Latchkey
public import LatchkeyCrypto

/// What an ID token must say, OpenID Connect Core 1.0 sections 3.1.3.7 and 12.2.
public struct IDTokenRules: Sendable {
    /// The largest possible leeway: ten minutes.
    public static let maximumLeeway = Duration.seconds(600)

    /// The issuer, compared exactly as written.
    public var issuer: String
    /// For the shared issuers of a service with many tenants: the token's issuer is this, filled with the token's own
    /// `tid`, and ``issuer`` does not count.
    public var issuerTemplate: IssuerTemplate?
    /// For every issuer of such a service: a key that names an issuer is for the tokens of that one only.
    public var tenantKeys: IssuerTemplate?
    /// The client's id. It must be in `aud`, and must be the `azp` if there is one.
    public var clientID: String
    /// The current time by the server's clock.
    public var now: Date
    /// Whether ``now`` is only what this machine believes, and the token has just come from the token endpoint in answer
    /// to a request of this client. Then its own `iat` is the server's clock, unless that lies further back than
    /// ``maximumIssuedAge``.
    public var trustsIssueTime = false
    /// The current time by this machine's clock, if ``now`` is from the field `Date` of the answer. A gateway may have
    /// written that: where `iat` contradicts it and agrees with this machine, this machine's time counts.
    public var ownNow: Date?
    /// The nonce that was sent. If set, the token must carry it; if `nil`, the token must have
    /// none. For a refresh, see ``prior``.
    public var nonce: Secret?
    /// How long ago the person may have authenticated at most, if that was asked for. The token
    /// must then have `auth_time`.
    public var maxAge: Duration?
    /// The access token that came with the ID token, to compare with `at_hash` if there is one.
    public var accessToken: Secret?
    /// The values of `acr` that are enough. If empty, any value or none is enough.
    public var requiredACR: Set<String> = []
    /// The audiences that the token may name in addition to this client. Empty by default.
    public var trustedAudiences: Set<String> = []
    /// The allowed signature algorithms. All asymmetric ones of RFC 7518 and RFC 8037 by default.
    public var algorithms = Set(SignatureAlgorithm.allCases)
    /// How far the clocks may differ, limited to between zero and ``maximumLeeway``.
    public var leeway: Duration = .seconds(60)
    /// How old `iat` may be in a token that was just received. A day by default.
    public var maximumIssuedAge: Duration = .seconds(86_400)
    /// The claims of the first sign-in, if the token comes from a refresh. `iss` and `sub` must be the same, `aud` must
    /// still contain this client, and a nonce, if there is one, must be the same.
    ///
    /// Section 12.2 also demands the same `auth_time`. Services break that, so a moved one is not refused
    /// and not believed: the result has the time of the sign-in. Audiences that the service adds
    /// are not compared with ``trustedAudiences``: the token came for the refresh token that was given to this client.
    public var prior: IDTokenClaims?
    /// Whether the token comes from a refresh, and the claims of its sign-in are not known. Any nonce is then accepted.
    public var isOfUnknownSignIn = false

    /// Creates rules for a token that was just received from `issuer`.
    public init(issuer: String, clientID: String, now: Date, nonce: Secret? = nil) {
        self.issuer = issuer
        self.clientID = clientID
        self.now = now
        self.nonce = nonce
    }

    var leewaySeconds: Double { min(max(leeway, .zero), Self.maximumLeeway).inSeconds }

    /// Returns the current time by the server's clock, for a token of this `iat`.
    package func now(issuedAt issued: Double) -> Double {
        let now = now.timeIntervalSince1970
        if trustsIssueTime { return issued > now - maximumIssuedAge.inSeconds ? issued : now }
        guard let own = ownNow?.timeIntervalSince1970, abs(issued - now) > leewaySeconds,
            abs(issued - own) <= leewaySeconds
        else { return now }
        return own
    }
}
