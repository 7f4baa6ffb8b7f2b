import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// What this provider keeps with a session: the person's claims in the first ID token, and the newest ID token.
struct SessionState: Sendable {
    /// The claims of the first ID token that later ones must agree with.
    var claims: JSON?
    /// The newest ID token, which a sign-out in the browser sends as a hint.
    var idToken: Secret?

    private enum Member {
        static let claims = "claims"
        static let idToken = "id_token"
        /// `iss`, `sub`, `aud` and `auth_time` must not change (OpenID Connect Core, section 12.2).
        static let keptClaims = ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "sid"]
    }

    init(_ claims: IDTokenClaims, _ idToken: Secret) {
        let all = claims.raw.object ?? [:]
        self.claims = .object(all.filter { Member.keptClaims.contains($0.key) })
        self.idToken = idToken
    }

    init(_ json: JSON) {
        claims = json[Member.claims]
        idToken = json[Member.idToken]?.string.map { Secret($0) }
    }

    /// Returns `old` with these members replaced; its other members stay.
    func json(over old: JSON = .object([:])) -> JSON {
        var members = old.object ?? [:]
        members[Member.claims] = claims
        members[Member.idToken] = idToken.map { .string($0.revealText()) }
        return .object(members)
    }
}

/// What this provider keeps with a credential.
struct CredentialState: Sendable {
    /// The scopes that were granted at the sign-in.
    var scopes: [String]
    /// The resources that tokens can be requested for.
    var resources: [String]

    private enum Member {
        static let scopes = "scopes"
        static let resources = "resources"
    }

    init(scopes: [String], resources: [String]) {
        self.scopes = scopes
        self.resources = resources
    }

    init(_ json: JSON) {
        scopes = json[Member.scopes]?.array?.compactMap(\.string) ?? []
        resources = json[Member.resources]?.array?.compactMap(\.string) ?? []
    }

    var json: JSON {
        [Member.scopes: .array(scopes.map(JSON.string)), Member.resources: .array(resources.map(JSON.string))]
    }
}
