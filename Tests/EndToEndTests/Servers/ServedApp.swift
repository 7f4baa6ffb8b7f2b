import FoundationEssentials
import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyOAuth
import LatchkeyTesting

/// An app at a real server: a client over a real disk and real sockets, and the person who uses it.
final class ServedApp<User: Person>: Sendable {
    let server: HeldServer
    let person: User
    let tap: Tap
    let auth: AuthClient
    private let provider: OAuthProvider
    let directory: String

    init(_ kind: ServerKind, _ provider: (HeldServer) -> OAuthProvider) async throws {
        server = try await Servers.shared.server(kind)
        let curl = CurlTransport()
        person = try await User(at: server.issuer, over: curl)
        tap = Tap(curl)
        self.provider = provider(server)
        directory = "\(FileManager.default.temporaryDirectory.path)/latchkey-\(UUID().uuidString)"
        auth = try Self.client(self.provider, directory, tap)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// A client as the next process would make it.
    func restarted() throws -> AuthClient { try Self.client(provider, directory, tap) }

    private static func client(_ provider: OAuthProvider, _ directory: String, _ tap: Tap) throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        return try AuthClient.Builder()
            .provider(provider).store(.file(unencryptedAt: directory)).transport(tap).settings(settings).build()
    }

    /// The person signs in with a browser; `change` may damage the address that comes back.
    func signIn(redirect: String? = nil, _ change: @escaping @Sendable (String) -> String = { $0 }) async throws {
        let browser = ScriptedBrowser(redirect: redirect ?? server.redirect) { [person] url in
            change(try await person.visit(url))
        }
        _ = try await auth.signIn(with: "oauth", .browser(), asking: browser)
    }

    /// The person signs in with another device.
    func signInWithDevice() async throws {
        let terminal = ScriptedPresenter(answering: { [person] challenge in
            guard case .device(let device) = challenge.ask else { return .declined }
            try await person.approve(device)
            try await Latch().wait()
            return .declined
        })
        _ = try await auth.signIn(with: "oauth", .device, asking: terminal)
    }

    /// What the server's user info says to `token`.
    func userInfo(_ token: AccessToken, at path: String) async throws -> TransportResponse {
        let fields: HeaderFields = ["Authorization": "Bearer \(token.value.revealText())"]
        return try await tap.send(
            TransportRequest("GET", server.issuer + path, fields: fields), deadline: .seconds(10))
    }

    /// Spends a refresh token behind the client's back, as a thief or a second copy of the store would.
    func spend(_ token: String, client: String, at path: String) async throws -> Int {
        let form = "grant_type=refresh_token&client_id=\(client)&refresh_token=\(Visitor.escape(token))"
        let request = TransportRequest(
            "POST", server.issuer + path, fields: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array(form.utf8))
        return try await tap.send(request, deadline: .seconds(10)).status
    }

    /// From now on, sends another code verifier than the right one.
    func forgetVerifier() {
        tap.change { request in
            var request = request
            let body = String(decoding: request.body ?? [], as: UTF8.self)
            request.body = Array(body.replacing(/code_verifier=[^&]*/, with: "code_verifier=\(wrongVerifier)").utf8)
            return request
        }
    }
}

private let wrongVerifier = String(repeating: "x", count: 64)

/// The code of the error that `work` ends with.
func code(of work: () async throws -> Void) async -> AuthError.Code? {
    do {
        try await work()
        return nil
    } catch {
        return (error as? AuthError)?.code
    }
}
