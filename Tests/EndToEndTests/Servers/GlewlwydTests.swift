import Latchkey
import LatchkeyOAuth
import LatchkeyOAuthCore
import LatchkeyTesting
import Proofs
import Testing

// One after another: over SQLite, Glewlwyd answers requests that write at the same time with 500.
@Suite(
    "Glewlwyd over real sockets", .serialized,
    .enabled(if: ServerKind.glewlwyd.isWanted, Comment(rawValue: ServerKind.glewlwyd.missing)))
struct GlewlwydTests {
    private func app() async throws -> ServedApp<GlewlwydPerson> {
        try await ServedApp(.glewlwyd) { .oauth(issuer: $0.issuer, clientID: "pub1") }
    }

    @Test("Signing in by code and PKCE stores a session that the next process has, and its token opens the user info")
    func signsIn() async throws {
        let app = try await app()
        try await app.signIn()
        let token = try await app.restarted().accessToken()
        #expect(try await app.userInfo(token, at: "/userinfo").status == 200)
        #expect(app.tap.statuses("/token") == [200])
        let account = try #require(try await app.restarted().accounts().first)
        #expect(account.state == .fresh && account.isDurable)
        #expect(account.id.value.hasPrefix("oauth \(app.server.issuer) "))
    }

    @Test("The ID token says who signed in at once, the user info on demand, and the next process reads both")
    func claims() async throws {
        try await app().checkClaims()
    }

    @Test("A wrong code verifier is refused, and nobody is signed in")
    func wrongVerifier() async throws {
        try await app().checkWrongVerifier(status: 403)
    }

    @Test(
        "A redirect that was changed on its way is not trusted, and nothing is sent",
        arguments: [
            ("state=", "state=x", AuthError.Code.untrusted(.state)), ("iss=http", "iss=https", .untrusted(.issuer)),
            ("/callback?", "/elsewhere?", .untrusted(.redirect)), ("code=", "code=a&code=", .untrusted(.redirect)),
        ])
    func changedRedirect(old: String, new: String, expected: AuthError.Code) async throws {
        let app = try await app()
        let code = await code { try await app.signIn { $0.replacing(old, with: new) } }
        #expect(code == expected)
        #expect(app.tap.statuses("/token").isEmpty)
        #expect(try await app.restarted().accounts().isEmpty)
    }

    @Test("A redirect to a port that the server was not told of never comes, and nobody is signed in")
    func otherPort() async throws {
        let app = try await app()
        let code = await code { try await app.signIn(redirect: "http://127.0.0.1:1/callback") }
        #expect(code != nil)
        #expect(app.tap.statuses("/token").isEmpty)
        #expect(try await app.restarted().accounts().isEmpty)
    }

    @Test("Each refresh rotates the refresh token, and the next process goes on with the newest")
    func rotates() async throws {
        try await app().checkRotation(userInfo: "/userinfo")
    }

    @Test(
        "Eight clients over one store that refresh at once send one request after another, and all have a good token",
        .law(1))
    func race() async throws {
        let app = try await app()
        try await app.signIn()
        let clients = try (0..<8).map { _ in try app.restarted() }
        try await withThrowingTaskGroup(of: AccessToken.self) { group in
            for client in clients { group.addTask { try await client.refresh() } }
            for try await token in group {
                #expect(try await app.userInfo(token, at: "/userinfo").status == 200)
            }
        }
        #expect(app.tap.statuses("/token").allSatisfy { $0 == 200 })
    }

    @Test(
        "A family that somebody else's reuse ended is refused with nothing: the credential stays, no one is told a lie",
        .law(3)
    )
    func reuse() async throws {
        let app = try await app()
        try await app.signIn()
        let spent = try #require(app.tap.refreshTokens.first)
        _ = try await app.auth.refresh()
        #expect(try await app.spend(spent, client: "pub1", at: "/token") == 400)
        // The access token lasts, and is all there is.
        _ = await code { _ = try await app.auth.refresh() }
        #expect(app.tap.statuses("/token").last == 400)
        #expect(app.auth.currentToken() != nil)
        #expect(try await app.restarted().accounts().count == 1)
    }

    @Test("Signing out where the service does not let the client revoke removes the session, and does not say revoked")
    func signsOut() async throws {
        let app = try await app()
        try await app.signIn()
        let result = try await app.auth.signOut()
        // Its document says that only clients with a secret may: it is asked once.
        #expect(app.tap.statuses("/revoke") == [401])
        #expect(result == .revocationRefused)
        #expect(await code { _ = try await app.auth.accessToken() } == .signInRequired(.signedOut))
        #expect(await code { _ = try await app.restarted().accessToken() } == .signInRequired(.signedOut))
    }

    @Test("A code for another device signs in once the person has approved it")
    func device() async throws {
        let app = try await app()
        try await app.signInWithDevice()
        #expect(try await app.userInfo(app.auth.accessToken(), at: "/userinfo").status == 200)
    }

    @Test("A program signs in with its own credentials, and asks again instead of refreshing")
    func service() async throws {
        let app = try await ServedApp<GlewlwydPerson>(.glewlwyd) {
            .oauthService(
                issuer: $0.issuer, clientID: "conf1", authentication: .basic(Secret("s3cr3t-conf1")), scopes: ["api"])
        }
        _ = try await app.auth.signIn(with: "oauth", .clientCredentials)
        let first = try await app.auth.accessToken()
        let second = try await app.auth.refresh()
        #expect(first.value != second.value)
        #expect(second.scopes == ["api"])
        #expect(app.tap.refreshTokens.isEmpty)
    }

    @Test("A program with a wrong secret is refused, and its secret is in no message", .law(10))
    func wrongSecret() async throws {
        let app = try await ServedApp<GlewlwydPerson>(.glewlwyd) {
            .oauthService(issuer: $0.issuer, clientID: "conf1", authentication: .basic(Secret("wrong-4711")))
        }
        do {
            _ = try await app.auth.signIn(with: "oauth", .clientCredentials)
            Issue.record("a wrong secret was taken")
        } catch {
            #expect(!"\(error)".contains("4711") && !String(reflecting: error).contains("4711"))
        }
        #expect(app.tap.statuses("/token") == [403])
    }
}
