import Latchkey
import LatchkeyDevServer
import LatchkeyOAuth
import LatchkeyTesting
import Testing

@Suite("sign-ins that name no person") struct UnnamedTests {
    private static let plain = ["read", "offline_access"]

    private static func apart(_ scene: PersonScene) throws -> AuthClient {
        var provider: OAuthProvider = .oauth(issuer: scene.server.issuer, clientID: "dev-native")
        provider.keepsUnnamedApart = true
        provider.revocationReach = .grant
        return try AuthClient.Builder().provider(provider).store(scene.store).transport(scene.network)
            .context(scene.context).build()
    }

    /// How many tokens the service was asked to revoke.
    private static func revoked(_ scene: PersonScene) -> Int { scene.count(.revocation) }

    @Test("the next one takes the place of the one before, which is revoked; after a sign-out nobody is signed in")
    func next() async throws {
        let scene = try PersonScene()
        let auth = try scene.process()
        let first = try await scene.signIn(auth, scopes: Self.plain)
        let second = try await scene.signIn(auth, as: "grace", scopes: Self.plain)
        #expect(first.account == second.account && first.account.isUnnamed && first.id != second.id)
        #expect(try await auth.accounts().map(\.id) == [second.account])
        try await auth.settleRevocations()
        #expect(Self.revoked(scene) == 1)
        #expect(try await auth.accessToken().value == second.tokens[.standard]?.value)
        #expect(try await auth.signOut() == .revoked)
        #expect(try await auth.accounts().isEmpty)
        #expect(Self.revoked(scene) == 2)
    }

    @Test("the same from another process, and from two at once: one session stays, and it is good")
    func processes() async throws {
        let scene = try PersonScene()
        let (one, two) = (try scene.process(), try scene.process())
        try await scene.signIn(one, scopes: Self.plain)
        async let first = scene.signIn(one, scopes: Self.plain)
        async let second = scene.signIn(two, scopes: Self.plain)
        let ids = [try await first.id, try await second.id]
        let third = try scene.process()
        #expect(try await third.accounts().count == 1)
        #expect(ids.contains(try await third.session().id))
        try await third.refresh()
        _ = try await third.signOut()
        #expect(try await third.accounts().isEmpty)
    }

    @Test("sessions that earlier versions kept apart are all ended by the next sign-in, named ones stay")
    func earlier() async throws {
        let scene = try PersonScene()
        let apart = try Self.apart(scene)
        let named = try await scene.signIn(apart, as: "grace")
        for _ in 0..<3 {
            let session = try await scene.signIn(apart, scopes: Self.plain)
            #expect(!session.account.isUnnamed)
        }
        #expect(try await apart.accounts().count == 4 && Self.revoked(scene) == 0)
        let auth = try scene.process()
        let last = try await scene.signIn(auth, scopes: Self.plain)
        #expect(Set(try await auth.accounts().map(\.id)) == [named.account, last.account])
        #expect(Self.revoked(scene) == 3)
        #expect(try await auth.accounts().first(where: \.isCurrent)?.id == last.account)
    }

    @Test("a sign-in that names the person takes the place of one that did not, and of nobody else's")
    func later() async throws {
        let scene = try PersonScene()
        let auth = try scene.process()
        let grace = try await scene.signIn(auth, as: "grace")
        try await scene.signIn(auth, scopes: Self.plain)
        let ada = try await scene.signIn(auth)
        #expect(Set(try await auth.accounts().map(\.id)) == [grace.account, ada.account])
        #expect(Self.revoked(scene) == 1)
        #expect(try await auth.accessToken().value == ada.tokens[.standard]?.value)
    }

    @Test("an app that keeps them apart has an account for each")
    func apart() async throws {
        let scene = try PersonScene()
        let auth = try Self.apart(scene)
        let first = try await scene.signIn(auth, scopes: Self.plain)
        let second = try await scene.signIn(auth, scopes: Self.plain)
        #expect(first.account != second.account && !first.account.isUnnamed)
        #expect(try await auth.accounts().count == 2 && Self.revoked(scene) == 0)
        #expect(try await auth.accessToken(of: first.account).value == first.tokens[.standard]?.value)
    }
}
