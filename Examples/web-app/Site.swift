import Foundation
import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyFileStore
import LatchkeyHTTPServer
import LatchkeySystem
import LatchkeyModel
import LatchkeyWebSignIn

/// The web server: the sign-in pages below `/auth`, and the app's own pages.
final class Site: Sendable {
    let origin: String
    let web: WebSignIn
    let identity: DevServer
    private let pages: Board
    private let server: HTTPServer
    private let dialect: Dialect

    init(_ settings: Settings) throws {
        let target = Target()
        // The service must know where browsers come back to, so this server's port comes first.
        let limits = ServerLimits(
            body: WebRequest.bodyLimit + 1, head: WebRequest.headLimit + 1_024, connections: 1_024)
        server = try HTTPServer(port: settings.port, limits: limits) { await target.answer($0) }
        let origin = "http://127.0.0.1:\(server.port)"
        var configuration = DevServer.Configuration()
        configuration.allow(redirect: origin + "/auth/callback")
        configuration.supabase.siteURL = origin + "/auth/callback"
        configuration.supabase.users += settings.crowd
        // The development server would otherwise ask a crowd to wait.
        configuration.supabase.resendGap = 5
        let identity = try DevServer(configuration)
        let folder = try settings.folder ?? Self.temporaryFolder()
        let transport = CurlTransport()
        let (dialect, fixed) = (settings.dialect, configuration)
        var options = WebSignInOptions(name: "Notice board", origin: origin)
        options.model.methods = dialect.methods
        options.model.connections = dialect == .supabase ? ["github"] : []
        options.model.signIn.redirect = origin + "/auth/callback"
        options.model.passwordRules = PasswordRules(shortest: 6)
        options.guests.number = settings.guests ?? options.guests.number
        options.limits.absolute = settings.stays ?? options.limits.absolute
        let policy = UnlockPolicy(enrolment: .offered)
        web = WebSignIn(store: .file(unencryptedAt: folder), options: options) { store, proof in
            try dialect.add(to: AuthClient.Builder(), identity, fixed)
                .store(store).transport(transport)
                .unlock(PINLock(store: store, proof: proof), reason: "Show your notices", policy: policy).build()
        }
        (self.origin, self.identity, self.dialect) = (origin, identity, dialect)
        pages = Board(dialect, web)
        let (web, pages, isPlain) = (web, pages, settings.isPlain)
        let port = server.port
        target.set { request in
            guard request.isAddressedToLoopback(port: port) else { return .text("Not here.\n", status: 421) }
            let request = WebRequest(request)
            if isPlain { return ServerResponse(pages.plain()) }
            if request.path.hasPrefix("/auth/") { return ServerResponse(await web.respond(to: request)) }
            return ServerResponse(await pages.answer(request))
        }
    }

    /// What to print after the start.
    var banner: String {
        """
        app=\(origin)/
        service=\(identity.issuer)
        inbox=\(dialect.inbox(identity))
        Sign in with: \(dialect.people)
        """
    }

    /// Ends it after what is under way.
    func stop() async {
        server.stop()
        await web.finish()
        identity.stop()
    }

    private static func temporaryFolder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("web-app-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder.path + "/sessions"
    }
}

/// Lets the server begin before what it serves is ready.
private final class Target: Sendable {
    /// A struct around the closure: a closure that is read out of a generic lock is wrapped once more each time.
    private struct Work: Sendable {
        let answer: @Sendable (ServerRequest) async -> ServerResponse
    }

    private let work = Locked<Work?>(nil)

    func set(_ answer: @escaping @Sendable (ServerRequest) async -> ServerResponse) {
        work.withLock { $0 = Work(answer: answer) }
    }

    func answer(_ request: ServerRequest) async -> ServerResponse? { await work.withLock { $0 }?.answer(request) }
}

extension WebRequest {
    init(_ request: ServerRequest) {
        self.init(request.method, request.rawTarget, fields: request.fields, body: request.body)
    }
}

extension ServerResponse {
    init(_ response: WebResponse) {
        self.init(status: response.status, fields: response.fields, body: response.body)
    }
}

extension Settings {
    /// Accounts for a crowd.
    var crowd: [DevServer.SupabaseUser] {
        guard isCrowd else { return [] }
        return (0..<people).map { DevServer.SupabaseUser(email: Crowd.address($0), password: Crowd.password) }
    }
}
