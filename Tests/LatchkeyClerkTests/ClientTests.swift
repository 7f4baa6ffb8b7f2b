import Latchkey
import LatchkeyDevServer
import LatchkeyTesting
import Testing

@testable import LatchkeyClerk

@Suite("Clerk behind a client") struct ClientTests {
    private func client(_ scene: Scene) throws -> AuthClient {
        try AuthClient.Builder().provider(scene.provider).store(.memory).transport(scene.transport).build()
    }

    @Test("two hundred callers for each of five tokens send five requests")
    func crowd() async throws {
        let scene = try Scene { $0.templates = ["a": 60, "b": 60, "c": 60, "d": 60] }
        let auth = try client(scene)
        _ = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
        let wants: [Audience] = [
            .template("a"), .template("b"), .template("c"), .template("d"), .organization("org_engines"),
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                for want in wants { group.addTask { _ = try await auth.accessToken(for: want) } }
            }
            try await group.waitForAll()
        }
        #expect(scene.transport.count("/tokens") == 5)
    }

    @Test("each person has a client of their own, and one leaves without the other")
    func two() async throws {
        let scene = try Scene { $0.rotation = .always }
        let auth = try client(scene)
        let ada = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
        let presenter = ScriptedPresenter { challenge in
            if case .choose = challenge.ask { return .choice("totp") }
            return .code(Scene.appCode)
        }
        _ = try await auth.converse(Scene.ofGrace, with: "clerk", asking: presenter)
        #expect(try await auth.accounts().count == 2)
        #expect(try await auth.signOut(of: ada.account) == .revoked)
        #expect(try await auth.accounts().map(\.label) == [Scene.grace])
        try await auth.refresh()
        #expect(scene.server.clerkSessionCount == 1)
    }

    @Test("a session that was ended elsewhere ends here, once the service has said so twice")
    func ended() async throws {
        let scene = try Scene()
        let auth = try client(scene)
        let session = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
        let token = try #require(scene.transport.requests.last?.fields["Authorization"])
        let credential = Credential(
            id: .init("c"), binding: scene.provider.rules.binding, refreshToken: Secret(token),
            sessions: [AuthSession(id: session.id, account: session.account)])
        try await scene.provider.revoke(Revocation(credential), in: scene.context)
        let error = await #expect(throws: AuthError.self) { try await auth.refresh() }
        #expect(error?.code == .signInRequired(.refused))
        #expect(scene.transport.count("/tokens") == 2)
    }
}
