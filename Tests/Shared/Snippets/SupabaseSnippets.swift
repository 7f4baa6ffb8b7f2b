import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyFileStore
import LatchkeyLoopback
import LatchkeySupabase
import LatchkeySupabaseAdmin
import LatchkeyTerminal

/// The code of `Documentation/Providers/Supabase.md`, compiled.
enum SupabaseSnippets {
    static func client() throws -> AuthClient {
        let auth = try AuthClient.Builder()
            .provider(.supabase(projectURL: "https://abc.supabase.co", publishableKey: "sb_publishable_…"))
            .store(.file(unencryptedAt: FileStore.defaultDirectory(for: "notes")))
            .transport(.curl())
            .build()
        return auth
    }

    static func restore(_ auth: AuthClient) async throws -> [Account] {
        let accounts = try await auth.restore()
        return accounts
    }

    static func signIn(_ auth: AuthClient, _ password: Secret) async throws -> AuthSession {
        let session = try await auth.supabase().signIn(
            .password(identifier: "ada@example.test", password), asking: TerminalPresenter())
        return session
    }

    static func answer(_ auth: AuthClient, _ typed: Secret) async throws -> SignInStep {
        var step = try await auth.supabase().begin(.code(identifier: "ada@example.test", over: .mail))
        if case .asked(let challenge) = step {
            step = try await auth.answer(.code(typed), to: challenge.id)
        }
        return step
    }

    static func link(_ auth: AuthClient, _ address: String) async throws -> SupabaseOpened {
        _ = try await auth.supabase().begin(.link(identifier: "ada@example.test"))
        // Later, perhaps in another process: the app was opened with an address.
        let step = try await auth.supabase().open(Secret(address))
        return step
    }

    static func invite(_ auth: AuthClient, _ address: String) async throws -> SupabaseOpened {
        let opened = try await auth.supabase().open(Secret(address), expectingInvite: true)
        return opened
    }

    static func browser(_ auth: AuthClient) async throws -> AuthSession {
        var options = LoopbackPresenter.Options()
        options.usesRandomPath = true
        let presenter = LoopbackPresenter(options, otherwise: TerminalPresenter())
        let session = try await auth.supabase().signIn(.browser(connection: "github"), asking: presenter)
        return session
    }

    static func others(_ auth: AuthClient, _ token: Secret, _ nonce: Secret) async throws -> [AuthSession] {
        let session = try await auth.supabase().signIn(
            .idToken(token, issuer: "https://accounts.google.com", nonce: nonce))
        let guest = try await auth.supabase().signIn(.anonymous)
        return [session, guest]
    }

    static func token(_ auth: AuthClient) async throws -> AccessToken {
        let token = try await auth.accessToken()
        return token
    }

    static func request(_ auth: AuthClient) async throws -> TransportResponse {
        let api = try auth.authorized(.curl(), origins: ["https://abc.supabase.co"])
        let notes = TransportRequest(
            "GET", "https://abc.supabase.co/rest/v1/notes", fields: ["apikey": "sb_publishable_…"])
        let answer = try await api.send(notes, deadline: .seconds(10))
        return answer
    }

    static func adopt(_ auth: AuthClient, _ bytes: [UInt8]) async throws -> AuthSession {
        let session = try await auth.adopt(SupabaseImport(bytes))
        return session
    }

    static func signOut(_ auth: AuthClient) async throws -> [SignOutResult] {
        let result = try await auth.signOut()
        let everywhere = try await auth.signOut(scope: .everywhere)
        return [result, everywhere]
    }

    static func update(_ auth: AuthClient, _ change: SupabaseUserUpdate) async throws {
        do {
            try await auth.supabase().update(change)
        } catch  where error.supabase == .reauthenticationNeeded {
            try await auth.supabase().reauthenticate()
        }
    }

    static func withoutGateway() -> SupabaseProvider {
        let provider: SupabaseProvider = .supabase(authURL: "http://localhost:9999")
        return provider
    }

    static func administration(_ key: Secret) async throws {
        let admin = try SupabaseAdmin(projectURL: "https://abc.supabase.co", secretKey: key, transport: .curl())
        for try await user in admin.users() {
            print(user.id, user.email ?? "")
        }
    }

    static func developmentServer() throws -> (SupabaseProvider, String?) {
        let server = try DevServer(.init(port: 0, autoApprove: true))
        defer { server.stop() }
        let provider: SupabaseProvider = .supabase(
            projectURL: server.supabaseURL, publishableKey: "sb_publishable_development",
            redirect: "latchkey-demo://callback")
        // …
        let code = server.inbox(of: "ada@example.test").last?.code
        return (provider, code)
    }
}
