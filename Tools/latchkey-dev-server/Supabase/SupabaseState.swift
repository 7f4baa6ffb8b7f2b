import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// All state of the dialect. It changes only under the server's lock, one request at a time.
struct SupabaseState: Sendable {
    /// The settings, read again before each request.
    var settings: DevServer.Supabase
    /// The times in seconds since 1970, by the server's clock and by the one that it shows.
    var now = 0.0
    var wall = 0.0
    /// The server's address.
    let origin: String
    /// The keys that sign the ID tokens of the server's other half, which the dialect accepts.
    var issuers: KeyRing
    var people = BoundedTable<String, SupabasePerson>(capacity: 10_000)
    var emails = BoundedTable<String, String>(capacity: 20_000)
    var phones = BoundedTable<String, String>(capacity: 20_000)
    /// People by provider and the provider's ID of them.
    var owners = BoundedTable<String, String>(capacity: 20_000)
    var sessions = BoundedTable<String, SupabaseSession>(capacity: 20_000)
    var oldTokens = BoundedTable<String, SupabaseOldToken>(capacity: 40_000)
    var oneTimes = BoundedTable<String, SupabaseOneTime>(capacity: 10_000)
    /// Keys of ``oneTimes`` by the hashes in their links.
    var hashes = BoundedTable<String, String>(capacity: 10_000)
    var flows = BoundedTable<String, SupabaseFlow>(capacity: 10_000)
    /// Keys of ``flows`` by the codes that were handed out.
    var flowCodes = BoundedTable<String, String>(capacity: 10_000)
    /// Keys of ``flows`` by the person and method of the mail they wait for.
    var mailFlows = BoundedTable<String, String>(capacity: 10_000)
    /// The people that the built-in provider reported, by the codes that it gave.
    var consents = BoundedTable<String, String>(capacity: 1_000)
    var challenges = BoundedTable<String, SupabaseChallenge>(capacity: 10_000)
    var passkeyChallenges = BoundedTable<String, SupabasePasskeyChallenge>(capacity: 1_000)
    /// People by the identifiers of their passkeys.
    var credentialOwners = BoundedTable<String, String>(capacity: 20_000)
    var buckets = BoundedTable<String, SupabaseBucket>(capacity: 10_000)
    var inbox = SupabaseInbox()
    var refreshes: [DevServer.SupabaseRefresh] = []
    /// The keys that sign access tokens, if the shared secret does not.
    var signers: KeyRing
    let passwordKey = SecureRandom.bytes(32)
    private var lastSession = 0

    init(_ settings: DevServer.Supabase, origin: String, issuers: KeyRing, now: Double) throws {
        self.settings = settings
        self.origin = origin
        self.issuers = issuers
        signers = try KeyRing(.es256)
        (self.now, wall) = (now, now)
        for user in settings.users { seed(user) }
    }

    /// The address of the dialect.
    var base: String { origin + SupabaseCall.prefix }
    var issuer: String { settings.issuer ?? base }

    func digest(_ password: String) -> [UInt8] { KeyedHash.code(for: Array(password.utf8), key: passwordKey) }

    func person(email: String) -> SupabasePerson? {
        guard let person = emails[email].flatMap({ people[$0] }), person.email == email else { return nil }
        return person
    }

    func person(phone: String) -> SupabasePerson? {
        guard let person = phones[phone].flatMap({ people[$0] }), person.phone == phone else { return nil }
        return person
    }

    /// Stores a person in the tables.
    mutating func store(_ person: SupabasePerson) {
        var person = person
        person.updatedAt = now
        people[person.id] = person
        if !person.email.isEmpty { emails[person.email] = person.id }
        if !person.phone.isEmpty { phones[person.phone] = person.id }
    }

    /// Begins a session, with its first refresh token.
    mutating func begin(
        for person: inout SupabasePerson, by method: String, agent: String?
    ) -> SupabaseSession {
        lastSession += 1
        var session = SupabaseSession(
            id: UUIDText.make(), serial: lastSession, user: person.id, createdAt: now, key: SecureRandom.bytes(32),
            methods: [SupabaseMethod(name: method, at: wall)], generation: settings.refreshTokens)
        session.agent = agent
        if session.generation == .v1 { session.current = newOldToken(of: session.id, parent: nil) }
        sessions[session.id] = session
        person.lastSignInAt = now
        store(person)
        return session
    }

    func sessions(of user: String) -> [SupabaseSession] { sessions.all.filter { $0.user == user } }

    mutating func endSessions(of user: String, where isMeant: (SupabaseSession) -> Bool = { _ in true }) {
        for session in sessions(of: user) where isMeant(session) { sessions[session.id] = nil }
    }

    mutating func seed(_ user: DevServer.SupabaseUser) {
        var person = newPerson(email: user.email, data: user.nickname.map { ["nickname": .string($0)] } ?? [:])
        person.password = user.password.map(digest)
        confirmEmail(&person, identity: false)
        store(person)
    }
}
