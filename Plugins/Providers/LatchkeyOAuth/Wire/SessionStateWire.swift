import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// What this provider keeps with a session: what later ID tokens must agree with, and what is known of the person.
struct SessionState: Sendable {
    /// The claims of the first ID token that later ones must agree with.
    var claims: JSON?
    /// The newest ID token. It has the person's claims, and a sign-out in the browser sends it as a hint.
    private(set) var idToken: Secret?
    /// The claims of the last answer of the userinfo endpoint, but for those that a newer ID token has changed.
    var userInfo: JSON?
    /// Whether another program began the session.
    var isTakenOver = false

    private enum Member {
        static let claims = "claims"
        static let idToken = "id_token"
        static let userInfo = "userinfo"
        static let isTakenOver = "taken_over"
        static let serviceSession = "sid"
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
        userInfo = json[Member.userInfo]
        isTakenOver = json[Member.isTakenOver]?.bool ?? false
    }

    /// The state of a session whose ID token is not accepted, or is missing. Nothing in it is checked.
    init(refused idToken: Secret?) {
        self.idToken = idToken
        claims = idToken.flatMap(IDToken.claims(ofKept:))
    }

    /// The state of a session without an ID token.
    init(isTakenOver: Bool) { self.isTakenOver = isTakenOver }

    /// Returns `old` with these members replaced; its other members stay.
    func json(over old: JSON = .object([:])) -> JSON {
        var members = old.object ?? [:]
        members[Member.claims] = claims
        members[Member.idToken] = idToken.map { .string($0.revealText()) }
        members[Member.userInfo] = userInfo
        members[Member.isTakenOver] = isTakenOver ? true : nil
        return .object(members)
    }

    /// Who signed in, by the first ID token.
    var subject: String? { claims?[OpenIDClaimsWire.subject]?.string }

    /// The sessions at the service that the first and the newest ID token name.
    var serviceSessions: Set<String> {
        let told = [claims, idToken.flatMap(IDToken.claims(ofKept:))].compactMap { $0?[Member.serviceSession]?.string }
        return Set(told.filter { !$0.isEmpty })
    }
}

extension SessionState {
    /// The person's claims: the newest ID token's, and over them userinfo's. `nil` without an ID token.
    var person: OpenIDClaims? {
        guard let issuer = claims?[OpenIDClaimsWire.issuer]?.string,
            let subject = claims?[OpenIDClaimsWire.subject]?.string
        else { return nil }
        let told = idToken.flatMap(IDToken.claims(ofKept:)) ?? claims
        return OpenIDClaims(
            issuer: issuer, subject: subject,
            members: OpenIDClaimsWire.ofToken(told).merging(OpenIDClaimsWire.ofUserInfo(userInfo)) { $1 })
    }

    /// Takes over a newer ID token of the same person. What it changes is newer than what userinfo has said.
    mutating func renew(_ newer: Secret) {
        let before = OpenIDClaimsWire.ofToken(idToken.flatMap(IDToken.claims(ofKept:)))
        let changed = OpenIDClaimsWire.ofToken(IDToken.claims(ofKept: newer)).filter { before[$0.key] != $0.value }
        userInfo = userInfo.map { .object(($0.object ?? [:]).filter { changed[$0.key] == nil }) }
        idToken = newer
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
