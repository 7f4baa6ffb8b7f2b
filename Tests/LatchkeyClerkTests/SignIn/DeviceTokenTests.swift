import Latchkey
import LatchkeyDevServer
import LatchkeyTesting
import Testing

@testable import LatchkeyClerk

@Suite("Moving from clerk-ios") struct DeviceTokenTests {
    private func client(_ scene: Scene) throws -> AuthClient {
        try AuthClient.Builder().provider(scene.provider).store(.memory).transport(scene.transport).build()
    }

    /// A client that two people are on, as another library left it: its token.
    private func elsewhere(_ scene: Scene) async throws -> Secret {
        let auth = try client(scene)
        _ = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
        let app = ScriptedPresenter { challenge in
            if case .choose = challenge.ask { return .choice("totp") }
            return .code(Scene.appCode)
        }
        _ = try await auth.converse(Scene.ofGrace, with: "clerk", asking: app)
        let last = scene.transport.requests.last { $0.url.contains("/client?") }
        return try Secret(#require(last?.fields["Authorization"]))
    }

    @Test("all who are signed in there are signed in here, on the same client, and each leaves alone")
    func moved() async throws {
        let scene = try Scene()
        let token = try await elsewhere(scene)
        let auth = try client(scene)
        _ = try await auth.signIn(with: "clerk", .clerkDeviceToken(token))
        #expect(Set(try await auth.accounts().compactMap(\.label)) == [Scene.ada, Scene.grace])
        #expect(scene.server.clerkClientCount == 1 && scene.server.clerkSessionCount == 2)
        for account in try await auth.accounts() { try await auth.refresh(of: account.id) }
        let grace = try #require(try await auth.accounts().first { $0.label == Scene.grace })
        #expect(try await auth.signOut(of: grace.id) == .revoked)
        try await auth.refresh()
        #expect(try await auth.accounts().map(\.label) == [Scene.ada])
        #expect(scene.server.clerkSessionCount == 1)
    }

    @Test("the token may be replaced by the first answer")
    func replaced() async throws {
        let scene = try Scene { $0.rotation = .always }
        let token = try #require(try await scene.credential().refreshToken)
        let auth = try client(scene)
        let session = try await auth.signIn(with: "clerk", .clerkDeviceToken(token))
        #expect(session.label == Scene.ada)
        try await auth.refresh()
        let sent = scene.transport.requests.count
        let error = await #expect(throws: AuthError.self) {
            try await auth.signIn(with: "clerk", .clerkDeviceToken(token))
        }
        #expect(error?.code == .configuration(.invalid) && scene.transport.requests.count == sent)
        #expect(try await auth.signOut() == .revoked && scene.server.clerkSessionCount == 0)
    }

    @Test("what is no token is refused before it is sent", arguments: ["", "a b", "a\nb", "ü"])
    func malformed(_ text: String) async throws {
        let scene = try Scene()
        let auth = try client(scene)
        let error = await #expect(throws: AuthError.self) {
            try await auth.signIn(with: "clerk", .clerkDeviceToken(Secret(text)))
        }
        #expect(error?.code == .configuration(.invalid) && scene.transport.requests.isEmpty)
    }

    @Test("an old token brings nobody, and says so")
    func old() async throws {
        let scene = try Scene()
        let token = try await elsewhere(scene)
        let auth = try client(scene)
        _ = try await auth.signIn(with: "clerk", .clerkDeviceToken(token))
        try await auth.signOut()
        let later = try client(scene)
        let error = await #expect(throws: AuthError.self) {
            try await later.signIn(with: "clerk", .clerkDeviceToken(Secret("\(token.revealText())x")))
        }
        #expect(error?.code == .signInRequired(.expired))
        #expect(try await later.accounts().isEmpty)
    }
}
