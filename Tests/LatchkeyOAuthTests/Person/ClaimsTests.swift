import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeyOAuth
import LatchkeyTesting
import Testing

@Suite("The person's claims") struct ClaimsTests {
    @Test("come with the sign-in, and are read offline, after the access token has ended, and by another process")
    func kept() async throws {
        let scene = try PersonScene()
        let auth = try await scene.signedIn()
        let kept = try await auth.oauth().claims
        let claims = try #require(kept)
        #expect(claims.issuer == scene.server.issuer && claims.subject == "user-ada")
        #expect(claims.name == "Ada Lovelace" && claims.email == "ada@example.test" && claims.isEmailVerified == true)
        #expect(claims.authenticatedAt == scene.clock.wall() && claims.locale == nil)
        #expect(scene.count(.userinfo) == 0)
        scene.server.stop()
        scene.clock.advance(by: .seconds(100_000))
        let next = try scene.process()
        #expect(try await next.oauth().claims == claims)
        #expect(next.currentToken() == nil)
    }

    @Test("are asked for anew on demand: what userinfo says counts over the ID token, and every process sees it")
    func refreshed() async throws {
        let scene = try PersonScene()
        let (auth, other) = (try await scene.signedIn(), try scene.process())
        _ = try await other.restore()
        scene.server.describe(subject: "user-ada", displayName: "Ada King", claims: ["department": ["id": 8]])
        let claims = try await auth.oauth().refreshClaims()
        #expect(claims.name == "Ada King" && claims.givenName == "Ada" && claims.familyName == "King")
        #expect(claims.birthdate == "1815-12-10" && claims.address?.locality == "London")
        #expect(claims["department"] == ["id": 8] && claims.others == ["department": ["id": 8]])
        #expect(claims.email == "ada@example.test" && claims.authenticatedAt != nil)
        #expect(try await auth.oauth().claims == claims)
        #expect(try await other.oauth().claims == claims)
        #expect(try await scene.process().oauth().claims == claims)
        #expect(scene.count(.userinfo) == 1 && scene.refreshes == 0)
    }

    @Test("what a newer ID token changes counts over an older answer of userinfo, and the rest of that stays")
    func renewed() async throws {
        let scene = try PersonScene()
        let auth = try await scene.signedIn()
        try await auth.oauth().refreshClaims()
        // An ID token that says what the last one said is no news.
        try await auth.refresh()
        #expect(try await auth.oauth().claims?.familyName == "Lovelace")
        scene.server.describe(subject: "user-ada", displayName: "Ada King")
        try await auth.refresh()
        let kept = try await scene.process().oauth().claims
        let claims = try #require(kept)
        #expect(claims.name == "Ada King" && claims.familyName == "Lovelace" && claims.locale == "en-GB")
        #expect(scene.count(.userinfo) == 1)
    }

    @Test("the label follows: a mail address that userinfo names is shown, by another process too")
    func label() async throws {
        let scene = try PersonScene()
        let auth = try await scene.signedIn(scopes: ["openid", "offline_access"])
        #expect(try await auth.accounts().first?.label == nil)
        #expect(scene.count(.userinfo) == 1)
        scene.network.answer(200, #"{"sub":"user-ada","email":"countess@example.test"}"#)
        try await auth.oauth().refreshClaims()
        #expect(try await auth.accounts().first?.label == "countess@example.test")
        #expect(try await scene.process().accounts().first?.label == "countess@example.test")
        // A refresh whose ID token names nobody takes the name away from nobody.
        try await auth.refresh()
        #expect(try await scene.process().accounts().first?.label == "countess@example.test")
        scene.network.answer(200, #"{"sub":"user-ada"}"#)
        #expect(try await auth.oauth().refreshClaims().email == nil)
    }

    @Test("a sign-in that has to ask userinfo for a name keeps what it was told")
    func asked() async throws {
        let scene = try PersonScene()
        scene.network.answer(200, #"{"sub":"user-ada","name":"Ada","nickname":"countess"}"#)
        let auth = try await scene.signedIn(scopes: ["openid", "offline_access"])
        #expect(try await auth.accounts().first?.label == "Ada")
        #expect(try await auth.oauth().claims?.nickname == "countess")
    }

    @Test("a token that userinfo refuses is refreshed once, and the call made once more")
    func refused() async throws {
        let scene = try PersonScene()
        let auth = try await scene.signedIn()
        scene.server.inject(DevServer.Fault(.status, at: .userinfo, status: 401))
        #expect(try await auth.oauth().refreshClaims().familyName == "Lovelace")
        #expect(scene.refreshes == 1 && scene.count(.userinfo) == 2)
    }

    @Test("an access token that has ended is refreshed first")
    func ended() async throws {
        let scene = try PersonScene()
        let auth = try await scene.signedIn()
        scene.clock.advance(by: .seconds(400))
        #expect(try await auth.oauth().refreshClaims().familyName == "Lovelace")
        #expect(scene.refreshes == 1 && scene.count(.userinfo) == 1)
    }

    @Test("signed claims are checked with the issuer's keys, also after it has changed them")
    func signed() async throws {
        let scene = try PersonScene { $0.signsUserInfo = true }
        let auth = try await scene.signedIn()
        let claims = try await auth.oauth().refreshClaims()
        #expect(claims.familyName == "Lovelace" && claims["aud"] == nil && claims["iss"] == nil)
        scene.server.rotateKeys(keepingOld: false)
        scene.clock.advance(by: .seconds(61))
        #expect(try await auth.oauth().refreshClaims() == claims)
    }

    @Test("a session that an earlier version stored has the claims of its ID token")
    func older() async throws {
        let scene = try PersonScene()
        let auth = try await scene.signedIn()
        let key = try #require(scene.store.keys(.credential).first)
        let stored = try #require(try scene.store.read(key))
        let text = String(decoding: stored.bytes, as: UTF8.self)
        #expect(!text.contains("\"userinfo\""))
        #expect(try await auth.oauth().claims?.email == "ada@example.test")
    }

    @Test("two people at one service are never mistaken for each other")
    func people() async throws {
        let scene = try PersonScene()
        let auth = try scene.process()
        let ada = try await scene.signIn(auth).account
        let grace = try await scene.signIn(auth, as: "grace").account
        #expect(auth.currentAccount == grace)
        #expect(try await auth.oauth(account: ada).refreshClaims().subject == "user-ada")
        #expect(try await auth.oauth().claims?.familyName == nil)
        #expect(try await auth.oauth().refreshClaims().familyName == "Hopper")
        #expect(try await auth.oauth(account: ada).claims?.familyName == "Lovelace")
    }

    @Test("without `openid` nobody is known, and nothing is sent to find out")
    func plain() async throws {
        let scene = try PersonScene()
        let auth = try await scene.signedIn(scopes: ["read", "offline_access"])
        #expect(try await auth.oauth().claims == nil)
        let error = try await trouble { try await auth.oauth().refreshClaims() }
        #expect(error.code == .configuration(.unsupported) && error.message.contains("`openid`"))
        #expect(scene.count(.userinfo) == 0)
    }
}
