import LatchkeyJSON

/// A person with an account.
struct ClerkPerson: Sendable {
    var id: String
    var email: String?
    var phone: String?
    var username: String?
    var firstName: String?
    var lastName: String?
    var password: String?
    /// Whether the password is another one than at the start.
    var hasNewPassword = false
    var totp: String?
    /// A key that was begun but not verified.
    var newTOTP: String?
    var backupCodes: [String] = []
    /// The organizations, with the role in each.
    var organizations: [String: String] = [:]
    /// Further email addresses by ID; verified ones have no code.
    var emails: [String: (address: String, code: ClerkCode?)] = [:]
    /// Further phone numbers, likewise.
    var phones: [String: (address: String, code: ClerkCode?)] = [:]
    /// The IDs of the first addresses, if they were changed.
    var primaryEmail: String?
    var primaryPhone: String?
    /// The IDs of the numbers that are a second factor.
    var secondPhones: Set<String> = []
    var metadata: JSON = .object([:])
    var publicMetadata: JSON = .object([:])
    var privateMetadata: JSON = .object([:])
    var externalID: String?
    var passkeys: [String: ClerkPasskey] = [:]
    var invitations: [String: String] = [:]
    /// Accounts at other services, by ID.
    var connections: [String: ClerkConnection] = [:]
    var image: String?
    var isBanned = false
    var isLocked = false
    var createdAt = 0.0
    var updatedAt = 0.0
    var lastSignInAt: Double?
    var legalAcceptedAt: Double?

    init(_ user: DevServer.ClerkUser) {
        (id, email, phone, password) = (user.id, user.email.lowercased(), user.phone, user.password)
        (totp, backupCodes, organizations) = (user.totp, user.backupCodes, user.organizations)
        invitations = user.invitations
    }

    init(id: String) { self.id = id }

    var emailID: String { "idn_\(id)_email" }
    var phoneID: String { "idn_\(id)_phone" }
    var hasSecondFactor: Bool { totp != nil || !secondPhones.isEmpty }

    /// The mail addresses by ID, the first one first.
    var allEmails: [(id: String, address: String, code: ClerkCode?)] {
        (email.map { [(emailID, $0, nil)] } ?? [])
            + emails.sorted { $0.key < $1.key }.map { ($0.key, $0.value.address, $0.value.code) }
    }

    /// The phone numbers by ID, the first one first.
    var allPhones: [(id: String, address: String, code: ClerkCode?)] {
        (phone.map { [(phoneID, $0, nil)] } ?? [])
            + phones.sorted { $0.key < $1.key }.map { ($0.key, $0.value.address, $0.value.code) }
    }
}

/// A person's account at another service.
struct ClerkConnection: Sendable {
    var strategy: String
    var redirect: String
    /// The address there; `nil` before the person has agreed there.
    var email: String?
    var createdAt: Double
}
