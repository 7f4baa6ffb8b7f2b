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

    /// Sends a message again: a change is asked for again, a confirmation has its own endpoint.
    static func resend(
        _ message: SupabaseMessage, to address: String, captcha: Secret?, redirect: String?, bearer: Secret
    ) -> Self {
        var change = SupabaseUserUpdate()
        switch message {
        case .signUp:
            return resend("signup", .mail(address), pkce: nil, captcha: captcha, redirect: redirect)
        case .phone:
            return resend("sms", .phone(address), pkce: nil, captcha: captcha, redirect: nil)
        case .emailChange:
            change.email = address
            return update(change, redirect: redirect, bearer: bearer)
        case .phoneChange:
            change.phone = address
            return update(change, redirect: nil, bearer: bearer)
        }
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
