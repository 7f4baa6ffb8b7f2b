import LatchkeyJSON

/// The state of one proof in JSON.
struct ClerkVerification {
    var strategy: String
    var status = "unverified"
    var attempts: Int?
    /// When it ends, in seconds by the machine's clock.
    var expires: Double?
    /// Text to sign.
    var nonce: String?
    /// The page to visit.
    var redirect: String?
    /// What went wrong at another service.
    var error: ClerkRefusal?

    var kind: String {
        switch strategy {
        case "password", "totp", "backup_code", "passkey", "ticket", "email_link": "verification_\(strategy)"
        case "enterprise_sso", "saml": "verification_saml"
        default: strategy.hasPrefix("oauth_") ? "verification_oauth" : "verification_otp"
        }
    }

    var members: [String: JSON] {
        var members: [String: JSON] = [
            "object": .string(kind), "id": .string("ver_\(strategy)"), "status": .string(status),
            "strategy": .string(strategy),
            "attempts": attempts.map { .integer(Int64($0)) } ?? .null,
            "expire_at": expires.map { .integer(Int64($0 * 1_000)) } ?? .null, "error": error?.entry ?? .null,
        ]
        if let nonce { members["nonce"] = .string(nonce) }
        if strategy == "email_link" { members["verified_at_client"] = "" }
        if let redirect { members["external_verification_redirect_url"] = .string(redirect) }
        return members
    }

    var json: JSON { .object(members) }
}

extension ClerkCode {
    func verification(_ status: String = "unverified") -> ClerkVerification {
        ClerkVerification(strategy: strategy, status: status, attempts: wrong, expires: expires)
    }
}
