import FoundationEssentials
import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuth
import LatchkeyTesting
import Testing

/// A real service over real sockets, one store, and processes over it, all by one clock that a test moves.
struct PersonScene {
    let clock = ManualClock()
    let server: DevServer
    let store: MemoryStore
    let network = BentNetwork()
    let observer = RecordingObserver()
    let context: PluginContext

    init(_ change: (inout DevServer.Configuration) -> Void = { _ in }) throws {
        let clock = clock
        context = .testing(clock: clock, observer: observer)
        store = MemoryStore(context: context)
        var configuration = DevServer.Configuration(port: 0, autoApprove: true)
        // Keys for RSA take long to make.
        configuration.signing = .es256
        configuration.now = { clock.wall().timeIntervalSince1970 }
        configuration.users[0].claims = [
            "locale": "en-GB", "birthdate": "1815-12-10", "address": ["locality": "London"], "department": ["id": 7],
        ]
        change(&configuration)
        server = try DevServer(configuration)
    }

    /// Another process over the same store.
    func process(_ change: (AuthClient.Builder) -> AuthClient.Builder = { $0 }) throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        settings.familyDeadline = settings.requestDeadline
        var provider: OAuthProvider = .oauth(issuer: server.issuer, clientID: "dev-native")
        // As the server does it, so that what is replaced is revoked.
        provider.revocationReach = .grant
        let builder = AuthClient.Builder().provider(provider)
            .store(store).transport(network).context(context).settings(settings)
        return try change(builder).build()
    }

    /// Signs `name` in.
    @discardableResult
    func signIn(_ auth: AuthClient, as name: String = "ada", scopes: [String] = []) async throws -> AuthSession {
        let browser = ScriptedBrowser(redirect: "http://127.0.0.1:7777/callback") { [network] url in
            let response = try await network.send(TransportRequest("GET", url), deadline: .seconds(10))
            return response.fields["Location"] ?? ""
        }
        var options = SignInOptions()
        options.loginHint = name
        options.scopes = scopes
        return try await auth.signIn(with: "oauth", .browser(), options: options, asking: browser)
    }

    /// A process in which `name` is signed in.
    func signedIn(as name: String = "ada", scopes: [String] = []) async throws -> AuthClient {
        let auth = try process()
        try await signIn(auth, as: name, scopes: scopes)
        return auth
    }

    /// How many requests the service got at an endpoint.
    func count(_ endpoint: DevServer.Endpoint) -> Int { server.log().count { $0.endpoint == endpoint } }

    /// How many refreshes the service saw.
    var refreshes: Int { server.log().count { $0.grant == "refresh_token" } }
}

/// The real network, except for what a test lets the userinfo endpoint say.
final class BentNetwork: HTTPTransport {
    typealias Answer = @Sendable (TransportRequest) async throws -> TransportResponse

    private let inner = CurlTransport()
    private let answers = Locked<[Answer]>([])
    /// Whether the service's document leaves the userinfo endpoint out.
    let withoutUserInfo = Locked(false)

    /// The next request to the userinfo endpoint gets this answer.
    func answer(_ answer: @escaping Answer) { answers.withLock { $0.append(answer) } }

    func answer(_ status: Int, _ body: String, type: String = "application/json", _ fields: HeaderFields = [:]) {
        var fields = fields
        fields.add("Content-Type", type)
        let response = TransportResponse(status: status, fields: fields, body: Array(body.utf8))
        answer { _ in response }
    }

    /// Sends a request past what a test has bent.
    func sendHonestly(_ request: TransportRequest) async throws -> TransportResponse {
        try await inner.send(request, deadline: .seconds(10))
    }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        if request.url.hasSuffix("/userinfo"),
            let answer = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() })
        {
            return try await answer(request)
        }
        var response = try await inner.send(request, deadline: deadline)
        if withoutUserInfo.withLock({ $0 }), request.url.contains("/.well-known/"),
            var document = try JSON.parse(response.body).object
        {
            document["userinfo_endpoint"] = nil
            response.body = JSON.object(document).serialized()
        }
        return response
    }
}
