import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// All state of the Clerk dialect.
struct ClerkState: Sendable {
    var settings: DevServer.Clerk
    var keys: KeyRing
    var people: [String: ClerkPerson] = [:]
    var organizations: [String: ClerkOrganization] = [:]
    var clients = BoundedTable<String, ClerkClient>(capacity: 10_000)
    var messages: [DevServer.ClerkMessage] = []
    /// The messages that are not in the server's inbox yet.
    var unread: [DevServer.SupabaseMessage] = []
    /// The clients of browsers, by the browser's token; empty for a browser without one.
    var browsers = BoundedTable<String, String>(capacity: 10_000)
    /// The person that a link's ticket signs in.
    var links = BoundedTable<String, String>(capacity: 1_000)
    /// The tickets that servers have made.
    var signInTokens: [String: ClerkSignInToken] = [:]
    let origin: String
    /// The origin of the page that is answered; `nil` for native programs.
    var pageOrigin: String?
    /// The times by the machine's clock, and by the clock that the server shows.
    var now = 0.0
    var wall = 0.0

    /// The signing key. Clerk signs only with RS256, and such keys take long to make: one for all servers of the
    /// process.
    static let signing = Result { try KeyRing(.rs256) }

    init(_ settings: DevServer.Clerk, origin: String, keys: KeyRing) {
        (self.settings, self.origin, self.keys) = (settings, origin, keys)
        for user in settings.users { people[user.id] = ClerkPerson(user) }
        if settings.has(.ssoOnly) { people[DevServer.Clerk.employee.id] = ClerkPerson(DevServer.Clerk.employee) }
        for person in people.values {
            for id in Array(person.organizations.keys) + Array(person.invitations.values) {
                organizations[id] = ClerkOrganization(id: id)
            }
        }
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
        keep(DevServer.ClerkMessage(to: address, code: code, sentAt: wall))
        return code
    }

    mutating func send(to address: String, link: String) {
        keep(DevServer.ClerkMessage(to: address, link: link, sentAt: wall))
    }

    private mutating func keep(_ message: DevServer.ClerkMessage) {
        messages = messages.suffix(999) + [message]
        unread.append(
            DevServer.SupabaseMessage(
                sequence: 0, to: message.to, channel: message.to.contains("@") ? "email" : "sms",
                type: message.link == nil ? "clerk_code" : "clerk_link", code: message.code, link: message.link,
                sentAt: message.sentAt))
    }

    /// Ends sessions on every client; a client goes on to show how each of them ended.
    mutating func endSessions(_ ending: String, where isEnded: (ClerkSession) -> Bool) {
        for client in clients.all where client.sessions.contains(where: { $0.ending == nil && isEnded($0) }) {
            for index in client.sessions.indices where client.sessions[index].ending == nil {
                guard isEnded(client.sessions[index]) else { continue }
                clients[client.id]?.sessions[index].end(ending, at: wall)
            }
        }
    }
}

/// The client that a client token belongs to.
struct ClerkClient: Sendable {
    var id: String
    /// The newest token.
    var token: String
    /// Tokens that were replaced only by requests for session tokens.
    var older: Set<String> = []
    var sessions: [ClerkSession] = []
    /// The session that was used last.
    var lastActive: String?
    /// The strategy by which a person signed in last.
    var lastStrategy: String?
    var signIn: ClerkSignIn?
    var signUp: ClerkSignUp?
    var proof: ClerkProof?
    /// The people who have signed in on this client. It outlives their sessions.
    var trusted: Set<String> = []
    var createdAt: Double
    var updatedAt: Double
}

struct ClerkSession: Sendable {
    var id: String
    var person: String
    var organization: String?
    var createdAt: Double
    var updatedAt: Double
    var firstFactorAt: Double
    var secondFactorAt: Double?
    /// How it ended: `ended`, `removed`, `revoked`.
    var ending: String?

    mutating func end(_ ending: String, at time: Double) { (self.ending, updatedAt) = (ending, time) }
}
