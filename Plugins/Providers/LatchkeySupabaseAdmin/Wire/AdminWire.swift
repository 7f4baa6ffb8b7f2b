import Latchkey
import LatchkeyJSON
import LatchkeySupabase

/// The requests of administration, and their answers.
enum AdminWire {
    static let id = "id"
    static let passwordHash = "password_hash"
    static let softly = "should_soft_delete"

    /// A hundred years, in seconds.
    private static let longestBan: Int64 = 3_155_760_000

    static func body(_ details: SupabaseUserDetails) throws(AuthError) -> [String: JSON] {
        var body: [String: JSON] = [:]
        body["email"] = details.email.map(JSON.string)
        body["phone"] = details.phone.map(JSON.string)
        body["password"] = details.password.map { .string($0.revealText()) }
        body["email_confirm"] = details.confirmsEmail ? true : nil
        body["phone_confirm"] = details.confirmsPhone ? true : nil
        body["user_metadata"] = details.metadata.isEmpty ? nil : .object(details.metadata)
        body["app_metadata"] = details.appMetadata.isEmpty ? nil : .object(details.appMetadata)
        body["role"] = details.role.map(JSON.string)
        if let ban = details.ban { body["ban_duration"] = .string(try word(ban)) }
        return body
    }

    private static func word(_ ban: SupabaseBan) throws(AuthError) -> String {
        guard case .lasting(let duration) = ban else { return "none" }
        let (whole, rest) = duration.components
        guard duration > .zero, whole < longestBan else {
            throw AuthError(
                .configuration(.invalid), "A ban lasts a second to a hundred years.", provider: SupabaseAdmin.name)
        }
        return "\(rest > 0 ? whole + 1 : whole)s"
    }

    static func body(email: String, metadata: [String: JSON]) -> [String: JSON] {
        var body: [String: JSON] = ["email": .string(email)]
        body["data"] = metadata.isEmpty ? nil : .object(metadata)
        return body
    }

    static func body(_ request: SupabaseLinkRequest) -> [String: JSON] {
        var body: [String: JSON]
        switch request {
        case .signUp(let email, let password, let metadata):
            body = Self.body(email: email, metadata: metadata)
            (body["type"], body["password"]) = ("signup", .string(password.revealText()))
        case .invite(let email, let metadata):
            body = Self.body(email: email, metadata: metadata)
            body["type"] = "invite"
        case .magicLink(let email): body = ["type": "magiclink", "email": .string(email)]
        case .recovery(let email): body = ["type": "recovery", "email": .string(email)]
        case .emailChange(let old, let new, let address):
            body = [
                "type": .string("email_change_\(address.rawValue)"), "email": .string(old), "new_email": .string(new),
            ]
        }
        return body
    }

    static func query(redirect: String?) -> [(name: String, value: String)] {
        redirect.map { [("redirect_to", $0)] } ?? []
    }

    /// Reads a list. A factor that cannot be read is skipped, as in a user.
    static func factors(_ json: JSON) throws(JSONError) -> [SupabaseFactor] {
        try JSONField(json).array().compactMap { SupabaseFactor($0.value ?? .null) }
    }
}

extension SupabaseLink {
    private static let members = ["action_link", "email_otp", "hashed_token", "verification_type", "redirect_to"]

    /// Reads an answer: a user, with the link's members among the user's own.
    init(_ json: JSON) throws(JSONError) {
        let record = JSONField(json)
        func secret(_ name: String) throws(JSONError) -> Secret {
            let text = try record[name].string()
            guard !text.isEmpty else { throw JSONError(.missing, at: record[name].path) }
            return Secret(text)
        }
        url = try secret("action_link")
        code = try secret("email_otp")
        tokenHash = try secret("hashed_token")
        type = try record["verification_type"].string()
        redirect = try record["redirect_to"].optional?.string() ?? ""
        // The user's JSON is public, so nothing secret may stay among its members.
        user = try SupabaseUser(.object(try record.object().filter { !Self.members.contains($0.key) }))
    }
}
