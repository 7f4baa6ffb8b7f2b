import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import LatchkeySupabase
import LatchkeyTesting

/// A kind of request, and what it belongs to.
struct SlowRow: Sendable {
    /// What is lost with the answer.
    enum Worth: Sendable {
        /// A session that the service grants, or moves on.
        case session
        /// A question that the person would be asked twice, such as a mail.
        case question
        /// Nothing: the same can be asked again.
        case nothing
    }

    var dialect: Dialect
    var name: String
    var worth = Worth.session
    var isDevice = false
    /// Whether somebody is signed in before.
    var isSignedIn = false
    /// Whether it is a request of this kind.
    var isSlow: @Sendable (TransportRequest) -> Bool
    /// What happens before, with a service that answers at once. Returns what is done then.
    var prepare: @Sendable (SlowScene) async throws -> @Sendable () async throws -> Void

    static let all = oauth + supabase + others

    private static func post(_ path: String, _ word: String = "") -> @Sendable (TransportRequest) -> Bool {
        { request in
            request.method == "POST" && request.url.contains(path)
                && (word.isEmpty || String(decoding: request.body ?? [], as: UTF8.self).contains(word)
                    || request.fields["X-Amz-Target"]?.contains(word) == true)
        }
    }

    private static func get(_ path: String) -> @Sendable (TransportRequest) -> Bool {
        { $0.method == "GET" && $0.url.contains(path) }
    }

    private static let visit: @Sendable (SlowScene) async throws -> @Sendable () async throws -> Void = { scene in
        let answer = try await scene.visited()
        return { try await scene.finish(answer) }
    }

    private static let refreshed: @Sendable (SlowScene) async throws -> @Sendable () async throws -> Void = { scene in
        try await scene.signIn()
        return { _ = try await scene.client.refresh() }
    }

    private static let oauth = [
        SlowRow(
            dialect: .oauth, name: "document", worth: .nothing, isSlow: get("openid-configuration"),
            prepare: { scene in { try await scene.signIn() } }),
        SlowRow(
            dialect: .oauth, name: "authorization code", isSlow: post("/token", "authorization_code"), prepare: visit),
        SlowRow(dialect: .oauth, name: "keys after the code", isSlow: get("jwks"), prepare: visit),
        SlowRow(
            dialect: .oauth, name: "device code", worth: .nothing, isDevice: true, isSlow: post("/device"),
            prepare: { scene in { _ = try await scene.client.begin(.signIn(.device), with: "oauth") } }),
        SlowRow(
            dialect: .oauth, name: "poll", isDevice: true, isSlow: post("/token", "device_code"),
            prepare: { scene in
                let id = try await scene.approved()
                return { try await scene.finish((id, .poll)) }
            }),
        SlowRow(dialect: .oauth, name: "refresh", isSlow: post("/token", "refresh_token"), prepare: refreshed),
    ]

    private static let supabase = [
        SlowRow(
            dialect: .supabase, name: "password", isSlow: post("grant_type=password"),
            prepare: { scene in { try await scene.signIn() } }),
        SlowRow(
            dialect: .supabase, name: "sign-up", isSlow: post("/signup"),
            prepare: { scene in
                { _ = try await scene.client.begin(.signUp(scene.form), with: scene.town.dialect.provider) }
            }),
        SlowRow(
            dialect: .supabase, name: "mail with a code", worth: .question, isSlow: post("/otp"),
            prepare: { scene in { _ = try await scene.mailed() } }),
        SlowRow(
            dialect: .supabase, name: "one-time code", isSlow: post("/verify"),
            prepare: { scene in
                let answer = try await scene.mailed()
                return { try await scene.finish(answer) }
            }),
        SlowRow(dialect: .supabase, name: "refresh", isSlow: post("grant_type=refresh_token"), prepare: refreshed),
        SlowRow(
            dialect: .supabase, name: "proof of a factor", isSlow: post("/verify"),
            prepare: { scene in
                let key = try await scene.town.enrol()
                let id = try await scene.asked(.grace)
                return { try await scene.finish((id, .code(Secret(scene.town.appCode(key))))) }
            }),
    ]

    private static let others = [
        SlowRow(
            dialect: .clerk, name: "password", isSlow: post("/sign_ins"),
            prepare: { scene in { try await scene.signIn() } }),
        SlowRow(
            dialect: .clerk, name: "token", worth: .nothing, isSignedIn: true, isSlow: post("/tokens"),
            prepare: refreshed),
        SlowRow(
            dialect: .cognito, name: "password", isSlow: post("", "InitiateAuth"),
            prepare: { scene in { try await scene.signIn() } }),
        SlowRow(
            dialect: .cognito, name: "refresh", worth: .nothing, isSignedIn: true,
            isSlow: post("", "REFRESH_TOKEN_AUTH"), prepare: refreshed),
    ]
}

/// One client of one service, and what people do there.
struct SlowScene: Sendable {
    let town: Town
    let wire: SlowWire
    let store: MemoryStore
    let client: AuthClient

    init(_ row: SlowRow) throws {
        town = try Town(row.dialect, isDevice: row.isDevice) { $0.supabase.autoconfirms = true }
        wire = SlowWire(town.wire, clock: town.clock)
        store = MemoryStore(context: .testing(clock: town.clock))
        client = try Self.client(town, wire, store, seed: 1)
    }

    /// A client as the tool makes it: with the deadlines that are usual, and as patient as its requests.
    private static func client(_ town: Town, _ wire: SlowWire, _ store: MemoryStore, seed: UInt64) throws -> AuthClient
    {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        settings.patience = settings.familyDeadline
        return try town.client(store, seed: seed, through: wire, settings)
    }

    var form: SignUpForm {
        SignUpForm(identifier: town.dialect.address(.new), password: Secret(town.dialect.password(.new)))
    }

    /// Whether the next process has a session of the store that the service takes.
    func isKept() async throws -> Bool {
        let next = try Self.client(town, wire, store, seed: 2)
        do { _ = try await next.refresh() } catch { return false }
        return true
    }

    func signIn() async throws {
        let dialect = town.dialect
        if dialect == .oauth { return try await finish(try await visited()) }
        let method = SignInMethod.password(identifier: dialect.address(.ada), Secret(dialect.password(.ada)))
        _ = try await client.signIn(with: dialect.provider, method)
    }

    /// Gives the password, and returns the question that follows it.
    func asked(_ person: Dialect.Person) async throws -> String {
        let dialect = town.dialect
        let method = SignInMethod.password(identifier: dialect.address(person), Secret(dialect.password(person)))
        var step = try await client.begin(.signIn(method), with: dialect.provider)
        if case .asked(let challenge) = step, case .choose(let options) = challenge.ask, let first = options.first {
            step = try await client.answer(.choice(first.id), to: challenge.id)
        }
        guard case .asked(let challenge) = step else { throw Town.Stuck() }
        return challenge.id
    }

    /// Goes to the service's page, and returns what the browser brings back.
    func visited() async throws -> (String, Answer) {
        var options = SignInOptions()
        options.redirect = Town.redirect
        guard case .asked(let challenge) = try await client.begin(.signIn(.browser()), with: "oauth", options: options),
            case .visit(let url, _) = challenge.ask
        else { throw Town.Stuck() }
        return (challenge.id, .redirected(Secret(try await town.browse(url))))
    }

    /// Shows a code for another device, and approves it there.
    func approved() async throws -> String {
        guard case .asked(let challenge) = try await client.begin(.signIn(.device), with: "oauth"),
            case .device(let device) = challenge.ask, town.server.approve(userCode: device.userCode)
        else { throw Town.Stuck() }
        return challenge.id
    }

    /// Asks for a code by mail, and reads it.
    func mailed() async throws -> (String, Answer) {
        let address = town.dialect.address(.ada)
        let step = try await client.begin(
            .signIn(.code(identifier: address, over: .mail)), with: town.dialect.provider)
        guard case .asked(let challenge) = step else { throw Town.Stuck() }
        return (challenge.id, .code(Secret(town.code(address))))
    }

    func finish(_ answer: (String, Answer)) async throws {
        guard case .signedIn = try await client.answer(answer.1, to: answer.0) else { throw Town.Stuck() }
    }
}
