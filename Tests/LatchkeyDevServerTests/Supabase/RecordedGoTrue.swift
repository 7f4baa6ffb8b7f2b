import FoundationEssentials
import LatchkeyCrypto
import LatchkeyJSON
import Testing

@testable import LatchkeyDevServer

/// One request to a real GoTrue, and its answer. The files hold scratch accounts and keys of a run on loopback.
struct RecordedExchange: Sendable {
    var file: String
    var name: String
    var at: Double
    var method: String
    /// Which of the recorded instances it was, by its port.
    var port: Int
    /// Path and query.
    var target: String
    var fields: [(name: String, value: String)]
    var body: JSON?
    var raw: String?
    var status: Int
    var answerFields: [(name: String, value: String)]
    var answerBody: String

    func answerField(_ name: String) -> String? {
        answerFields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    var answer: JSON? { try? JSON.parse(Array(answerBody.utf8)) }
    var refreshToken: String? { body?["refresh_token"]?.string }
    var bearer: String? {
        let value = fields.first { $0.name == "Authorization" }?.value
        return value.map { String($0.dropFirst("Bearer ".count)) }
    }

    static let files = [
        "anonymous", "captcha", "database-errors", "discovery", "email-change", "hooks", "id-token", "identities",
        "invite", "link-errors", "logout", "magiclink-implicit", "mfa-amr", "mfa-other-factors", "mfa-totp",
        "mfa-webauthn", "oauth-server", "otp", "passkeys-flow", "passkeys", "password", "phone-otp", "pkce",
        "rate-limit", "reauthenticate", "recovery-implicit", "refresh-details", "refresh-gone", "refresh-race",
        "refresh-v2-interval-0", "refresh-v2", "resend", "server-errors", "signup", "social", "sso", "user", "web3",
    ]

    static func read(_ file: String) throws -> [RecordedExchange] {
        // The provider's tests read the same recordings.
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let bytes = try Data(
            contentsOf: tests.appending(path: "LatchkeySupabaseTests/Recorded/gotrue-\(file).json"))
        let all = try JSONField(try JSON.parse(Array(bytes)))["exchanges"].array()
        let exchanges = try all.map { try RecordedExchange($0, file: file) }
        guard file == "refresh-race" else { return exchanges }
        // Sent at once: the one that rotated is the one that was first.
        let isFirst = { (exchange: RecordedExchange) in exchange.answerField("Sb-Auth-Refresh-Token-Reuse") != nil }
        return exchanges.filter(isFirst) + exchanges.filter { !isFirst($0) }
    }

    private init(_ field: JSONField, file: String) throws {
        let (request, response) = (field["request"], field["response"])
        self.file = file
        name = try field["name"].string()
        method = try request["method"].string()
        let url = try #require(try request["url"].string().wholeMatch(of: /http:\/\/127\.0\.0\.1:(\d+)(\/.*)/))
        port = try #require(Int(url.1))
        target = String(url.2)
        fields =
            try request["headers"].optional?.object().compactMap { name, value in
                value.string.map { (name, $0) }
            } ?? []
        body = request.value?["json"]
        raw = request.value?["raw"]?.string
        status = Int(try response["status"].integer())
        answerFields = try response["headers"].array().map { pair in
            let pair = try pair.array()
            return (try pair[0].string(), try pair[1].string())
        }
        answerBody = try response["body"].optional?.string() ?? ""
        let answer = try? JSON.parse(Array(answerBody.utf8))
        let issued = answer?["access_token"]?.string.flatMap(Self.claims)?["iat"]?.number
        at = try #require(field.value?["received_at"]?.number ?? issued.map { $0 + 0.5 })
    }

    /// The claims of a token, not checked.
    static func claims(_ token: String) -> JSON? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return (try? Base64URL.decode(parts[1])).flatMap { try? JSON.parse($0) }
    }
}
