import Latchkey
import LatchkeyClerk
import LatchkeyDevServer
import LatchkeyModel
import LatchkeyOAuth
import LatchkeyOAuthCore
import LatchkeySupabase
import LatchkeyWebSignIn

/// Which service the development server plays.
enum Dialect: String, Sendable {
    case supabase, oauth, clerk

    /// Adds the service to a client.
    func add(to builder: AuthClient.Builder, _ server: DevServer, _ configuration: DevServer.Configuration)
        -> AuthClient.Builder
    {
        switch self {
        case .supabase:
            builder.provider(
                .supabase(
                    projectURL: server.supabaseURL, publishableKey: configuration.supabase.publishableKey ?? ""))
        // A web server can keep a secret, and this client may use another device too.
        case .oauth:
            builder.provider(
                .oauth(
                    issuer: server.issuer, clientID: "dev-agent",
                    authentication: .basic(Secret("dev-agent-secret"))))
        case .clerk:
            builder.provider(.clerk(publishableKey: configuration.clerk.publishableKey, proxyURL: server.clerkURL))
        }
    }

    /// What the forms offer.
    var methods: Set<SignInMethod.Kind> {
        switch self {
        case .supabase: [.password, .code, .browser]
        case .oauth: [.browser, .device]
        case .clerk: [.password, .code]
        }
    }

    /// What to type to sign in.
    var people: String {
        switch self {
        case .supabase: "ada@example.test, ada-password (or grace; or create an account)"
        case .oauth: "ada, ada-password, on the page of the service"
        case .clerk: "ada+clerk_test@example.test, ada-password (or grace, who has an authenticator app)"
        }
    }

    /// Where to read what the service sends.
    func inbox(_ server: DevServer) -> String {
        switch self {
        case .supabase, .oauth: "\(server.issuer)/inbox"
        case .clerk: "\(server.issuer)/control/inbox"
        }
    }
}
