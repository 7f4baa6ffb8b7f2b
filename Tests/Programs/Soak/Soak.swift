import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyFileStore
import LatchkeySystem
import LatchkeyOAuth
import LatchkeyTesting

/// `soak REFRESHES CLIENTS DIRECTORY [LEAK]`: does each of them so often, and fails unless memory, descriptors and threads
/// stay as they were. LEAK bytes are kept each time, to see that it would be noticed.
@main
struct Soak {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count >= 4, let refreshes = Int(words[1]), let clients = Int(words[2]) else {
            return finish(2)
        }
        let soak = Soak(directory: words[3], leak: words.count > 4 ? Int(words[4]) ?? 0 : 0)
        var isFlat = true
        var parts = [
            try await soak.inMemory(refreshes), try await soak.clients(clients),
            try await soak.overFiles(max(1_000, refreshes / 50)),
        ]
        if refreshes >= 100_000 { parts.append(try await soak.overSockets()) }
        for part in parts {
            isFlat = try await part.run() && isFlat
        }
        say("soak: refreshes=\(refreshes) clients=\(clients) \(isFlat ? "flat" : "NOT flat")")
        if !isFlat { finish(1) }
    }

    let directory: String
    let leak: Int
    private let kept = Locked<[[UInt8]]>([])

    init(directory: String, leak: Int) { (self.directory, self.leak) = (directory, leak) }

    private func keep() {
        if leak > 0 { kept.withLock { $0.append([UInt8](repeating: 1, count: leak)) } }
    }

    private var provider: OAuthProvider {
        var endpoints = OAuthEndpoints()
        endpoints.authorization = "\(RotatingService.origin)/authorize"
        endpoints.token = "\(RotatingService.origin)/token"
        var provider = OAuthProvider(endpoints, clientID: "soak")
        provider.asksUserInfo = false
        return provider
    }

    private func client(
        _ provider: OAuthProvider, _ store: some SessionStore, _ transport: some HTTPTransport, follows: Bool = true
    ) throws -> AuthClient {
        var settings = EngineSettings()
        settings.followsStore = follows
        settings.refresh = .onDemand
        // A wait that was called off is kept by the system until its time has come: so that it comes soon.
        settings.requestDeadline = .seconds(1)
        settings.lockDeadline = .seconds(1)
        return try AuthClient.Builder().provider(provider).store(store).transport(transport).settings(settings).build()
    }

    private func signIn(_ auth: AuthClient, visiting visit: @escaping @Sendable (String) async throws -> String)
        async throws
    {
        let browser = ScriptedBrowser(redirect: "http://127.0.0.1:7777/callback", visit: visit)
        _ = try await auth.signIn(with: "oauth", .browser(), asking: browser)
    }

    /// Where a service in memory sends the browser.
    @Sendable private static func approve(_ url: String) -> String {
        let pairs = url.split(separator: "?").last?.split(separator: "&") ?? []
        let state = pairs.first { $0.hasPrefix("state=") } ?? ""
        return "http://127.0.0.1:7777/callback?code=c&\(state)"
    }

    private func inMemory(_ count: Int) async throws -> Part {
        let service = RotatingService()
        let auth = try client(provider, MemoryStore(), service)
        try await signIn(auth, visiting: Self.approve)
        return Part(name: "refreshes", count: count, warmUp: count / 20 + 100) { _ in
            _ = try await auth.refresh()
            keep()
        }
    }

    /// Each is made over a store that holds a login, shows its token, now and then refreshes it, and is dropped.
    private func clients(_ count: Int) async throws -> Part {
        let service = RotatingService()
        let (memory, files) = (MemoryStore(), FileStore(unencryptedAt: "\(directory)/clients"))
        try await signIn(try client(provider, memory, service), visiting: Self.approve)
        try await signIn(try client(provider, files, service), visiting: Self.approve)
        return Part(name: "clients", count: count, warmUp: count / 20 + 100) { index in
            let isOverFiles = index % 4 == 0
            let auth =
                isOverFiles
                ? try client(provider, files, service) : try client(provider, memory, service)
            _ = try await auth.accessToken()
            if index % 16 < 2 { _ = try await auth.refresh() }
            if index % 8 == 3 { for await _ in auth.events.prefix(0) {} }
            keep()
        }
    }

    private func overFiles(_ count: Int) async throws -> Part {
        let auth = try client(provider, FileStore(unencryptedAt: "\(directory)/files"), RotatingService())
        try await signIn(auth, visiting: Self.approve)
        return Part(name: "refreshes over files", count: count, warmUp: count / 20 + 100) { _ in
            _ = try await auth.refresh()
            keep()
        }
    }

    private func overSockets() async throws -> Part {
        var configuration = DevServer.Configuration(autoApprove: true)
        configuration.signing = .es256
        let server = try DevServer(configuration)
        let network = CurlTransport()
        var provider = OAuthProvider(issuer: server.issuer, clientID: "dev-native")
        provider.scopes = ["offline_access", "read"]
        let auth = try client(provider, MemoryStore(), network)
        try await signIn(auth) { url in
            try await network.send(TransportRequest("GET", url), deadline: .seconds(10)).fields["Location"] ?? ""
        }
        // The service remembers 20,000 tokens of each kind, and sweeps after as many more: then it holds as much again.
        return Part(name: "refreshes over sockets", count: 20_000, warmUp: 42_000) { _ in
            _ = try await auth.refresh()
            withExtendedLifetime(server) {}
            keep()
        }
    }
}
