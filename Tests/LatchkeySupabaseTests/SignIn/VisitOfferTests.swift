import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

@testable import LatchkeySupabase

@Suite("A visit to an identity provider that the project may not have switched on") struct VisitOfferTests {
    private static let visit: SignInRequest = .signIn(.browser(connection: "github"))

    /// A scene whose project is asked.
    private func asking() -> Scene {
        var scene = Scene()
        scene.provider.asksBeforeVisits = true
        return scene
    }

    @Test("one that is switched off is refused before the browser opens, and those that are on are named")
    func off() async throws {
        let scene = asking()
        scene.expect(
            "GET", "/settings", 200,
            ["external": ["github": false, "google": true, "email": true, "gitlab": true, "anonymous_users": true]])
        let error = try await trouble { _ = try await scene.begin(Self.visit) }
        #expect(error.code == .configuration(.unsupported) && error.supabase == .providerDisabled)
        #expect(error.message == "The project has not switched on github; it offers gitlab, google.")
    }

    @Test("the service's key that is refused is told before the browser opens")
    func key() async throws {
        let scene = asking()
        let answer = TransportResponse(status: 401, body: Array(#"{"message":"Invalid API key"}"#.utf8))
        scene.transport.expect("GET", Scene.url + "/settings", .answer(answer))
        #expect(try await trouble { _ = try await scene.begin(Self.visit) }.code == .configuration(.clientRefused))
    }

    @Test(
        "what cannot be read, or says nothing of it, keeps nobody from the visit",
        arguments: [
            (200, ["external": ["github": true]]), (200, ["external": [:]]), (200, [:]), (503, [:]), (404, [:]),
        ] as [(Int, JSON)])
    func unknown(_ status: Int, _ body: JSON) async throws {
        let scene = asking()
        scene.expect("GET", "/settings", status, body)
        guard case .visit(let url, _) = try await scene.begin(Self.visit).challenge().ask else { throw Missing() }
        #expect(url.contains("/authorize?") && url.contains("provider=github"))
    }
}
