import LatchkeyCrypto
import LatchkeyHTTPServer

/// All state of the server. It changes only under the server's lock, one request at a time.
struct DevState: Sendable {
    let issuer: String
    let clients: [String: DevServer.Client]
    var configuration: DevServer.Configuration
    var keys: KeyRing
    var families = BoundedTable<Int, TokenFamily>(capacity: 40_000)
    var accessTokens = BoundedTable<String, AccessRecord>(capacity: 20_000)
    var refreshTokens = BoundedTable<String, RefreshRecord>(capacity: 20_000)
    var codes = BoundedTable<String, CodeRecord>(capacity: 10_000)
    var devices = BoundedTable<String, DeviceRecord>(capacity: 1_000)
    /// Device codes by user code.
    var userCodes = BoundedTable<String, String>(capacity: 1_000)
    var pages = BoundedTable<String, PendingPage>(capacity: 1_000)
    var faults = FaultPlan()
    var log = EventLog()
    var loot = Loot()
    var supabase: SupabaseState
    var clerk: ClerkState
    private var lastFamily = 0

    init(issuer: String, configuration: DevServer.Configuration) throws {
        self.issuer = issuer
        self.configuration = configuration
        clients = Dictionary(uniqueKeysWithValues: configuration.clients.map { ($0.id, $0) })
        keys = try KeyRing(configuration.signing)
        supabase = try SupabaseState(
            configuration.supabase, origin: issuer, issuers: keys, now: configuration.now())
        clerk = ClerkState(configuration.clerk, origin: issuer, keys: try ClerkState.signing.get())
    }

    /// Returns 256 random bits as text, with a prefix that says what they are.
    static func random(_ prefix: String) -> String { prefix + Base64URL.encode(SecureRandom.bytes(32)) }

    /// The server's wall clock in whole seconds, skew included.
    func wallClock(_ now: Double) -> Int64 { Int64(now) + Int64(configuration.clockSkew) }

    func user(subject: String) -> DevServer.User? { configuration.users.first { $0.subject == subject } }

    /// Finds the user with this name or address.
    func user(named name: String) -> DevServer.User? {
        configuration.users.first { $0.name == name || $0.email == name }
    }

    /// Finds the user with this name, if the password is right.
    func user(_ name: String?, password: String?) -> DevServer.User? {
        guard let name, let password, let user = user(named: name),
            constantTimeEqual(Array(user.password.utf8), Array(password.utf8))
        else { return nil }
        return user
    }

    mutating func newFamily(_ family: TokenFamily) -> Int {
        lastFamily += 1
        families[lastFamily] = family
        return lastFamily
    }

    mutating func kill(family id: Int) {
        families[id]?.isAlive = false
    }
}

extension DevState {
    /// Acts on a request and returns the answer, which may be a refusal.
    mutating func answer(
        _ request: ServerRequest, at endpoint: DevServer.Endpoint, now: Double, note: inout Note
    ) -> ServerResponse {
        if endpoint.isSupabase { return answerSupabase(request, at: endpoint, now: now, note: &note) }
        if endpoint.isClerk { return answerClerk(request, now: now, note: &note) }
        guard endpoint.methods.contains(request.method) else {
            note.outcome = "method_not_allowed"
            var refusal = ServerResponse.text("The method is not allowed here.\n", status: 405)
            refusal.set("Allow", endpoint.methods.joined(separator: ", "))
            return refusal
        }
        if let answer = diverted(endpoint) {
            note.outcome = "diverted"
            return answer
        }
        do throws(OAuthFailure) {
            switch endpoint {
            case .discovery: return metadata()
            case .keys: return publishedKeys()
            case .authorize: return authorize(request, now: now, note: &note)
            case .decision: return decide(request, now: now, note: &note)
            case .token: return try token(request, now: now, note: &note)
            case .deviceAuthorization: return try authorizeDevice(request, now: now, note: &note)
            case .device: return devicePage(request, now: now, note: &note)
            case .revocation: return try revoke(request, note: &note)
            case .userinfo: return userinfo(request, now: now, note: &note)
            case .resource: return resource(request, now: now, note: &note)
            case .home: return home(Page(for: request))
            case .inbox: return inboxPage(request, now: now)
            default: return .text("There is nothing here.\n", status: 404)
            }
        } catch {
            note.outcome = error.code.rawValue
            return error.response
        }
    }
}
