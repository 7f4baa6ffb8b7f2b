import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeyTesting
import Testing

@testable import LatchkeyOAuth

@Suite("the person that a sign-in asks for") struct ExpectedPersonTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var claims: JSON
        var isNamed: Bool?
        var testDescription: String { "\(name) in \(claims)" }
    }

    @Test(
        "is known by a name of the same kind, is another by one, and may be anybody where nothing is said",
        arguments: [
            Row(name: "user2", claims: ["sub": "user1"], isNamed: false),
            Row(name: "user1", claims: ["sub": "user1"], isNamed: true),
            Row(name: "USER1", claims: ["sub": "7", "preferred_username": "user1"], isNamed: true),
            Row(name: "ada", claims: ["sub": "7", "email": "Ada@example.test"], isNamed: true),
            Row(name: "ada", claims: ["sub": "7", "email": "grace@example.test"], isNamed: false),
            Row(name: "ada@example.test", claims: ["sub": "7", "email": "ada@example.test"], isNamed: true),
            Row(name: "ada@example.test", claims: ["sub": "7", "email": "ada@example.com"], isNamed: false),
            Row(name: "ada@example.test", claims: ["sub": "7", "upn": "ada@example.test"], isNamed: true),
            Row(name: "ada@example.test", claims: ["sub": "7", "preferred_username": "ada"], isNamed: nil),
            Row(name: "ada@example.test", claims: ["sub": "user1"], isNamed: nil),
            Row(name: "ada", claims: ["sub": "248289761001"], isNamed: nil),
            Row(name: "ada", claims: ["sub": "auth0|5f7c8ec7c33c6c004bbafe82"], isNamed: nil),
            Row(name: "ada", claims: ["sub": "7", "name": "Grace Hopper"], isNamed: nil),
            Row(name: "Jürgen", claims: ["sub": "jürgen"], isNamed: true),
            Row(name: "jurgen", claims: ["sub": "jürgen"], isNamed: false),
        ])
    func names(_ row: Row) throws {
        let claims = try #require(OpenIDClaims(issuer: "https://id.example.test", json: row.claims))
        #expect(ExpectedPerson(name: row.name).isNamed(in: claims) == row.isNamed)
    }

    /// Signs in where the service chooses ada, whoever is expected.
    private func signIn(_ scene: PersonScene, _ auth: AuthClient, expecting name: String) async throws -> AuthSession {
        let browser = ScriptedBrowser(redirect: "http://127.0.0.1:7777/callback") { url in
            let response = try await scene.network.send(TransportRequest("GET", url), deadline: .seconds(10))
            return response.fields["Location"] ?? ""
        }
        var options = SignInOptions()
        options.expectedPerson = name
        return try await auth.signIn(with: "oauth", .browser(), options: options, asking: browser)
    }

    @Test("somebody else is refused: nothing is kept, and whoever was signed in stays the current account")
    func somebodyElse() async throws {
        let scene = try PersonScene()
        let auth = try await scene.signedIn(as: "grace")
        let before = try await auth.accounts().map(\.id)
        let error = await #expect(throws: AuthError.self) { _ = try await signIn(scene, auth, expecting: "grace") }
        #expect(error?.code == .refused(.otherPerson) && error?.recovery == .correctInput)
        #expect(error?.message.contains("ada") == true && error?.message.contains("grace") == true)
        let after = try await auth.accounts()
        #expect(after.map(\.id) == before && after.first?.isCurrent == true)
        #expect(try await signIn(scene, auth, expecting: "ada").account != before.first)
    }

    @Test("two subjects that look the same and have other bytes are two people")
    func bytes() {
        let binding = ProviderBinding(provider: "oauth", authority: "https://id.example.test", client: "c")
        let (composed, decomposed) = ("jos\u{E9}", "jose\u{301}")
        #expect(composed == decomposed)
        #expect(AccountID(subject: composed, of: binding) != AccountID(subject: decomposed, of: binding))
        #expect(AccountID(subject: composed, of: binding) == AccountID(subject: composed, of: binding))
    }

    @Test("the wishes for the service's pages are in the address that the browser opens")
    func wishes() async throws {
        let scene = try PersonScene()
        let auth = try scene.process()
        var options = SignInOptions()
        (options.prompt, options.acr, options.maxAge) = ("login", ["gold", "silver"], .seconds(300))
        (options.locales, options.loginHint, options.redirect) = (["fr-CA", "en"], "ada", "http://127.0.0.1:7777/cb")
        guard
            case .asked(let challenge) = try await auth.begin(.signIn(.browser()), with: "oauth", options: options),
            case .visit(let url, _) = challenge.ask
        else {
            Issue.record("the service was not asked")
            return
        }
        for part in ["prompt=login", "acr_values=gold+silver", "max_age=300", "ui_locales=fr-CA+en", "login_hint=ada"] {
            #expect(url.contains(part), "\(part)")
        }
    }
}
