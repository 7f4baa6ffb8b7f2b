import Latchkey
import LatchkeyJSON

/// The requests of the handle.
extension ServiceRequest {
    /// A kind of factor.
    enum FactorKind: String, Sendable {
        case totp, phone
    }

    static func update(_ update: SupabaseUserUpdate, redirect: String?, bearer: Secret) -> Self {
        var body: [String: JSON] = [:]
        body["email"] = update.email.map(JSON.string)
        body["phone"] = update.phone.map(JSON.string)
        body["password"] = update.password.map { .string($0.revealText()) }
        body["current_password"] = update.currentPassword.map { .string($0.revealText()) }
        body["nonce"] = update.nonce.map { .string($0.revealText()) }
        body["data"] = update.metadata.isEmpty ? nil : .object(update.metadata)
        return Self("PUT", "/user", query: returning(to: redirect), body: body, bearer: bearer)
    }

    static func enroll(
        _ kind: FactorKind, name: String?, issuer: String?, phone: String?, bearer: Secret
    ) -> Self {
        var body: [String: JSON] = ["factor_type": .string(kind.rawValue)]
        body["friendly_name"] = name.map(JSON.string)
        body["issuer"] = issuer.map(JSON.string)
        body["phone"] = phone.map(JSON.string)
        return Self("POST", "/factors", body: body, bearer: bearer)
    }

    /// Confirms a new address or number.
    static func confirm(_ who: Identifier, code: Secret) -> Self {
        verify(who.isMail ? "email_change" : "phone_change", who, code: code)
    }

    static func keys() -> Self { Self("GET", "/.well-known/jwks.json") }

    static func register(_ challengeID: String, _ credential: JSON, bearer: Secret) -> Self {
        let body: [String: JSON] = ["challenge_id": .string(challengeID), "credential": credential]
        return Self("POST", "/passkeys/registration/verify", body: body, bearer: bearer)
    }

    static func rename(_ path: String, _ name: String, bearer: Secret) -> Self {
        Self("PATCH", path, body: ["friendly_name": .string(name)], bearer: bearer)
    }
}
