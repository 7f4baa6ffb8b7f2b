import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyFileStore
import LatchkeyOAuth
import LatchkeyTesting

/// Processes of the machine's own clock over one store: the one before a kill, and the ones after.
struct Bystander {
    let server: DevServer
    let directory: String
    private let transport = CurlTransport()

    init(_ server: DevServer, _ directory: String) { (self.server, self.directory) = (server, directory) }

    /// Another process, `ahead` later.
    func process(
        ahead: Duration = .zero, files: any FileAccess = SystemFiles(), lockDeadline: Duration = .seconds(20),
        observer: any AuthObserver = SilentObserver()
    ) throws -> AuthClient {
        var context = PluginContext.system
        context.clock = AheadClock(by: ahead)
        context.files = files
        context.observer = observer
        var settings = EngineSettings()
        settings.refresh = .onDemand
        settings.lockDeadline = lockDeadline
        var provider = OAuthProvider.oauth(issuer: server.issuer, clientID: "dev-native")
        // The development server revokes by sign-in.
        provider.revocationReach = .grant
        return try AuthClient.Builder().provider(provider)
            .store(.file(unencryptedAt: directory, context: context)).transport(transport).context(context)
            .settings(settings).build()
    }

    /// A browser that approves and comes back.
    var browser: ScriptedBrowser {
        ScriptedBrowser(redirect: "http://127.0.0.1:7777/callback") { [transport] url in
            let response = try await transport.send(TransportRequest("GET", url), deadline: .seconds(10))
            return response.fields["Location"] ?? ""
        }
    }

    /// Signs `auth` in.
    func signIn(_ auth: AuthClient) async throws {
        _ = try await auth.signIn(with: "oauth", .browser(), asking: browser)
    }

    /// Whether the service takes `token`.
    func accepts(_ token: String) async -> Bool {
        await Browser().isAccepted(token, at: "\(server.issuer)/resource")
    }

    func stored() throws -> StoredLogin { try StoredLogin(below: directory) }

    /// The lock files that somebody holds.
    var heldLocks: [String] {
        FilesBelow.list(directory).filter { path in
            guard path.hasSuffix(".lane") || path.hasSuffix(".lock") else { return false }
            guard let lock = try? SystemFiles().lock(path, sharing: false) else { return true }
            lock.release()
            return false
        }
    }

    /// What writers left, or are at.
    var halfWritten: [String] { FilesBelow.list(directory).filter { $0.hasSuffix(".tmp") } }
}
