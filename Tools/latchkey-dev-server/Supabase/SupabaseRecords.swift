import LatchkeyJSON

/// A person with an account. Times are seconds since 1970 by the server's clock.
struct SupabasePerson: Sendable {
    var id = UUIDText.make()
    var email = ""
    /// The phone number, only digits.
    var phone = ""
    /// A keyed hash of the password.
    var password: [UInt8]?
    var appMetadata: [String: JSON] = [:]
    var userMetadata: [String: JSON] = [:]
    var identities: [SupabaseIdentity] = []
    var factors: [SupabaseFactor] = []
    var passkeys: [SupabasePasskey] = []
    var isAnonymous = false
    /// The database role.
    var role = "authenticated"
    var newEmail: String?
    var newPhone: String?
    /// The one of the two addresses that has confirmed the change.
    var confirmedHalf: SupabaseOneTime.Kind?
    var createdAt: Double
    var updatedAt: Double
    var emailConfirmedAt: Double?
    var phoneConfirmedAt: Double?
    var invitedAt: Double?
    var confirmationSentAt: Double?
    var recoverySentAt: Double?
    var emailChangeSentAt: Double?
    var phoneChangeSentAt: Double?
    var reauthenticationSentAt: Double?
    var lastSignInAt: Double?
    var bannedUntil: Double?
    var deletedAt: Double?

    init(now: Double) {
        createdAt = now
        updatedAt = now
    }

    var isConfirmed: Bool { emailConfirmedAt != nil || phoneConfirmedAt != nil }
    var confirmedAt: Double? {
        guard let emailConfirmedAt, let phoneConfirmedAt else { return emailConfirmedAt ?? phoneConfirmedAt }
        return min(emailConfirmedAt, phoneConfirmedAt)
    }

    func isBanned(_ now: Double) -> Bool { bannedUntil.map { $0 > now } ?? false }

    var hasVerifiedFactor: Bool { factors.contains { $0.isVerified } }

    /// Lists the providers that the person can sign in with, the first one first.
    mutating func listProviders() {
        var names: [String] = []
        for identity in identities where !names.contains(identity.provider) { names.append(identity.provider) }
        guard let first = names.first else {
            appMetadata[SupabaseWire.provider] = nil
            appMetadata[SupabaseWire.providers] = nil
            return
        }
        let kept = appMetadata[SupabaseWire.provider]?.string.flatMap { names.contains($0) ? $0 : nil }
        appMetadata[SupabaseWire.provider] = .string(kept ?? first)
        appMetadata[SupabaseWire.providers] = .array(names.map(JSON.string))
    }
}

/// One way to sign in.
struct SupabaseIdentity: Sendable {
    var rowID = UUIDText.make()
    /// The provider's ID of the person.
    var subject: String
    var provider: String
    var data: [String: JSON]
    var lastSignInAt: Double
    var createdAt: Double
    var updatedAt: Double

    var email: String? { data[SupabaseWire.email]?.string }

    init(_ provider: String, subject: String, data: [String: JSON], now: Double) {
        self.provider = provider
        self.subject = subject
        self.data = data
        (lastSignInAt, createdAt, updatedAt) = (now, now, now)
    }
}

/// A second factor.
struct SupabaseFactor: Sendable {
    enum Kind: String, Sendable {
        case totp
        case phone
        case webauthn
    }

    var id = UUIDText.make()
    var kind: Kind
    var name: String
    var phone = ""
    /// The shared secret of an authenticator app, in Base32.
    var secret = ""
    /// The credential of an authenticator.
    var credential: SupabaseCredential?
    var lastAnswer: JSON?
    var isVerified = false
    var createdAt: Double
    var updatedAt: Double
    var challengedAt: Double?

    init(_ kind: Kind, name: String, now: Double) {
        self.kind = kind
        self.name = name
        (createdAt, updatedAt) = (now, now)
    }
}

/// The challenge of a second factor.
struct SupabaseChallenge: Sendable {
    var factor: String
    var expires: Double
    /// The code that was sent to the phone.
    var code: String?
    /// The request to the authenticator.
    var request: WebAuthnRequest?
    var isUsed = false
}

/// A method by which a person has signed in.
struct SupabaseMethod: Sendable {
    var name: String
    var at: Double
    var factor: String?

    var isSecondFactor: Bool { factor != nil }
}

/// A session, from its sign-in on.
struct SupabaseSession: Sendable {
    let id: String
    /// The session's number, from 1.
    let serial: Int
    let user: String
    let createdAt: Double
    /// The key that signs the session's refresh tokens.
    let key: [UInt8]
    var methods: [SupabaseMethod]
    var refreshedAt: Double?
    var generation: DevServer.Supabase.TokenGeneration
    /// The counter of the newest refresh token of generation 2.
    var counter = 0
    /// The newest refresh token of generation 1.
    var current: String?
    var agent: String?

    var hasSecondFactor: Bool { methods.contains { $0.isSecondFactor } }
    var level: String { hasSecondFactor ? "aal2" : "aal1" }
    var lastUse: Double { refreshedAt ?? createdAt }
}

/// A refresh token of generation 1.
struct SupabaseOldToken: Sendable {
    var session: String
    var parent: String?
    var revokedAt: Double?
}

/// A code and a link that were sent.
struct SupabaseOneTime: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case confirmation
        case recovery
        case emailChangeOld
        case emailChangeNew
        case phoneChange
        case reauthentication
    }

    var user: String
    var kind: Kind
    /// The address or number that it was sent to.
    var address: String
    var code: String
    /// The token hash in the link.
    var hash: String
    var sentAt: Double
    /// Whether it was sent for a PKCE flow.
    var hasFlow: Bool
    /// Whether the mail was an invitation.
    var isInvitation = false
}

/// A PKCE flow, or a visit to a provider.
struct SupabaseFlow: Sendable {
    var id = UUIDText.make()
    var user: String?
    var method: String
    var challenge: String?
    var challengeMethod = ""
    var createdAt: Double
    /// The code that was handed out, and when.
    var code: String?
    var codeAt: Double?
    /// The provider of a visit.
    var provider: String?
    var redirect = ""
    var hint: String?
    var linking: String?
    var wasVisited = false
    var providerToken: String?
    var providerRefreshToken: String?
}
