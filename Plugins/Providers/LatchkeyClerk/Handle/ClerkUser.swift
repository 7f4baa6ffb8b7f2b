public import FoundationEssentials
public import LatchkeyJSON

/// A person as the service describes them. Members without a property of their own are in ``json``.
/// Only the id is printed.
public struct ClerkUser: Sendable, Identifiable {
    /// A mail address or a telephone number.
    public struct Identifier: Hashable, Sendable, Identifiable {
        /// The identifier's id, `idn_…`.
        public let id: String
        /// The mail address, or the telephone number in the form `+15550100`.
        public let value: String
        /// Whether the person has proven that it belongs to them.
        public let isVerified: Bool
        /// Whether it is the primary one of its kind.
        public let isPrimary: Bool
    }

    /// The person's id, `user_…`.
    public let id: String
    /// The whole answer of the service.
    public let json: JSON
    /// The mail addresses.
    public let emails: [Identifier]
    /// The telephone numbers.
    public let phones: [Identifier]

    /// - Throws: An error if there is no id.
    init(_ json: JSON) throws(JSONError) {
        self.json = json
        id = try JSONField(json)["id"].string()
        func identifiers(_ list: String, _ primary: String, _ member: String) -> [Identifier] {
            (json[list]?.array ?? []).compactMap { entry in
                guard let id = entry["id"]?.string, let value = entry[member]?.string else { return nil }
                return Identifier(
                    id: id, value: value, isVerified: entry["verification"]?["status"]?.string == "verified",
                    isPrimary: json[primary]?.string == id)
            }
        }
        emails = identifiers("email_addresses", "primary_email_address_id", "email_address")
        phones = identifiers("phone_numbers", "primary_phone_number_id", "phone_number")
    }

    /// The user name.
    public var username: String? { json["username"]?.string }
    /// The given name.
    public var firstName: String? { json["first_name"]?.string }
    /// The family name.
    public var lastName: String? { json["last_name"]?.string }
    /// Whether the account has a password.
    public var hasPassword: Bool { json["password_enabled"]?.bool ?? false }
    /// Whether the account has an authenticator app.
    public var hasTOTP: Bool { json["totp_enabled"]?.bool ?? false }
    /// Whether the account has backup codes.
    public var hasBackupCodes: Bool { json["backup_code_enabled"]?.bool ?? false }
    /// Whether a sign-in asks for a second factor.
    public var hasSecondFactor: Bool { json["two_factor_enabled"]?.bool ?? false }
    /// Metadata that the backend writes and programs can read.
    public var publicMetadata: JSON { json["public_metadata"] ?? .object([:]) }
    /// Metadata that programs can write; do not trust it.
    public var unsafeMetadata: JSON { json["unsafe_metadata"] ?? .object([:]) }
    /// When the account was made.
    public var createdAt: Date? { json["created_at"]?.milliseconds }
}

extension ClerkUser: CustomStringConvertible, CustomReflectable {
    /// The id.
    public var description: String { id }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension JSON {
    /// The instant that this number stands for, in milliseconds since 1970.
    var milliseconds: Date? {
        guard let number = integer, (0...32_503_680_000_000).contains(number) else { return nil }
        return Date(timeIntervalSince1970: Double(number) / 1_000)
    }
}
