public import FoundationEssentials
public import Latchkey
public import LatchkeyJSON
import LatchkeyPluginKit

/// The claims of a session token, of version 2 or of the older version without a number
/// ([Clerk, Session tokens](https://clerk.com/docs/guides/sessions/session-tokens)).
///
/// A token from a template has only the claims of its template, so most of these are then absent. A
/// claim that cannot be read grants nothing.
public struct ClerkClaims: Sendable {
    /// The organization that the token is for.
    public struct Organization: Hashable, Sendable {
        /// The organization's id, `org_…`.
        public let id: String
        /// The organization's name in addresses.
        public let slug: String?
        /// The person's role there, such as `org:admin`.
        public let role: String?
        /// The person's permissions there, such as `org:invoices:read`.
        public let permissions: Set<String>
    }

    /// The owner of a plan or a feature.
    public enum Owner: String, Hashable, Sendable {
        /// The person.
        case user = "u"
        /// The organization.
        case organization = "o"
    }

    /// Every claim.
    public let json: JSON
    /// The person's id, `user_…`.
    public let user: String
    /// The session's id, `sess_…`; absent from tokens from a template.
    public var session: String? { json["sid"]?.string }
    /// The session's status: `active`, or `pending` if the person has tasks left.
    public var status: String? { json["sts"]?.string }
    /// The page or app that the token was made for; absent from tokens of native programs.
    public var authorizedParty: String? { json["azp"]?.string }
    /// The account that acts as the person: an object with `sub`; absent if none does.
    public var actor: JSON? { json["act"].flatMap { $0.object == nil ? nil : $0 } }
    /// The organization that the token is for.
    public let organization: Organization?
    /// The features by name, each with its owners.
    public let features: [String: Set<Owner>]
    /// The plans by name, each with its owners.
    public let plans: [String: Set<Owner>]
    private let claims: TokenClaims

    /// Reads a token without checking its signature, which is safe only for a token that came
    /// straight from the service. Use ``ClerkTokenVerifier`` for a token that a browser, a person
    /// or another program sends.
    ///
    /// - Throws: `untrusted(.malformed)` if it is not a token, `untrusted(.claims)` if it has no subject.
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
    /// When the token expires.
    public var expiresAt: Date? { claims.instant("exp") }
    /// When the token becomes valid.
    public var notBefore: Date? { claims.instant("nbf") }

    /// The minutes between the proof of the first factor and the making of the token; `nil` if it
    /// was never proven, or the token does not say.
    public var minutesSinceFirstFactor: Int? { age(0) }
    /// The minutes between the proof of the second factor and the making of the token; `nil` if it
    /// was never proven, or the token does not say.
    public var minutesSinceSecondFactor: Int? { age(1) }

    private func age(_ index: Int) -> Int? {
        guard let ages = json["fva"]?.array, ages.indices.contains(index), let age = ages[index].integer, age >= 0
        else {
            return nil
        }
        return Int(exactly: age)
    }

    /// Returns whether the person has this permission in the token's organization:
    /// `org:invoices:read`, or the same without `org:`.
    public func has(permission: String) -> Bool {
        let whole = permission.hasPrefix("org:") ? permission : "org:\(permission)"
        return organization?.permissions.contains(whole) ?? false
    }

    /// Returns whether the person has this role in the token's organization: `org:admin`, or the
    /// same without `org:`.
    public func has(role: String) -> Bool {
        organization?.role.map { $0 == (role.hasPrefix("org:") ? role : "org:\(role)") } ?? false
    }

    /// Returns whether the person or the organization has this feature; with `owner`, whether that owner has it.
    public func has(feature: String, of owner: Owner? = nil) -> Bool {
        features[feature].map { owner.map($0.contains) ?? true } ?? false
    }

    /// Returns whether the person or the organization has this plan; with `owner`, whether that owner has it.
    public func has(plan: String, of owner: Owner? = nil) -> Bool {
        plans[plan].map { owner.map($0.contains) ?? true } ?? false
    }
}

extension ClerkClaims: CustomStringConvertible, CustomReflectable {
    /// A fixed text without claims.
    public var description: String { "claims of a session token" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
