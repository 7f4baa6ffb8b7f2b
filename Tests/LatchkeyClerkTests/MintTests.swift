import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeyPluginKit
import Proofs
import Testing

@testable import LatchkeyClerk

@Suite("Session tokens") struct MintTests {
    @Test("are minted for the person, for an organization, and by a template", .need("R4"))
    func audiences() async throws {
        let scene = try Scene()
        let credential = try await scene.credential()
        for (audience, lasts) in [
            (Audience.standard, 60), (.organization("org_engines"), 60), (.template("backend"), 120),
        ] {
            let change = try await scene.mint(audience, of: credential)
            let token = try #require(change.minted.values.first?[audience])
            let claims = try TokenClaims(of: token.value)
            #expect((claims["o"]?["id"]?.string == "org_engines") == (audience.clerkOrganization != nil))
            #expect((claims["template"]?.string == "backend") == (audience.clerkTemplate != nil))
            let lifetime = try #require(token.lifetime).lasts
            #expect(lifetime <= .seconds(lasts) && lifetime > .seconds(lasts - 5))
            #expect(change.refreshToken == nil && change.sessions == nil)
        }
    }

    @Test("what is neither is refused before anything is sent")
    func foreign() async throws {
        let scene = try Scene()
        let credential = try await scene.credential()
        let before = scene.transport.requests.count
        await #expect(throws: NotSent.self) { try await scene.mint("https://api.example.com", of: credential) }
        #expect(scene.transport.requests.count == before)
    }

    @Test("any answer may bring a new client token, which is kept", .complaint(.clerk, 21))
    func rotation() async throws {
        let scene = try Scene { $0.rotation = .always }
        var credential = try await scene.credential()
        for _ in 1...3 {
            let change = try await scene.mint(of: credential)
            #expect(change.refreshToken != nil && change.refreshToken != credential.refreshToken)
            credential.refreshToken = change.refreshToken
        }
    }

    @Test(
        "an instance that wants the token before gets it, in the query only where the form is not enough",
        .complaint(.clerk, 2, 23),
        arguments: DevServer.Clerk.LastToken.allCases)
    func lastToken(_ place: DevServer.Clerk.LastToken) async throws {
        let scene = try Scene { $0.wantsLastToken = place }
        let credential = try await scene.credential()
        let change = try await scene.mint(of: credential)
        #expect(change.minted.count == 1)
        #expect(scene.transport.count("expired_token=") == (place == .query ? 1 : 0))
        #expect(scene.transport.count("/tokens") == (place == .query ? 3 : 2))
        // A program that has just started holds none, and asks the service for it.
        var without = credential
        without.sessions[0].tokens = [:]
        #expect(try await scene.mint(of: without).minted.count == 1)
        #expect(scene.transport.count("/client?") > 0)
        // A service that knows none either makes a mistake, which is no word about a session that is there.
        let there = #"[{"id":"\#(credential.sessions[0].id.value)","status":"active"}]"#
        scene.transport.answer { Self.client($0, there) }
        let error = await #expect(throws: AuthError.self) { try await scene.mint(of: without) }
        #expect(error?.code == .serviceTrouble)
        // One that is over has none.
        scene.transport.answer { Self.client($0, "[]") }
        let refusal = await #expect(throws: Refusal.self) { try await scene.mint(of: without) }
        #expect(refusal?.kind == .definite && refusal?.issuedNothing == true)
    }

    private static func client(_ request: TransportRequest, _ sessions: String) -> TransportResponse? {
        guard request.url.contains("/client?") else { return nil }
        let body = #"{"response":{"object":"client","id":"client_1","sessions":\#(sessions)}}"#
        return TransportResponse(status: 200, body: Array(body.utf8))
    }

    @Test("an instance whose environment says so gets the previous token with the first request of a new process")
    func environmentSaysSo() async throws {
        let scene = try Scene { $0.mintsAtEdge = true }
        var credential = try await scene.credential()
        let last = try #require(credential.sessions[0].tokens[.standard])
        credential.sessions[0].tokens = [:]
        scene.transport.answer { request in
            guard request.url.contains("/v1/environment") else { return nil }
            return TransportResponse(status: 200, body: Array(#"{"auth_config":{"session_minter":true}}"#.utf8))
        }
        let context = scene.context
        for _ in 1...2 {
            let session = credential.sessions[0].id
            let change = try await scene.provider.refresh(
                credential, for: TokenWant(session: session, audience: .standard), in: context)
            #expect(change.minted[session]?[.standard] != nil)
        }
        let mints = scene.transport.requests.filter { $0.url.contains("/tokens") }
        #expect(mints.count == 2)
        #expect(mints.allSatisfy { String(decoding: $0.body ?? [], as: UTF8.self).contains("token=") })
        #expect(!mints.contains { $0.url.contains(last.value.revealText()) })
        #expect(scene.transport.count("/v1/environment") == 1)
    }

    @Test(
        "a mint that is refused by a code that nobody knows is tried with the previous token, and is no outage",
        arguments: [400, 422])
    func unknownRefusal(_ status: Int) async throws {
        let scene = try Scene()
        let credential = try await scene.credential()
        scene.transport.answer { request in
            let body = String(decoding: request.body ?? [], as: UTF8.self)
            guard request.url.contains("/tokens"), !body.contains("token=") else { return nil }
            return TransportResponse(status: status, body: Array(#"{"errors":[{"code":"minter_new"}]}"#.utf8))
        }
        #expect(try await scene.mint(of: credential).minted.count == 1)
        scene.transport.answer { request in
            guard request.url.contains("/tokens") else { return nil }
            return TransportResponse(status: status, body: Array(#"{"errors":[{"code":"minter_new"}]}"#.utf8))
        }
        let refusal = await #expect(throws: Refusal.self) { try await scene.mint(of: credential) }
        #expect(refusal?.kind == .unexplained && refusal?.code == "minter_new")
    }

    @Test(
        "where the edge mints, the token before is brought along, and one that is no newer is asked for at the origin",
        .complaint(.clerk, 23))
    func edge() async throws {
        let scene = try Scene { $0.mintsAtEdge = true }
        let credential = try await scene.credential()
        let old = try #require(credential.sessions[0].tokens[.standard])
        let session = credential.sessions[0].id
        func refresh(_ provider: ClerkProvider, after: AccessToken?) async throws -> AccessToken? {
            try await provider.refresh(
                credential, for: TokenWant(session: session, audience: .standard, newerThan: after), in: scene.context
            ).minted[session]?[.standard]
        }
        // Without the flag the edge's own demand is met, and what it gives is taken.
        #expect(try await refresh(scene.provider, after: old)?.value == old.value)
        var provider = scene.provider
        provider.usesSessionMinter = true
        let before = scene.transport.count("/tokens")
        #expect(try await refresh(provider, after: nil)?.value == old.value)
        #expect(scene.transport.count("/tokens") == before + 1)
        let newer = try #require(try await refresh(provider, after: old))
        #expect(newer.value != old.value && scene.transport.count("/tokens") == before + 3)
        let bodies = scene.transport.requests.suffix(2).map { String(decoding: $0.body ?? [], as: UTF8.self) }
        #expect(bodies.map { $0.contains("force_origin=true") } == [false, true])
        #expect(bodies.allSatisfy { $0.contains("token=") })
        #expect(scene.transport.count("expired_token=") == 0)
    }

    @Test("what the origin said later is newer, whenever the edge minted it")
    func age() throws {
        func token(_ header: JSON, _ iat: Int64) -> AccessToken {
            let claims: JSON = ["sub": "user_1", "iat": .integer(iat), "exp": .integer(iat + 60)]
            let parts = [header, claims].map { Base64URL.encode($0.serialized()) }
            return AccessToken(Secret(parts.joined(separator: ".") + ".c2ln"), lifetime: nil)
        }
        let early = TokenAge(token(["alg": "RS256", "oiat": 100], 190))
        let late = TokenAge(token(["alg": "RS256", "oiat": 150], 160))
        #expect(early < late && TokenAge(token(["alg": "RS256"], 140)) < late)
        #expect(early < TokenAge(token(["alg": "RS256", "oiat": 100], 191)))
    }

    @Test("an organization or template that there is not ends no session", .complaint(.clerk, 2))
    func missing() async throws {
        let scene = try Scene()
        let credential = try await scene.credential()
        for audience in [Audience.organization("org_none"), .template("none")] {
            let error = await #expect(throws: NotSent.self) { try await scene.mint(audience, of: credential) }
            #expect(error?.error.code == .refused(.denied) && error?.error.serviceCode != nil)
        }
        _ = try await scene.mint(of: credential)
        // Over is over, whatever was asked for.
        try await scene.provider.revoke(Revocation(credential), in: scene.context)
        let over = await #expect(throws: Refusal.self) { try await scene.mint(.template("none"), of: credential) }
        #expect(over?.kind == .definite)
    }

    @Test(
        "only a client without the session says that it is over, and what that brings is not kept",
        .complaint(.clerk, 8))
    func over() async throws {
        let scene = try Scene()
        let credential = try await scene.credential()
        try await scene.provider.revoke(Revocation(credential), in: scene.context)
        #expect(scene.server.clerkSessionCount == 0)
        let error = await #expect(throws: Refusal.self) { try await scene.mint(of: credential) }
        #expect(error?.kind == .definite)
        // Once more: it knows no such session, which is all that was wanted.
        try await scene.provider.revoke(Revocation(credential), in: scene.context)
    }

    @Test("a session that is there is not given up for a 401 of the mint alone", .complaint(.clerk, 2))
    func mistaken() async throws {
        let scene = try Scene()
        let credential = try await scene.credential()
        let body = #"{"errors":[{"code":"authentication_invalid"}]}"#
        scene.transport.answer { request in
            request.url.contains("/tokens") ? TransportResponse(status: 401, body: Array(body.utf8)) : nil
        }
        let error = await #expect(throws: Refusal.self) { try await scene.mint(of: credential) }
        #expect(error?.kind == .unexplained)
    }

    @Test(
        "a token of somebody else, of another session, or none is not taken",
        arguments: [
            #"{"object":"token","jwt":""}"#, #"{"jwt":"a.b.c"}"#,
            #"{"jwt":"eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1c2VyX2V2ZSIsImV4cCI6NDA3MDkwODgwMCwiaWF0IjoxfQ.c2ln"}"#,
        ])
    func untrusted(_ body: String) async throws {
        let scene = try Scene()
        let credential = try await scene.credential()
        scene.transport.answer { request in
            request.url.contains("/tokens") ? TransportResponse(status: 200, body: Array(body.utf8)) : nil
        }
        let error = await #expect(throws: AuthError.self) { try await scene.mint(of: credential) }
        guard case .untrusted = error?.code else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "what is not of the service's form is something else's answer, and says nothing about the session",
        arguments: [200, 302, 400, 401, 403, 404, 407, 500],
        ["{}", "[]", "", "<html>Welcome</html>", #"{"message":"Forbidden"}"#])
    func foreign(_ status: Int, _ body: String) async throws {
        let scene = try Scene()
        let credential = try await scene.credential()
        scene.transport.answer { request in
            request.url.contains("/tokens") ? TransportResponse(status: status, body: Array(body.utf8)) : nil
        }
        let error = await #expect(throws: AuthError.self) { try await scene.mint(of: credential) }
        #expect(error?.recovery == .retryLater && error?.foreign?.status == status)
    }

    @Test("a client token that cannot stand in a header is not sent")
    func header() async throws {
        let scene = try Scene()
        var credential = try await scene.credential()
        credential.refreshToken = Secret("a\r\nb: c")
        let before = scene.transport.requests.count
        await #expect(throws: NotSent.self) { try await scene.mint(of: credential) }
        #expect(scene.transport.requests.count == before)
    }
}
