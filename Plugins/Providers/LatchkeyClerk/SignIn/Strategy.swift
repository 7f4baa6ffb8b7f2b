import Latchkey

/// The service's names for ways to prove a factor.
enum Strategy {
    static func code(_ channel: DeliveryChannel) -> String { channel == .mail ? "email_code" : "phone_code" }

    /// Returns the channel over which this strategy sends its code; `nil` if it sends none.
    static func channel(_ strategy: String) -> DeliveryChannel? {
        switch strategy {
        case "email_code", "reset_password_email_code": .mail
        case "phone_code", "reset_password_phone_code": .sms
        default: nil
        }
    }

    /// The strategy of a person who has lost the password.
    static func reset(_ who: String) -> String {
        who.hasPrefix("+") ? "reset_password_phone_code" : "reset_password_email_code"
    }

    /// Whether the person proves it in a browser, at another service.
    static func isVisit(_ strategy: String) -> Bool {
        strategy == "enterprise_sso" || strategy == "saml"
            || (strategy.hasPrefix("oauth_") && !strategy.hasPrefix("oauth_token_"))
    }

    /// Returns the strategy that takes this issuer's ID tokens.
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
    /// The service's id of the address or number.
    let id: String?
    /// The address or number as a person may see it.
    let shown: String?
    let isPrimary: Bool

    /// The factor's id in a choice.
    var choice: String { id.map { "\(strategy):\($0)" } ?? strategy }

    /// The factor's label in a choice.
    var label: String {
        switch strategy {
        case "password": "Password"
        case "totp": "Authenticator app"
        case "backup_code": "Backup code"
        case "passkey": "Passkey"
        case "email_code": shown.map { "Mail to \($0)" } ?? "Mail"
        case "email_link": shown.map { "Link by mail to \($0)" } ?? "Link by mail"
        case "enterprise_sso", "saml": "Sign-on of the organization, in a browser"
        case _ where strategy.hasPrefix("oauth_"): "\(strategy.dropFirst(6)), in a browser"
        default: shown.map { "Text message to \($0)" } ?? "Text message"
        }
    }

    /// The factors that can be asked for here. A password reset is offered only if it was asked for.
    static let first: Set<String> = ["password", "email_code", "phone_code", "passkey"]
    static let second: Set<String> = ["totp", "backup_code", "email_code", "phone_code", "passkey"]

    /// Whether a strategy ends at a redirect, so that it can be offered only where one is received.
    static func needsRedirect(_ strategy: String) -> Bool { strategy == "email_link" || Strategy.isVisit(strategy) }
}
