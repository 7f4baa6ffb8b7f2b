import FoundationEssentials
import LatchkeyDevServer

/// A kind of person.
enum WalkedPerson: String, CaseIterable, Sendable {
    /// Has a password.
    case password
    /// Has a password and an authenticator app.
    case app
    /// Has neither: only codes or links.
    case mail
    /// Signs in at the company's service only, where the instance is one of such people.
    case company
    /// Has no account.
    case new

    var address: String {
        switch self {
        case .password: "pat+clerk_test@example.test"
        case .app: "amy+clerk_test@example.test"
        case .mail: "max+clerk_test@example.test"
        case .company: "mae@corp.example.test"
        case .new: "nia+clerk_test@example.test"
        }
    }

    static let secret = "long-enough-1"
    static let key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

    static let users: [DevServer.ClerkUser] =
        [
            .init(
                id: "user_pat", email: password.address, password: secret,
                organizations: ["org_engines": "org:admin"]),
            .init(id: "user_amy", email: app.address, password: secret, totp: key),
            .init(id: "user_max", email: mail.address, password: nil),
        ] + neighbours.map { .init(id: "user_\($0.prefix { $0 != "@" })", email: $0, password: secret) }

    /// Others, who sign in on the device before.
    static let neighbours = (1...4).map { "n\($0)@example.test" }

    var hasPassword: Bool { self == .password || self == .app }
}
