import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// All state of the Clerk dialect.
struct ClerkState: Sendable {
    var settings: DevServer.Clerk
    var keys: KeyRing
    var people: [String: ClerkPerson] = [:]
    var clients = BoundedTable<String, ClerkClient>(capacity: 10_000)
    var messages: [DevServer.ClerkMessage] = []
    /// The person that a link's ticket signs in.
    var links = BoundedTable<String, String>(capacity: 1_000)
    let origin: String
    /// The times by the machine's clock, and by the clock that the server shows.
    var now = 0.0
    var wall = 0.0

    /// The signing key. Clerk signs only with RS256, and such keys take long to make: one for all servers of the
    /// process.
    static let signing = Result { try KeyRing(.rs256) }

    init(_ settings: DevServer.Clerk, origin: String, keys: KeyRing) {
        (self.settings, self.origin, self.keys) = (settings, origin, keys)
        for user in settings.users { people[user.id] = ClerkPerson(user) }
    }

    /// Creates an ID such as `sess_…`.
    static func name(_ kind: String) -> String {
        "\(kind)_\(Base64URL.encode(SecureRandom.bytes(18)).filter { $0 != "-" && $0 != "_" })"
    }

    /// Finds the person with this address, phone number or user name.
    func person(_ identifier: String) -> ClerkPerson? {
        people.values.first {
            $0.email == identifier.lowercased() || $0.phone == identifier || $0.username == identifier
        }
    }

    var milliseconds: Int64 { Int64(wall * 1_000) }

    /// Creates the code for `address`, and keeps the message for reading.
    mutating func sendCode(to address: String) -> String {
        let digits = address.filter(\.isNumber).suffix(4)
        let isTest =
            address.contains("+clerk_test@")
            || (address.contains("55501") && ("0100"..."0199").contains(String(digits)))
        let code = isTest ? "424242" : String((0..<6).map { _ in Character("\(SecureRandom.bytes(1)[0] % 10)") })
        messages = messages.suffix(999) + [DevServer.ClerkMessage(to: address, code: code)]
        return code
    }
}

/// A person with an account.
struct ClerkPerson: Sendable {
    var id: String
    var email: String?
    var phone: String?
    var username: String?
    var firstName: String?
    var lastName: String?
    var password: String?
    var totp: String?
    /// A key that was begun but not verified.
    var newTOTP: String?
    var backupCodes: [String] = []
    var organizations: [String: String] = [:]
    /// Further email addresses by ID; verified ones have no code.
    var emails: [String: (address: String, code: ClerkCode?)] = [:]
    /// Further phone numbers, likewise.
    var phones: [String: (address: String, code: ClerkCode?)] = [:]
    var metadata: JSON = .object([:])
    var passkeys: [String: ClerkPasskey] = [:]
    var invitations: [String: String] = [:]
    /// Accounts at other services that were begun, by ID, with the strategy of each.
    var external: [String: String] = [:]
    var image: String?

    init(_ user: DevServer.ClerkUser) {
        (id, email, phone, password) = (user.id, user.email.lowercased(), user.phone, user.password)
        (totp, backupCodes, organizations) = (user.totp, user.backupCodes, user.organizations)
        invitations = user.invitations
    }

    init(id: String) { self.id = id }

    var emailID: String { "idn_\(id)_email" }
    var phoneID: String { "idn_\(id)_phone" }
    var hasSecondFactor: Bool { totp != nil }
}

/// The client that a client token belongs to.
struct ClerkClient: Sendable {
    var id: String
    /// The newest token.
    var token: String
    /// Tokens that were replaced only by requests for session tokens.
    var older: Set<String> = []
    var sessions: [ClerkSession] = []
    var signIn: ClerkSignIn?
    var signUp: ClerkSignUp?
    var proof: ClerkProof?
    /// The people whose second factor or mail code this client has seen.
    var trusted: Set<String> = []
    var createdAt: Double
    var updatedAt: Double
}

struct ClerkSession: Sendable {
    var id: String
    var person: String
    var organization: String?
    var createdAt: Double
    var firstFactorAt: Double
    var secondFactorAt: Double?
}

/// A code that was sent.
struct ClerkCode: Sendable {
    var strategy: String
    var code: String
    var expires: Double
    var wrong = 0
}

struct ClerkSignIn: Sendable {
    enum Status: String {
        case needsFirst = "needs_first_factor"
        case needsSecond = "needs_second_factor"
        case needsTrust = "needs_client_trust"
        case needsPassword = "needs_new_password"
        case complete
    }

    var id: String
    var identifier: String
    var person: String
    var status = Status.needsFirst
    var external: ClerkExternal?
    var first: ClerkCode?
    var second: ClerkCode?
    var link: ClerkLink?
    var passkey: String?
    var session: String?
}

/// A link that was sent.
struct ClerkLink: Sendable {
    var flow: String
    var approval: String
    /// The hash that the verifier must have.
    var challenge: String
    var expires: Double
}

/// A further proof of a factor during a session.
struct ClerkProof: Sendable {
    var session: String
    var person: String
    /// The factors still to be proven: 1, 2.
    var open: [Int]
    var first: ClerkCode?
    var second: ClerkCode?
    var passkey: String?
}

struct ClerkSignUp: Sendable {
    var id: String
    var values: [String: String]
    var verified: Set<String> = []
    var codes: [String: ClerkCode] = [:]
    var session: String?
    var person: String?
}
