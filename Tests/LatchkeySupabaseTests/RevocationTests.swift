import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

@testable import LatchkeySupabase

@Suite("Logging a Supabase session out")
struct RevocationTests {
    private func revoke(_ scene: Scene, _ scope: SignOutScope = .thisSession, lasts: Duration = .seconds(60))
        async throws
    {
        try await scene.provider.revoke(
            Revocation(scene.credential(lasts: lasts), scope: scope), in: scene.context)
    }

    @Test(
        "a token that is good logs out in one request, each scope in the service's word",
        arguments: zip([SignOutScope.thisSession, .others, .everywhere], ["local", "others", "global"]))
    func scopes(scope: SignOutScope, word: String) async throws {
        let scene = Scene()
        scene.expect("POST", "/logout?scope=\(word)", 204)
        try await revoke(scene, scope)
        #expect(scene.transport.requests.map { $0.fields["Authorization"] } == ["Bearer old"])
        #expect(scene.bodies == [[:]])
    }

    @Test("a token that the service calls bad is said to be so, and nothing is refreshed here")
    func badToken() async throws {
        let scene = Scene()
        scene.refuse("POST", "/logout?scope=local", 403, "bad_jwt")
        #expect(try await trouble { try await revoke(scene, lasts: .zero) }.code == .signInRequired(.notAccepted))
        #expect(scene.provider.rules.revocation == .liveAccessToken)
        try scene.transport.verifyFinished()
    }

    @Test("a page of somebody before the service, with status 200, logs nobody out")
    func portal() async throws {
        let scene = Scene()
        let page = TransportResponse(
            status: 200, fields: ["Content-Type": "text/html"], body: Array(" <html>Sign in".utf8))
        scene.transport.expect("POST", Scene.url + "/logout?scope=local", .answer(page))
        #expect(try await trouble { try await revoke(scene) }.code == .offline(.unreachable))
        try scene.transport.verifyFinished()
    }

    @Test("what is over already is done", arguments: ["session_not_found", "user_not_found"])
    func over(code: String) async throws {
        let scene = Scene()
        scene.refuse("POST", "/logout?scope=local", 403, code)
        try await revoke(scene)
        try scene.transport.verifyFinished()
    }

    @Test(
        "a session that is over cannot end others, and nobody says that it did",
        arguments: [SignOutScope.others, .everywhere])
    func others(scope: SignOutScope) async throws {
        let alive = Scene()
        alive.refuse("POST", "/logout?scope=\(scope == .others ? "others" : "global")", 403, "session_not_found")
        #expect(try await trouble { try await revoke(alive, scope) }.code == .configuration(.unsupported))
    }

    @Test("a banned person's session comes back with the end of the ban, so it is not done")
    func banned() async throws {
        let scene = Scene()
        scene.refuse("POST", "/logout?scope=local", 403, "user_banned")
        #expect(try await trouble { try await revoke(scene) }.code == .signInRequired(.banned))
    }

    @Test("nothing of a gateway, and no trouble, counts as done")
    func notDone() async throws {
        let answers: [(Int, String)] = [
            (401, "{\"message\":\"Invalid API key\"}"), (403, ""), (404, "404 page not found"), (404, ""), (429, ""),
            (500, ""), (502, "<html>"), (401, ""), (403, "{\"message\":\"session_not_found\"}"),
        ]
        for (status, body) in answers {
            let scene = Scene()
            let answer = TransportResponse(status: status, body: Array(body.utf8))
            scene.transport.expect("POST", Scene.url + "/logout?scope=local", .answer(answer))
            await #expect(throws: (any Error).self, "\(status) \(body)") { try await revoke(scene) }
            #expect(scene.transport.requests.count == 1)
        }
    }
}
