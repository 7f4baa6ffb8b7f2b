import Latchkey

/// How a factor is proven, in the service's words.
enum Strategy {
    static func code(_ channel: DeliveryChannel) -> String { channel == .mail ? "email_code" : "phone_code" }

    /// Over what a code of this strategy comes; `nil`: it is none that is sent.
    static func channel(_ strategy: String) -> DeliveryChannel? {
        switch strategy {
        case "email_code", "reset_password_email_code": .mail
        case "phone_code", "reset_password_phone_code": .sms
        default: nil
        }
    }

    /// What takes ID tokens of this issuer.
    static func ofIDToken(_ issuer: String) -> String? {
        switch issuer {
        case "https://appleid.apple.com": "oauth_token_apple"
        case "https://accounts.google.com", "accounts.google.com": "oauth_token_google"
        default: nil
        }
    }
}

/// One way to prove a factor that an attempt offers.
struct Factor: Sendable {
    let strategy: String
    /// The address or number, in the service's name for it.
    let id: String?
    /// The same as a person may see it.
    let shown: String?
    let isPrimary: Bool

    /// What a choice calls it.
    var choice: String { id.map { "\(strategy):\($0)" } ?? strategy }

    /// What a choice shows.
    var label: String {
        switch strategy {
        case "password": "Password"
        case "totp": "Authenticator app"
        case "backup_code": "Backup code"
        case "passkey": "Passkey"
        case "email_code": shown.map { "Mail to \($0)" } ?? "Mail"
        default: shown.map { "Text message to \($0)" } ?? "Text message"
        }
    }

    /// Those that can be asked for here: a reset only where somebody wants one.
    static let first: Set<String> = ["password", "email_code", "phone_code", "passkey"]
    static let second: Set<String> = ["totp", "backup_code", "email_code", "phone_code"]
}
