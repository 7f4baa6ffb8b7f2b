import FoundationEssentials
import Latchkey
import LatchkeyJSON

/// Reads sessions and factors as the service writes them. Unknown and optional members may be missing.
enum SessionWire {
    /// Reads a session from a client's list, without tokens.
    static func session(
        _ found: JSONField, of provider: ClerkProvider, in context: ProviderContext
    ) throws -> AuthSession {
        let user = found["user"]
        let account = AccountID(subject: try user["id"].string(), of: provider.rules.binding)
        var session = AuthSession(id: AuthSession.ID(try found["id"].string()), account: account)
        session.label = label(user)
        // When the session ends whatever is done, by the service's clock, in milliseconds.
        if let end = found["expire_at"].value?.integer, (0...32_503_680_000_000).contains(end) {
            let rest = Double(end) / 1_000 - context.serverNow.timeIntervalSince1970
            session.limits = SessionLimits(absolute: context.lifetime(.seconds(rest)))
        }
        // The minutes since the proof of the first factor.
        let age = found["factor_verification_age"].value?.array?.first?.integer ?? -1
        let seen = found["updated_at"].value?.integer
        if age >= 0, let seen, age < 1_000_000, (0...32_503_680_000_000).contains(seen) {
            session.authenticatedAt = Date(timeIntervalSince1970: Double(seen) / 1_000 - Double(age) * 60)
        }
        var state: [String: JSON] = ["user": user["id"].value ?? .null]
        state["status"] = found["status"].value
        state["organization"] = found["last_active_organization_id"].value
        state["tasks"] = found["tasks"].value
        session.state = .object(state)
        return session
    }

    /// The display name: the primary address, else a user name, else a number.
    private static func label(_ user: JSONField) -> String? {
        func text(_ list: String, _ primary: String, _ member: String) -> String? {
            let entries = user[list].value?.array ?? []
            let id = user[primary].value?.string
            return (entries.first { $0["id"]?.string == id } ?? entries.first)?[member]?.string
        }
        return text("email_addresses", "primary_email_address_id", "email_address") ?? user["username"].value?.string
            ?? text("phone_numbers", "primary_phone_number_id", "phone_number")
    }

    /// Returns the factors in a list that can be asked for. Those that end at a redirect are only returned if there is no
    /// other one, and `hasRedirect`.
    static func factors(_ list: JSON?, _ known: Set<String>, hasRedirect: Bool = false) -> [Factor] {
        let found = factors(list, known.contains)
        return found.isEmpty && hasRedirect ? factors(list, Factor.needsRedirect) : found
    }

    private static func factors(_ list: JSON?, _ isKnown: (String) -> Bool) -> [Factor] {
        (list?.array ?? []).compactMap { entry in
            guard let strategy = entry["strategy"]?.string, isKnown(strategy) else { return nil }
            return Factor(
                strategy: strategy, id: entry["email_address_id"]?.string ?? entry["phone_number_id"]?.string,
                shown: entry["safe_identifier"]?.string,
                isPrimary: entry["primary"]?.bool == true || entry["default"]?.bool == true)
        }
    }
}
