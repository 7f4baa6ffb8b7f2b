import Latchkey
import LatchkeyOAuth
import LatchkeyLoopback

/// The code of `Documentation/Start/OAuth.md` that no example has, compiled.
enum OAuthSnippets {
    static func more(_ auth: AuthClient, _ presenter: any ChallengePresenter) async throws -> [String] {
        var options = SignInOptions()
        options.scopes = ["openid", "offline_access", "notes:write"]
        options.loginHint = "ada@example.com"
        options.maxAge = .seconds(300)
        let session = try await auth.oauth().signIn(.browser(), options: options, asking: presenter)
        let billing = try await auth.accessToken(for: "https://billing.example.com")
        return [session.account.value, billing.scheme]
    }

    static func presenter() throws -> LoopbackPresenter {
        var options = LoopbackPresenter.Options(redirect: try LoopbackRedirect("http://localhost:8400/signed-in"))
        options.appName = "Notes"
        return LoopbackPresenter(options)
    }

    static func signOut(_ auth: AuthClient) async throws {
        switch try await auth.signOut() {
        case .revoked: print("Signed out, here and at the service.")
        case .revocationQueued: print("Signed out here. The service is told later.")
        case .localOnly: print("Signed out here. The service offers no revocation.")
        case .revocationRefused: print("Signed out here. The service does not let this client revoke.")
        case .nothingToDo: print("Nobody was signed in.")
        }
    }

    static func upload(_ auth: AuthClient, _ send: (AccessToken) async throws -> Void) async throws {
        try await auth.run { auth in
            try await send(try await auth.accessToken())
        }
        // Everything is stored, and the program may call exit().
    }

    static func endAtSignal(_ auth: AuthClient) async {
        for exchange in auth.stopSending() { print("Waits for \(exchange.awaitedOrigin ?? "the store") …") }
        if let unstored = await auth.finishSent() { print("Not stored: \(unstored.message)") }
    }
}
