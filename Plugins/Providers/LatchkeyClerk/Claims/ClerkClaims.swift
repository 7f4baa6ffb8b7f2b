public import FoundationEssentials
public import Latchkey
public import LatchkeyJSON
import LatchkeyPluginKit

/// What a session token says: of version 2, and of the older one without a number
/// ([Clerk, Session tokens](https://clerk.com/docs/guides/sessions/session-tokens)).
///
/// A token by a template has only what its template says; then most of this is absent. Whatever cannot be read gives no
/// right.
public struct ClerkClaims: Sendable {
    /// The organization that the token is for.
    public struct Organization: Hashable, Sendable {
        /// `org_…`.
        public let id: String
        /// Its name in addresses.
        public let slug: String?
        /// What the person is there, such as `org:admin`.
        public let role: String?
        /// What the person may do there, such as `org:invoices:read`.
        public let permissions: Set<String>
    }

    /// Whose a plan or a feature is.
    public enum Owner: String, Hashable, Sendable {
        /// The person's own.
        case user = "u"
        /// The organization's.
        case organization = "o"
    }

    /// Every claim.
    public let json: JSON
    /// Whom the token is about: `user_…`.
    public let user: String
    /// The session: `sess_…`; absent from tokens by a template.
    public var session: String? { json["sid"]?.string }
    /// The session's status: `active`, or `pending` where the person has tasks left.
    public var status: String? { json["sts"]?.string }
    /// The page, or the app, that the token was made for; absent from tokens of native programs.
    public var authorizedParty: String? { json["azp"]?.string }
    /// Who acts as the person: an object with `sub`; absent where nobody does.
    public var actor: JSON? { json["act"].flatMap { $0.object == nil ? nil : $0 } }
    /// The organization that the token is for.
    public let organization: Organization?
    /// The features there are, by name.
    public let features: [String: Set<Owner>]
    /// The plans there are, by name.
    public let plans: [String: Set<Owner>]
    private let claims: TokenClaims

    /// Reads a token without checking its signature: allowed for one that came straight from the service. Whatever a browser,
    /// a person or another program brings is for ``ClerkTokenVerifier``.
    ///
    /// - Throws: `untrusted(.malformed)` for what is no token, `untrusted(.claims)` for one without a subject.
    public init(unverified token: Secret) throws(AuthError) { self.init(try TokenClaims(of: token)) }

    init(_ claims: TokenClaims) {
        self.claims = claims
        (json, user) = (claims.json, claims.subject)
        let scoped = ClaimsWire.features(claims.json["fea"]?.string)
        features = ClaimsWire.owners(scoped)
        plans = ClaimsWire.owners(ClaimsWire.features(claims.json["pla"]?.string))
        organization = ClaimsWire.organization(claims.json, features: scoped)
    }

    /// When the token was made, by the service's clock.
    public var issuedAt: Date? { claims.instant("iat") }
    /// When it ends.
    public var expiresAt: Date? { claims.instant("exp") }
    /// When it begins.
    public var notBefore: Date? { claims.instant("nbf") }

    /// How long ago the first factor was proven when the token was made, in minutes; `nil`: never, or not said.
    public var minutesSinceFirstFactor: Int? { age(0) }
    /// The same of the second factor.
    public var minutesSinceSecondFactor: Int? { age(1) }

    private func age(_ index: Int) -> Int? {
        guard let ages = json["fva"]?.array, ages.indices.contains(index), let age = ages[index].integer, age >= 0
        else {
            return nil
        }
        return Int(exactly: age)
    }

    /// Whether the person may do this in the organization of the token: `org:invoices:read`, or the same without `org:`.
    public func has(permission: String) -> Bool {
        let whole = permission.hasPrefix("org:") ? permission : "org:\(permission)"
        return organization?.permissions.contains(whole) ?? false
    }

    /// Whether the person is this in the organization of the token: `org:admin`, or the same without `org:`.
    public func has(role: String) -> Bool {
        organization?.role.map { $0 == (role.hasPrefix("org:") ? role : "org:\(role)") } ?? false
    }

    /// Whether there is a feature of this name, of the person or the organization, or of the one that is named.
    public func has(feature: String, of owner: Owner? = nil) -> Bool {
        features[feature].map { owner.map($0.contains) ?? true } ?? false
    }

    /// Whether there is a plan of this name, of the person or the organization, or of the one that is named.
    public func has(plan: String, of owner: Owner? = nil) -> Bool {
        plans[plan].map { owner.map($0.contains) ?? true } ?? false
    }
}

extension ClerkClaims: CustomStringConvertible, CustomReflectable {
    /// Always the same.
    public var description: String { "claims of a session token" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
