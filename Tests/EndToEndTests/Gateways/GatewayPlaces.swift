import Latchkey
import LatchkeyClerk
import LatchkeyCognito
import LatchkeyDevServer
import LatchkeyOAuth
import LatchkeySupabase
import LatchkeyTesting

/// The providers of services that speak JSON of their own, each asked for a sign-in, a refresh and a sign-out.
struct GatewayPlaces: Sendable {
    let context: ProviderContext

    /// Calls each place, and returns what it throws.
    func all() async -> [(place: String, error: (any Error)?)] {
        var found: [(place: String, error: (any Error)?)] = []
        let clerk = DevServer.Clerk().publishableKey
        found += await calls(.supabase(authURL: "http://127.0.0.1:1/auth/v1", publishableKey: "sb_publishable_x"))
        found += await calls(.clerk(publishableKey: clerk, proxyURL: "http://127.0.0.1:1/clerk"))
        var cognito = CognitoProvider.cognito(userPool: "eu-west-1_AbCdEfGhI", clientID: "client1")
        cognito.endpoint = "http://127.0.0.1:1"
        found += await calls(cognito)
        return found
    }

    private func calls(_ provider: some SessionRevoking) async -> [(place: String, error: (any Error)?)] {
        let binding = provider.rules.binding
        let account = AccountID(subject: "u", of: binding)
        let session = AuthSession(
            id: AuthSession.ID("s"), account: account, tokens: [.standard: AccessToken(Secret("access"))])
        let credential = Credential(
            id: Credential.ID("c"), binding: binding, refreshToken: Secret("refresh-token"), sessions: [session])
        let name = binding.provider.name
        let signIn = SignInRequest.signIn(.password(identifier: "ada@example.test", Secret("long enough")))
        return [
            ("\(name) sign-in", await thrown { try await provider.begin(signIn, SignInOptions(), in: context) }),
            (
                "\(name) refresh",
                await thrown {
                    try await provider.refresh(credential, for: TokenWant(session: session.id), in: context)
                }
            ),
            ("\(name) revocation", await thrown { try await provider.revoke(Revocation(credential), in: context) }),
        ]
    }
}

/// What `work` throws; `nil` if nothing.
func thrown<Value>(_ work: () async throws -> Value) async -> (any Error)? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error
    }
}
