import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("latchkey login --revocation-reach") struct RevocationReachTests {
    private func revocations(_ scene: SignedIn) -> Int { scene.server.log().count { $0.endpoint == .revocation } }

    private func shown(_ scene: SignedIn) async throws -> JSON? {
        try await scene.run("profiles", "show", "default", "--json").json?["profiles"]?.array?.first?["revocationReach"]
    }

    @Test(
        "a session that a new login replaces is revoked only where that ends no other sign-in",
        arguments: [(nil, 0), ("session", 0), ("client", 0), ("sign-in", 1)] as [(String?, Int)])
    func replaced(_ reach: String?, _ revoked: Int) async throws {
        let scene = try await SignedIn({ _ in }, reach.map { "--revocation-reach=\($0)" } ?? "--verbose")
        #expect(try await shown(scene)?.string == reach)
        let again = try await SignedIn.login(scene.tool, scene.server)
        #expect(again.status == 0, "\(again.errors)")
        #expect(revocations(scene) == revoked, "The profile remembers it.")
        #expect(try await scene.run("refresh").status == 0)
    }

    @Test("profiles edit changes and forgets it, and login changes it where somebody is signed in; no service is asked")
    func edited() async throws {
        let scene = try await SignedIn()
        let before = scene.server.log().count
        #expect(try await scene.run("profiles", "edit", "default", "--revocation-reach", "client").status == 0)
        #expect(try await shown(scene)?.string == "client")
        let text = try await scene.run("profiles", "show", "default").output
        #expect(text.contains(/a revocation ends +all sign-ins of the person at this client/), "\(text)")
        #expect(try await scene.run("login", "--revocation-reach", "sign-in").status == 0)
        #expect(try await shown(scene)?.string == "sign-in")
        #expect(try await scene.run("profiles", "edit", "default", "--clear", "revocation-reach").status == 0)
        #expect(try await shown(scene) == nil && scene.server.log().count == before)
        let wrong = try await scene.run("profiles", "edit", "default", "--revocation-reach", "all")
        #expect(wrong.status == 2 && wrong.errors.contains("The value of --revocation-reach is none of"))
    }

    @Test("it is an option of OAuth profiles alone")
    func others() async throws {
        let result = try await Tool().run(
            "login", "--supabase", "https://abc.supabase.example", "--key", "sb_publishable_x", "--revocation-reach",
            "client")
        #expect(result.status == 2 && result.errors.contains("--revocation-reach"), "\(result.errors)")
    }
}
