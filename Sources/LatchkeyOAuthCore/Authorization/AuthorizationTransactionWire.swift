public import FoundationEssentials
public import Latchkey
public import LatchkeyJSON

/// One visit to the authorization endpoint: what must be kept to check the one redirect that answers it.
///
/// It is kept in the challenge's state, so another process can continue. It holds a verifier, so
/// its content is never printed.
public struct AuthorizationTransaction: Sendable {
    /// The state that the answer must carry.
    public var state: Secret
    /// The nonce that the ID token must carry; `nil` if no ID token is asked for.
    public var nonce: Secret?
    /// The verifier that is sent with the code.
    public var verifier: Secret
    /// The address that the browser returns to; it is sent again with the code.
    public var redirect: String
    /// The issuer that was asked.
    public var issuer: String
    /// The client that asked.
    public var client: String
    /// The scopes that were asked for.
    public var scopes: [String]
    /// When the visit began, by the service's clock.
    public var createdAt: Date
    /// Whether the service says that its redirects always name it (RFC 9207, section 3).
    public var namesIssuer: Bool
    /// How long ago the person may have authenticated at most.
    public var maxAge: Duration?
    /// The resources that tokens can be requested for.
    public var resources: [String] = []
    /// For a service whose issuer is not known: the origins of its endpoints, on one of which an `iss` must be.
    public var origins: [String] = []
    /// Members of the record that this version does not know.
    var unknown: [String: JSON] = [:]

    /// Creates a transaction from its parts.
    public init(
        state: Secret, nonce: Secret?, verifier: Secret, redirect: String, issuer: String, client: String,
        scopes: [String], createdAt: Date, namesIssuer: Bool
    ) {
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
        self.redirect = redirect
        self.issuer = issuer
        self.client = client
        self.scopes = scopes
        self.createdAt = createdAt
        self.namesIssuer = namesIssuer
    }
}

extension AuthorizationTransaction: CustomStringConvertible, CustomReflectable {
    /// A fixed text without content.
    public var description: String { "authorization transaction" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AuthorizationTransaction {
    private enum Member: String, CaseIterable {
        case state, nonce, verifier, redirect, issuer, client, scopes, resources, origins
        case createdAt = "created_at"
        case namesIssuer = "names_issuer"
        case maxAge = "max_age"
    }

    /// The transaction as a record to store.
    public var json: JSON {
        var members = unknown
        func set(_ member: Member, _ value: JSON?) { members[member.rawValue] = value }
        set(.state, .string(state.revealText()))
        set(.nonce, nonce.map { .string($0.revealText()) })
        set(.verifier, .string(verifier.revealText()))
        set(.redirect, .string(redirect))
        set(.issuer, .string(issuer))
        set(.client, .string(client))
        set(.scopes, .array(scopes.map(JSON.string)))
        set(.resources, resources.isEmpty ? nil : .array(resources.map(JSON.string)))
        set(.origins, origins.isEmpty ? nil : .array(origins.map(JSON.string)))
        set(.createdAt, .number(createdAt.timeIntervalSince1970))
        set(.namesIssuer, .bool(namesIssuer))
        set(.maxAge, maxAge.map { .integer($0.components.seconds) })
        return .object(members)
    }

    /// Reads a record. Unknown members are kept.
    ///
    /// - Throws: ``/LatchkeyJSON/JSONError`` naming the member that is missing or has another type.
    public init(json: JSON) throws(JSONError) {
        let record = JSONField(json)
        func field(_ member: Member) -> JSONField { record[member.rawValue] }
        func texts(_ member: Member) throws(JSONError) -> [String] {
            var texts: [String] = []
            for item in try field(member).optional?.array() ?? [] { texts.append(try item.string()) }
            return texts
        }
        let nonce: String? = try field(.nonce).optional?.string()
        let maxAge: Int64? = try field(.maxAge).optional?.integer()
        self.init(
            state: Secret(try field(.state).string()), nonce: nonce.map { Secret($0) },
            verifier: Secret(try field(.verifier).string()), redirect: try field(.redirect).string(),
            issuer: try field(.issuer).string(), client: try field(.client).string(), scopes: try texts(.scopes),
            createdAt: Date(timeIntervalSince1970: try field(.createdAt).number()),
            namesIssuer: try field(.namesIssuer).optional?.bool() ?? false)
        self.maxAge = maxAge.map { .seconds($0) }
        resources = try texts(.resources)
        origins = try texts(.origins)
        unknown = try record.object().filter { Member(rawValue: $0.key) == nil }
    }
}
