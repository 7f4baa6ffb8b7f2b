import FoundationEssentials
import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyFileStore
import LatchkeyOAuth
import LatchkeyTesting

/// The dev server and processes that talk to it over real sockets, all by one clock that a test moves.
struct FaultyService {
    let clock = ManualClock()
    let server: DevServer
    let folder = TemporaryFolder()
    let transport = CurlTransport()
    let context: PluginContext

    init(_ server: DevServer, context: PluginContext) {
        (self.server, self.context) = (server, context)
    }

    init() throws {
        let clock = clock
        context = .testing(clock: clock, files: SystemFiles())
        var configuration = DevServer.Configuration(port: 0, autoApprove: true)
        // Keys for RSA take so long to make that the other tests of the process would wait for it.
        configuration.signing = .es256
        configuration.now = { clock.wall().timeIntervalSince1970 }
        configuration.accessTokenLifetime = 300
        server = try DevServer(configuration)
    }

    /// Another process over the same files.
    func process(client: String = "dev-native", requestDeadline: Duration = .seconds(10)) throws -> AuthClient {
        try process(client: client, requestDeadline: requestDeadline, through: transport)
    }

    /// Another process, over a network of its own.
    func process(
        client: String = "dev-native", requestDeadline: Duration = .seconds(10), through network: some HTTPTransport
    ) throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        settings.requestDeadline = requestDeadline
        // What comes later is late for every kind of service, and no test waits a minute for it.
        settings.familyDeadline = requestDeadline
        return try AuthClient.Builder().provider(.oauth(issuer: server.issuer, clientID: client))
            .store(.file(unencryptedAt: "\(folder.path)/store", context: context)).transport(network)
            .context(context).settings(settings).build()
    }

    /// A browser that approves and comes back.
    var browser: ScriptedBrowser {
        ScriptedBrowser(redirect: "http://127.0.0.1:7777/callback") { [transport] url in
            let response = try await transport.send(TransportRequest("GET", url), deadline: .seconds(10))
            return response.fields["Location"] ?? ""
        }
    }

    /// A process in which somebody is signed in.
    func signedIn() async throws -> AuthClient {
        let auth = try process()
        _ = try await auth.signIn(with: "oauth", .browser(), asking: browser)
        return auth
    }
}

/// What `work` throws, as the name of its code; `ok` when it does not.
func outcome<Value>(_ work: () async throws -> Value) async -> String {
    do {
        _ = try await work()
        return "ok"
    } catch {
        return (error as? AuthError)?.code.name ?? "\(type(of: error))"
    }
}
