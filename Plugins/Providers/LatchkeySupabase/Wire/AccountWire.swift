public import Latchkey
public import LatchkeyJSON

/// A person as the service describes them. Only the id is required. Members without a property of
/// their own are in ``json``.
public struct SupabaseUser: Sendable, Identifiable {
    /// The account's id.
    public var id: String
    /// The mail address.
    public var email: String?
    /// The telephone number, without a plus.
    public var phone: String?
    /// The new mail address that is not confirmed yet.
    public var newEmail: String?
    /// The new telephone number that is not confirmed yet, without a plus.
    public var newPhone: String?
    /// Whether the account is anonymous.
    public var isAnonymous: Bool
    /// Whether the mail address is confirmed.
    public var isEmailConfirmed: Bool
    /// Whether the telephone number is confirmed.
    public var isPhoneConfirmed: Bool
    /// The identities with which the person can sign in.
    public var identities: [SupabaseIdentity]
    /// The person's further factors, verified or being added.
    public var factors: [SupabaseFactor]
    /// The app's metadata.
    public var metadata: [String: JSON]
    /// The whole answer, as it came.
    public var json: JSON

    /// Reads an answer. Only a missing id is an error.
    package init(_ json: JSON) throws(JSONError) {
        id = try JSONField(json)["id"].string()
        guard !id.isEmpty else { throw JSONError(.missing, at: JSONField(json)["id"].path) }
        email = UserAnswer.text(json, "email")
        phone = UserAnswer.text(json, "phone")
        newEmail = UserAnswer.text(json, "new_email")
        newPhone = UserAnswer.text(json, "new_phone")
        isAnonymous = json["is_anonymous"]?.bool ?? false
        isEmailConfirmed = UserAnswer.text(json, "email_confirmed_at") != nil
        isPhoneConfirmed = UserAnswer.text(json, "phone_confirmed_at") != nil
        identities = (json["identities"]?.array ?? []).compactMap(SupabaseIdentity.init)
        factors = (json["factors"]?.array ?? []).compactMap(SupabaseFactor.init)
        metadata = json["user_metadata"]?.object ?? [:]
        self.json = json
    }
}

/// One way in which a person can sign in.
public struct SupabaseIdentity: Sendable, Identifiable {
    /// The identity's id, which unlinking takes.
    public var id: String
    /// The identity provider's name: `email`, `phone`, `github`, `sso:…`.
    public var provider: String
    /// The person's id at the identity provider.
    public var subject: String?
    /// The person's mail address at the identity provider.
    public var email: String?
    /// The whole identity, as it came.
    public var json: JSON

    init?(_ json: JSON) {
        guard let id = UserAnswer.text(json, "identity_id"), UserAnswer.isPlain(id),
            let provider = UserAnswer.text(json, "provider")
        else { return nil }
        self.id = id
        self.provider = provider
        subject = UserAnswer.text(json, "id")
        email = UserAnswer.text(json, "email")
        self.json = json
    }
}

/// A further factor of a person.
public struct SupabaseFactor: Sendable, Identifiable {
    /// The factor's id.
    public var id: String
    /// ``totp``, `phone`, ``passkey``, or a type that a newer service adds.
    public var type: String
    /// The person's name for it.
    public var name: String?
    /// The telephone number, with a plus.
    public var phone: String?
    /// Whether the factor is verified. Only a verified factor counts.
    public var isVerified: Bool

    /// An authenticator app.
    public static let totp = "totp"
    /// A telephone.
    public static let phone = "phone"
    /// A passkey.
    public static let passkey = "webauthn"

    package init?(_ json: JSON) {
        guard let id = UserAnswer.text(json, "id"), UserAnswer.isPlain(id),
            let type = UserAnswer.text(json, "factor_type")
        else { return nil }
        self.id = id
        self.type = type
        name = UserAnswer.text(json, "friendly_name")
        phone = UserAnswer.text(json, "phone")
        isVerified = json["status"]?.string == "verified"
    }

    /// The label of this factor in a choice.
    var label: String {
        switch type {
        case Self.totp: name.map { "Authenticator app \($0)" } ?? "Authenticator app"
        case Self.phone: phone.map { "Text message to \($0)" } ?? "Text message"
        default: name.map { "Passkey \($0)" } ?? "Passkey"
        }
    }
}

/// A factor that is being added. It counts once it is verified, which must happen within minutes.
public struct SupabaseEnrolment: Sendable, Identifiable {
    /// The factor's id.
    public var id: String
    /// ``SupabaseFactor/totp``, `SupabaseFactor.phone` or ``SupabaseFactor/passkey``.
    public var type: String
    /// The `otpauth:` address to show as a QR code for an authenticator app. It contains the secret.
    public var uri: Secret?
    /// The secret alone, for typing.
    public var secret: Secret?

    init(_ json: JSON) throws(JSONError) {
        let record = JSONField(json)
        id = try record["id"].string()
        type = try record["type"].string()
        guard UserAnswer.isPlain(id) else { throw JSONError(.wrongType, at: record["id"].path) }
        guard type == SupabaseFactor.totp else { return }
        // The picture in the answer is up to half a megabyte and says no more than the address.
        uri = Secret(try record["totp"]["uri"].string())
        secret = Secret(try record["totp"]["secret"].string())
    }
}

/// A passkey of a person.
public struct SupabasePasskey: Sendable, Identifiable {
    /// The passkey's id.
    public var id: String
    /// The person's name for it.
    public var name: String?

    init(_ json: JSON) throws(JSONError) {
        id = try JSONField(json)["id"].string()
        name = UserAnswer.text(json, "friendly_name")
    }

    /// Reads a list of passkeys.
    static func list(_ json: JSON) throws(JSONError) -> [SupabasePasskey] {
        var list: [SupabasePasskey] = []
        for field in try JSONField(json).array() { list.append(try SupabasePasskey(field.value ?? .null)) }
        return list
    }
}

/// The parts of a person's description that can be read. Empty strings count as absent.
package enum UserAnswer {
    /// The account's id.
    static func id(in user: JSON?) -> String? { text(user, "id") }

    /// The mail address.
    static func mail(in user: JSON?) -> String? { text(user, "email") }

    /// Whether two addresses are the same, ignoring the case of ASCII letters only. By Unicode's
    /// rules a Kelvin sign would be a `k`, and another person's address would match this one.
    static func isSame(_ mail: String, _ other: String) -> Bool {
        func plain(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
        return mail.utf8.lazy.map(plain).elementsEqual(other.utf8.lazy.map(plain))
    }

    /// Whether the account was made by an invitation.
    static func isInvited(_ user: JSON?) -> Bool { text(user, "invited_at") != nil }

    /// What a guest's label begins with; the start of the id follows.
    static let guest = "guest "

    /// A display name: the address, the number or the name; of a guest without any, that it is one, and which.
    static func label(in user: JSON?) -> String? {
        let isGuest = user?["is_anonymous"]?.bool == true
        return named(user) ?? (isGuest ? id(in: user).map { guest + $0.prefix(8).lowercased() } : nil)
    }

    private static func named(_ user: JSON?) -> String? {
        mail(in: user) ?? text(user, "phone").map { $0.hasPrefix("+") ? $0 : "+\($0)" }
            ?? ["full_name", "name", "user_name"].lazy.compactMap { text(user?["user_metadata"], $0) }.first
    }

    /// Whether the answer to a sign-up is made up to hide that the account already exists.
    static func isMadeUp(_ user: JSON) -> Bool {
        user["identities"]?.array?.isEmpty == true && text(user, "role") == nil
    }

    /// The person's verified factors.
    static func verifiedFactors(in user: JSON?) -> [SupabaseFactor] {
        (user?["factors"]?.array ?? []).compactMap(SupabaseFactor.init).filter(\.isVerified)
    }

    static func text(_ json: JSON?, _ name: String) -> String? {
        json?[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension UserAnswer {
    /// Whether `id` can be part of a path.
    package static func isPlain(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
            }
    }
}
