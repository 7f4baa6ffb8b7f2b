import LatchkeyJSON

/// A person as the service describes them: as much as could be read. Empty texts count as absent.
enum UserAnswer {
    /// The account's id.
    static func id(in user: JSON?) -> String? { text(user, "id") }

    /// The mail address.
    static func mail(in user: JSON?) -> String? { text(user, "email") }

    /// A name to show.
    static func label(in user: JSON?) -> String? {
        mail(in: user) ?? text(user, "phone").map { $0.hasPrefix("+") ? $0 : "+\($0)" }
            ?? ["full_name", "name", "user_name"].lazy.compactMap { text(user?["user_metadata"], $0) }.first
    }

    /// Whether the answer to a sign-up is the one that hides that there is such an account: nothing is behind it.
    static func isMadeUp(_ user: JSON) -> Bool {
        user["identities"]?.array?.isEmpty == true && text(user, "role") == nil
    }

    /// What the person could prove besides.
    static func verifiedFactors(in user: JSON?) -> [Factor] {
        (user?["factors"]?.array ?? []).compactMap(Factor.init).filter(\.isVerified)
    }

    static func text(_ json: JSON?, _ name: String) -> String? {
        json?[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// A further factor of a person.
struct Factor: Sendable {
    var id: String
    var type: String
    var name: String?
    var phone: String?
    var isVerified: Bool

    static let totp = "totp"
    static let phone = "phone"
    static let passkey = "webauthn"

    init?(_ json: JSON) {
        guard let id = UserAnswer.text(json, "id"), Self.isPlain(id), let type = UserAnswer.text(json, "factor_type")
        else { return nil }
        self.id = id
        self.type = type
        name = UserAnswer.text(json, "friendly_name")
        phone = UserAnswer.text(json, "phone")
        isVerified = json["status"]?.string == "verified"
    }

    /// What a person chooses by.
    var label: String {
        switch type {
        case Self.totp: name.map { "Authenticator app \($0)" } ?? "Authenticator app"
        case Self.phone: phone.map { "Text message to \($0)" } ?? "Text message"
        default: name.map { "Passkey \($0)" } ?? "Passkey"
        }
    }
}
