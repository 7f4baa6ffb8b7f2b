import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@testable import LatchkeyClerk

@Suite("A link by mail at Clerk") struct LinkTests {
    private static let redirect = "http://127.0.0.1:8765/callback"

    private func begin(_ scene: Scene) async throws -> Turn {
        var options = SignInOptions()
        options.redirect = Self.redirect
        return try await scene.begin(.signIn(.link(identifier: Scene.ada)), options)
    }

    private func link(_ scene: Scene) throws -> Secret { Secret(try #require(scene.server.clerkMessages.last?.link)) }

    @Test("who opens it where it was asked for is signed in", arguments: DevServer.Clerk.Rotation.allCases)
    func opened(_ rotation: DevServer.Clerk.Rotation) async throws {
        let scene = try Scene { $0.rotation = rotation }
        let turn = try await begin(scene)
        guard case .openedLink = try turn.challenge().ask else { throw Missing() }
        let grant = try await scene.answer(.redirected(try link(scene)), turn).grant()
        #expect(grant.sessions[0].label == Scene.ada)
        // Once.
        await #expect(throws: AuthError.self) { try await scene.answer(.redirected(try link(scene)), turn) }
    }

    @Test(
        "a link of somebody else's is worth nothing here, and leaves this sign-in open or begun anew, never signed in")
    func stolen() async throws {
        let scene = try Scene()
        let mine = try await begin(scene)
        let other = try await begin(scene)
        let error = await #expect(throws: AuthError.self) {
            try await scene.answer(.redirected(try link(scene)), mine)
        }
        #expect(error?.code == .refused(.expired))
        _ = try await scene.answer(.redirected(try link(scene)), other).grant()
    }

    @Test("the verifier of a link sent before is not that of the next")
    func sentAgain() async throws {
        let scene = try Scene()
        let turn = try await begin(scene)
        let first = try link(scene)
        let again = try await scene.answer(.resend, turn)
        #expect(try link(scene) != first)
        await #expect(throws: AuthError.self) { try await scene.answer(.redirected(first), again) }
        _ = try await scene.answer(.redirected(try link(scene)), again).grant()
    }

    @Test(
        "an address that proves nothing leaves the sign-in open",
        arguments: [
            "http://127.0.0.1:8765/elsewhere?flow_id=f&approval_token=a", "http://127.0.0.1:8765/callback",
            "http://127.0.0.1:8765/callback?flow_id=f",
            "http://127.0.0.1:8765/callback?flow_id=f&flow_id=g&approval_token=a",
        ])
    func foreign(_ address: String) async throws {
        let scene = try Scene()
        let turn = try await begin(scene)
        await #expect(throws: StillOpen.self) { try await scene.answer(.redirected(Secret(address)), turn) }
        _ = try await scene.answer(.redirected(try link(scene)), turn).grant()
    }

    @Test("who has no mail address gets no link, and a redirect is needed")
    func refused() async throws {
        let scene = try Scene()
        let error = await #expect(throws: AuthError.self) {
            try await scene.begin(.signIn(.link(identifier: Scene.ada)))
        }
        #expect(error?.code == .configuration(.unsupported))
    }

    @Test("a company's people sign in there, by their address")
    func enterprise() async throws {
        let scene = try Scene { $0.users.append(.init(id: "user_eve", email: "eve@corp.example.test", password: nil)) }
        var options = SignInOptions()
        options.redirect = Self.redirect
        let turn = try await scene.begin(.signIn(.enterprise(domain: "eve@corp.example.test")), options)
        guard case .visit(let url, _) = try turn.challenge().ask else { throw Missing() }
        let response = try await scene.transport.send(TransportRequest("GET", url), deadline: .seconds(10))
        let address = Secret(try #require(response.fields["Location"]))
        let grant = try await scene.answer(.redirected(address), turn).grant()
        #expect(grant.sessions[0].label == "eve@corp.example.test")
        let missing = await #expect(throws: AuthError.self) {
            try await scene.begin(.signIn(.enterprise(domain: "corp.example.test")), options)
        }
        #expect(missing?.code == .configuration(.invalid))
        options.loginHint = "eve@corp.example.test"
        _ = try await scene.begin(.signIn(.enterprise(domain: "corp.example.test")), options).challenge()
        let other = await #expect(throws: AuthError.self) {
            try await scene.begin(.signIn(.enterprise(domain: "x@elsewhere.test")), options)
        }
        #expect(other?.code == .refused(.wrongInput))
    }
}
