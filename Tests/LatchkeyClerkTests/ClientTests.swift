import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyClerk

@Suite("Clerk behind a client") struct ClientTests {
    private func client(_ scene: Scene) throws -> AuthClient {
        try AuthClient.Builder().provider(scene.provider).store(.memory).transport(scene.transport).build()
    }

    /// The service, except that its client has no session, or no form.
    private struct BentClient: HTTPTransport {
        let inner: NotedTransport
        let body: String

        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            let answer = try await inner.send(request, deadline: deadline)
            guard request.method == "GET", request.url.contains("/v1/client?") else { return answer }
            return TransportResponse(status: 200, fields: answer.fields, body: Array(body.utf8))
        }
    }

    @Test(
        "the session of a sign-in that is refused is ended at the service",
        arguments: [#"{"response":{"object":"client","id":"c","sessions":[]}}"#, #"{"response":{"object":"client"}}"#])
    func refused(_ body: String) async throws {
        let scene = try Scene()
        let auth = try AuthClient.Builder().provider(scene.provider).store(.memory)
            .transport(BentClient(inner: scene.transport, body: body)).build()
        let error = await #expect(throws: AuthError.self) {
            _ = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
        }
        #expect(error?.refusedTokens == .revoked && scene.server.clerkSessionCount == 0, "\(error?.message ?? "")")
    }

    @Test("two hundred callers for each of five tokens send five requests", .need("R4"), .complaint(.clerk, 1, 6, 26))
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

    @Test("a wrong organization or template is told to who asked, and the next token is there at once")
    func mistyped() async throws {
        let scene = try Scene()
        let auth = try client(scene)
        _ = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
        for wrong in [Audience.organization("org_none"), .template("none")] {
            let error = await #expect(throws: AuthError.self) { try await auth.accessToken(for: wrong) }
            #expect(error?.code == .refused(.denied))
        }
        try await auth.refresh()
        _ = try await auth.accessToken(for: .organization("org_engines"))
    }

    /// Answers with what the app shows.
    private var app: ScriptedPresenter {
        ScriptedPresenter { challenge in
            if case .choose = challenge.ask { return .choice("totp") }
            return .code(Scene.appCode)
        }
    }

    @Test("two people are on one client, and one leaves without the other, though every answer replaces its token")
    func two() async throws {
        let scene = try Scene { $0.rotation = .always }
        let auth = try client(scene)
        let ada = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
        _ = try await auth.converse(Scene.ofGrace, with: "clerk", asking: app)
        #expect(try await auth.accounts().count == 2)
        #expect(scene.server.clerkClientCount == 1 && scene.server.clerkSessionCount == 2)
        for account in try await auth.accounts() { try await auth.refresh(of: account.id) }
        #expect(try await auth.signOut(of: ada.account) == .revoked)
        #expect(try await auth.accounts().map(\.label) == [Scene.grace])
        try await auth.refresh()
        #expect(scene.server.clerkSessionCount == 1)
    }

    @Test(
        "who signs in while others use the client goes on with the token of the moment at each step",
        .complaint(.clerk, 7))
    func meanwhile() async throws {
        let scene = try Scene { $0.rotation = .always }
        let auth = try client(scene)
        let ada = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
        guard case .asked(let first) = try await auth.begin(Scene.ofGrace, with: "clerk") else { throw Missing() }
        _ = try await auth.clerk(account: ada.account).me()
        try await auth.refresh(of: ada.account)
        let other = try await auth.answer(.choice("totp"), to: first.id)
        guard case .asked(let second) = other else { throw Missing() }
        _ = try await auth.clerk(account: ada.account).me()
        guard case .signedIn(let grace) = try await auth.answer(.code(Scene.appCode), to: second.id) else {
            throw Missing()
        }
        #expect(scene.server.clerkClientCount == 1)
        for account in [ada.account, grace.account] { try await auth.refresh(of: account) }
    }

    @Test("a sign-in that began before anybody was there keeps its client, beside the one of the others")
    func before() async throws {
        let scene = try Scene()
        let auth = try client(scene)
        guard case .asked(let first) = try await auth.begin(Scene.ofGrace, with: "clerk") else { throw Missing() }
        let ada = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
        guard case .asked(let second) = try await auth.answer(.choice("totp"), to: first.id),
            case .signedIn(let grace) = try await auth.answer(.code(Scene.appCode), to: second.id)
        else { throw Missing() }
        #expect(scene.server.clerkClientCount == 2)
        for account in [ada.account, grace.account] { try await auth.refresh(of: account) }
        _ = try await auth.signOut(of: grace.account)
        _ = try await auth.signOut(of: ada.account)
        #expect(scene.server.clerkSessionCount == 0)
    }

    @Test("who signs in again is taken to the session that is there, and to none that was left", .complaint(.clerk, 13))
    func again() async throws {
        let scene = try Scene()
        let auth = try client(scene)
        let ada = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
        _ = try await auth.converse(Scene.ofGrace, with: "clerk", asking: app)
        let again = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
        #expect(again.id == ada.id && auth.currentAccount == ada.account && scene.server.clerkSessionCount == 2)
        // Ada leaves, and the service cannot be told.
        scene.server.configureClerk { $0.isInMaintenance = true }
        #expect(try await auth.signOut(of: ada.account) == .revocationQueued)
        scene.server.configureClerk { $0.isInMaintenance = false }
        let error = await #expect(throws: AuthError.self) {
            try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("wrong")))
        }
        #expect(error?.code == .refused(.other))
        #expect(try await auth.accounts().map(\.label) == [Scene.grace])
    }

    @Test(
        "a client that the service makes up for a token that it has forgotten never takes the place of the others'",
        .complaint(.clerk, 8))
    func trap() async throws {
        let scene = try Scene { $0.rotation = .always }
        let auth = try client(scene)
        let ada = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
        let stale = try #require(scene.transport.requests.last?.fields["Authorization"])
        _ = try await auth.clerk(account: ada.account).me()
        let session = AuthSession(id: ada.id, account: ada.account)
        var credential = Credential(
            id: .init("c"), binding: scene.provider.rules.binding, refreshToken: Secret(stale), sessions: [session])
        credential.state = ["client": "client_of_ada"]
        var context = scene.context
        context.shared = credential
        let grant = try await scene.provider.begin(
            .signIn(.password(identifier: Scene.ada, Secret("ada-password"))), SignInOptions(), in: context
        ).grant()
        #expect(grant.shared == nil && grant.refreshToken?.revealText() != stale)
        try await auth.refresh(of: ada.account)
    }

    @Test("a session that was ended elsewhere ends here, once the service has said so twice", .complaint(.clerk, 9))
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
