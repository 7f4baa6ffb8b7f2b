import Latchkey
import LatchkeyOAuth
import LatchkeyOAuthCore
import LatchkeyTesting
import Proofs
import Testing

@Suite(
    "django-oauth-toolkit over real sockets",
    .serialized, .enabled(if: ServerKind.django.isWanted, Comment(rawValue: ServerKind.django.missing)))
struct DjangoTests {
    private func app(
        _ kind: ServerKind = .django, scopes: [String] = ["openid", "api"],
        replay: ProviderRules.RefreshRule = .killsFamily
    ) async throws -> ServedApp<DjangoPerson> {
        try await ServedApp(kind) {
            .oauth(
                issuer: $0.issuer, clientID: "pub1", scopes: scopes,
                endpoints: OAuthEndpoints(revocation: "\($0.issuer)/revoke_token/"), refreshRule: replay)
        }
    }

    @Test(
        "Signing in by code and PKCE works on any port, and the next process has the session",
        arguments: ["http://127.0.0.1:51004/callback", "http://127.0.0.1:9/callback"])
    func signsIn(redirect: String) async throws {
        let app = try await app()
        try await app.signIn(redirect: redirect)
        let token = try await app.restarted().accessToken()
        #expect(try await app.userInfo(token, at: "/userinfo/").status == 200)
        #expect(app.tap.statuses("/token") == [200])
    }

    @Test("The ID token says who signed in at once, the user info on demand, and the next process reads both")
    func claims() async throws {
        try await app().checkClaims()
    }

    @Test("A wrong code verifier is refused, and nobody is signed in")
    func wrongVerifier() async throws {
        try await app().checkWrongVerifier(status: 400)
    }

    @Test("A redirect with another state is not trusted, and nothing is sent")
    func changedState() async throws {
        let app = try await app()
        let code = await code { try await app.signIn { $0.replacing("state=", with: "state=x") } }
        #expect(code == .untrusted(.state))
        #expect(app.tap.statuses("/token").isEmpty)
    }

    @Test("Each refresh rotates the refresh token, and the next process goes on with the newest")
    func rotates() async throws {
        try await app().checkRotation(userInfo: "/userinfo/")
    }

    @Test("A family that somebody else's reuse ended is refused for good, and the next process knows it too", .law(3))
    func reuse() async throws {
        let app = try await app()
        try await app.signIn()
        let spent = try #require(app.tap.refreshTokens.first)
        _ = try await app.auth.refresh()
        #expect(try await app.spend(spent, client: "pub1", at: "/token/") == 400)
        #expect(await code { _ = try await app.auth.refresh() } == .signInRequired(.refused))
        #expect(await code { _ = try await app.auth.accessToken() } == .signInRequired(.refused))
        guard case .signInRequired = await code(of: { _ = try await app.restarted().accessToken() }) else {
            Issue.record("the next process hands a token out")
            return
        }
    }

    @Test(
        "With a grace time that the app declares, a token that somebody else spent a moment ago refreshes the session")
    func grace() async throws {
        // The ID token that this server sends with a repeated answer belongs to another access token; it is left out.
        let app = try await app(.djangoWithGrace, replay: .newSuccessor)
        try await app.signIn()
        let shared = try #require(app.tap.refreshTokens.first)
        #expect(try await app.spend(shared, client: "pub1", at: "/token/") == 200)
        _ = try await app.auth.refresh()
        _ = try await app.restarted().refresh()
        #expect(app.tap.statuses("/token") == [200, 200, 200, 200])
    }

    @Test(
        "With a grace time that nobody declared, the access token beside a foreign ID token is dropped, not the session"
    )
    func undeclaredGrace() async throws {
        let app = try await app(.djangoWithGrace)
        try await app.signIn()
        let shared = try #require(app.tap.refreshTokens.first)
        #expect(try await app.spend(shared, client: "pub1", at: "/token/") == 200)
        #expect(await code { _ = try await app.auth.refresh() } == .untrusted(.claims))
        let token = try await app.restarted().refresh()
        #expect(try await app.userInfo(token, at: "/userinfo/").status == 200)
        #expect(app.tap.statuses("/token") == [200, 200, 200, 200])
    }

    @Test("Signing out revokes at the service, and the old token opens nothing any more")
    func signsOut() async throws {
        let app = try await app()
        try await app.signIn()
        let token = try await app.auth.accessToken()
        #expect(try await app.auth.signOut() == .revoked)
        let refused = try await app.userInfo(token, at: "/userinfo/")
        #expect(refused.status == 401)
        #expect(refused.fields["WWW-Authenticate"]?.contains("invalid_token") == true)
        #expect(await code { _ = try await app.restarted().accessToken() } == .signInRequired(.signedOut))
        #expect(try await app.auth.signOut() == .nothingToDo)
    }

    @Test("A code for another device signs in once the person has approved it")
    func device() async throws {
        let app = try await ServedApp<DjangoPerson>(.django) {
            .oauth(
                issuer: $0.issuer, clientID: "dev1", scopes: ["api"],
                endpoints: OAuthEndpoints(device: "\($0.issuer)/device-authorization/"))
        }
        try await app.signInWithDevice()
        let token = try await app.auth.accessToken()
        #expect(token.scopes == ["api"])
        _ = try await app.auth.refresh()
    }

    @Test("A program signs in with its own credentials")
    func service() async throws {
        let app = try await ServedApp<DjangoPerson>(.django) {
            .oauthService(
                issuer: $0.issuer, clientID: "conf1", authentication: .basic(Secret("s3cr3t")), scopes: ["api"])
        }
        _ = try await app.auth.signIn(with: "oauth", .clientCredentials)
        #expect(try await app.auth.accessToken().scopes == ["api"])
    }
}
