import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// Everything that the Clerk dialect knows.
struct ClerkState: Sendable {
    var settings: DevServer.Clerk
    var keys: KeyRing
    var people: [String: ClerkPerson] = [:]
    var clients = BoundedTable<String, ClerkClient>(capacity: 10_000)
    var messages: [DevServer.ClerkMessage] = []
    /// Whom a ticket signs in that a link has brought.
    var links = BoundedTable<String, String>(capacity: 1_000)
    let origin: String
    /// By the clock of the machine, and by the one that the server shows.
    var now = 0.0
    var wall = 0.0

    /// Clerk signs by RS256 alone, whose keys take a while to make: one for all servers of the process.
    static let signing = Result { try KeyRing(.rs256) }

    init(_ settings: DevServer.Clerk, origin: String, keys: KeyRing) {
        (self.settings, self.origin, self.keys) = (settings, origin, keys)
        for user in settings.users { people[user.id] = ClerkPerson(user) }
    }

    /// A name such as `sess_…`.
    static func name(_ kind: String) -> String {
        "\(kind)_\(Base64URL.encode(SecureRandom.bytes(18)).filter { $0 != "-" && $0 != "_" })"
    }

    /// Whoever has this address, number or user name.
    func person(_ identifier: String) -> ClerkPerson? {
        people.values.first {
            $0.email == identifier.lowercased() || $0.phone == identifier || $0.username == identifier
        }
    }

    var milliseconds: Int64 { Int64(wall * 1_000) }

    /// The code for `address`, noted where it is to be read.
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

/// Somebody who has an account.
struct ClerkPerson: Sendable {
    var id: String
    var email: String?
    var phone: String?
    var username: String?
    var firstName: String?
    var lastName: String?
    var password: String?
    var totp: String?
    /// One that was begun and not proven.
    var newTOTP: String?
    var backupCodes: [String] = []
    var organizations: [String: String] = [:]
    /// Further addresses, by id: verified ones without a code.
    var emails: [String: (address: String, code: ClerkCode?)] = [:]
    /// Further numbers, likewise.
    var phones: [String: (address: String, code: ClerkCode?)] = [:]
    var metadata: JSON = .object([:])
    var passkeys: [String: ClerkPasskey] = [:]
    var invitations: [String: String] = [:]
    /// Accounts at other services that were begun, by id: the strategy of each.
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

/// What a client token opens.
struct ClerkClient: Sendable {
    var id: String
    /// The newest token.
    var token: String
    /// Those that mints have replaced since anything else did.
    var older: Set<String> = []
    var sessions: [ClerkSession] = []
    var signIn: ClerkSignIn?
    var signUp: ClerkSignUp?
    var proof: ClerkProof?
    /// Whose second factor, or code by mail, it has seen.
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
    /// What the verifier has to hash to.
    var challenge: String
    var expires: Double
}

/// A session's person proves a factor once more.
struct ClerkProof: Sendable {
    var session: String
    var person: String
    /// The factors that are still open: 1, 2.
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
