import FoundationEssentials
package import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// A session in the service's answer. Reading is strict about what signs in, and lenient about the
/// person's description.
struct SessionAnswer: Sendable {
    /// The access token.
    var access: Secret
    /// The refresh token.
    var refresh: Secret
    /// How long the access token lasts, according to the answer.
    var lasts: Duration
    /// When the access token ends by the service's clock, in whole UNIX seconds; the earlier
    /// instant if the answer and the token disagree. `nil` if neither says.
    var endsAt: Int64?
    /// The service's clock in an answer that came after the access token was made, in whole UNIX
    /// seconds. `nil` if the token came in the answer to its own request: then its own `iat` says that.
    var seenAt: Int64?
    /// The service's description of the person; `nil` if the answer has none.
    var user: JSON?
    /// The identity provider's tokens from a social sign-in, which the service gives only once.
    var providerTokens: [String: JSON]
    /// The rules that the password breaks, although it was accepted.
    var weaknesses: [String]
    /// The claims of the access token.
    var claims: AccessClaims

    enum Member {
        static let access = "access_token"
        static let type = "token_type"
        static let expiresIn = "expires_in"
        static let expiresAt = "expires_at"
        static let refresh = "refresh_token"
        static let user = "user"
        static let weakPassword = "weak_password"
        static let reasons = "reasons"
        static let ofProvider = ["provider_token", "provider_refresh_token"]
        /// The members without which there is no session.
        static let required = [access, type, expiresIn, refresh]
    }

    init(_ json: JSON) throws(JSONError) {
        let record = JSONField(json)
        access = try Self.secret(record[Member.access])
        let type = record[Member.type]
        guard try type.string().lowercased() == "bearer" else { throw JSONError(.wrongType, at: type.path) }
        lasts = .seconds(min(max(try record[Member.expiresIn].integer(), 0), 315_360_000))
        refresh = try Self.secret(record[Member.refresh])
        user = json[Member.user]?.object.map(JSON.object)
        providerTokens = [:]
        for name in Member.ofProvider {
            if let token = json[name], token.string?.isEmpty == false { providerTokens[name] = token }
        }
        weaknesses = json[Member.weakPassword]?[Member.reasons]?.array?.compactMap(\.string) ?? []
        claims = AccessClaims(of: access)
        endsAt = Self.earliest(json[Member.expiresAt], claims.json["exp"])
        guard claims.subject != nil || UserAnswer.id(in: user) != nil else {
            throw JSONError(.missing, at: record[Member.user]["id"].path)
        }
    }

    private static func secret(_ field: JSONField) throws(JSONError) -> Secret {
        let bytes = Array(try field.string().utf8)
        guard !bytes.isEmpty else { throw JSONError(.missing, at: field.path) }
        // The token is put into a header as it is.
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw JSONError(.wrongType, at: field.path) }
        return Secret(bytes)
    }

    /// The id of the session's person.
    var subject: String { UserAnswer.id(in: user) ?? claims.subject ?? "" }

    /// The answer again, for the state of a challenge.
    var json: JSON {
        var members = providerTokens
        members[Member.access] = .string(access.revealText())
        members[Member.type] = "bearer"
        members[Member.expiresIn] = .integer(lasts.components.seconds)
        members[Member.expiresAt] = endsAt.map(JSON.integer)
        members[Member.refresh] = .string(refresh.revealText())
        members[Member.user] = user
        return .object(members)
    }
}

/// An access token's claims about its session. Not checked: the token came from the service itself, over TLS.
package struct AccessClaims: Sendable {
    /// All claims.
    var json: JSON

    package init(of token: Secret) {
        let parts = token.reveal().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let payload = parts.count == 3 ? try? Base64URL.decode(parts[1]) : nil
        json = payload.flatMap { try? JSON.parse($0, reader: .portable) } ?? .null
    }

    /// The person's id.
    var subject: String? { json["sub"]?.string.flatMap { $0.isEmpty ? nil : $0 } }
    /// The person's mail address.
    var mail: String? { json["email"]?.string.flatMap { $0.isEmpty ? nil : $0 } }
    /// The session's id, the same across refreshes.
    var sessionID: String? { json["session_id"]?.string.flatMap { $0.isEmpty ? nil : $0 } }
    /// Whether this is a key of the project's own servers.
    var isOfServer: Bool { role == "service_role" }
    /// The database role.
    package var role: String? { json["role"]?.string }
    /// The assurance level: `aal1` or `aal2`.
    var assurance: String? { json["aal"]?.string }

    /// How the person signed in, newest first. A hook may turn the entries into plain strings.
    var methods: [String] { (json["amr"]?.array ?? []).compactMap { $0.string ?? $0["method"]?.string } }

    /// Whether the newest proof was a mail for a lost password.
    var isRecovery: Bool { methods.first == "recovery" }

    /// When the person last proved who they are.
    var authenticatedAt: Date? {
        let times = (json["amr"]?.array ?? []).compactMap { entry -> Int64? in
            entry["method"]?.string == "token_refresh" ? nil : entry["timestamp"]?.integer
        }
        return times.max().flatMap { (0...32_503_680_000).contains($0) ? Date(timeIntervalSince1970: Double($0)) : nil }
    }

    /// When the newest further factor was proven, in whole UNIX seconds; `nil` if none was.
    var factorProvenAt: Int64? {
        (json["amr"]?.array ?? []).compactMap { entry -> Int64? in
            let method = entry["method"]?.string ?? ""
            return method == "totp" || method.hasPrefix("mfa/") ? entry["timestamp"]?.integer : nil
        }.max()
    }
}

extension AccessClaims {
    /// The assurance level of one factor.
    static let single = "aal1"
    /// The assurance level of two factors.
    static let raised = "aal2"
}

extension SessionAnswer {
    /// Whether an answer is the first half of a change that two addresses confirm. It looks like an
    /// error but is none.
    static func isHalf(_ json: JSON) -> Bool {
        json[Member.access] == nil && json["code"]?.string == "200" && json["msg"]?.string != nil
    }
}

/// What this provider keeps with a session.
struct SessionState: Sendable {
    /// The service's last description of the person, whole.
    var user: JSON?
    /// The identity provider's tokens from a social sign-in, which the service gives only once.
    var providerTokens: [String: JSON]

    private enum Member {
        static let user = "user"
        static let providerTokens = "provider_tokens"
    }

    /// The identity provider's access token.
    var providerToken: Secret? { providerTokens[SessionAnswer.Member.ofProvider[0]]?.string.map { Secret($0) } }
    /// The identity provider's refresh token.
    var providerRefreshToken: Secret? { providerTokens[SessionAnswer.Member.ofProvider[1]]?.string.map { Secret($0) } }

    init(_ json: JSON) {
        user = json[Member.user]
        providerTokens = json[Member.providerTokens]?.object ?? [:]
    }

    /// Returns `old` with these members replaced; its other members stay.
    func json(over old: JSON? = nil) -> JSON {
        var members = old?.object ?? [:]
        members[Member.user] = user
        members[Member.providerTokens] = providerTokens.isEmpty ? nil : .object(providerTokens)
        return .object(members)
    }
}
