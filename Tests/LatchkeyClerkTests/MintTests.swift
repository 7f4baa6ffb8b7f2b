import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeyPluginKit
import Testing

@testable import LatchkeyClerk

@Suite("Session tokens") struct MintTests {
    @Test("are minted for the person, for an organization, and by a template")
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

    @Test("any answer may bring a new client token, which is kept")
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
        arguments: DevServer.Clerk.LastToken.allCases)
    func lastToken(_ place: DevServer.Clerk.LastToken) async throws {
        let scene = try Scene { $0.wantsLastToken = place }
        let credential = try await scene.credential()
        let change = try await scene.mint(of: credential)
        #expect(change.minted.count == 1)
        #expect(scene.transport.count("expired_token=") == (place == .query ? 1 : 0))
        #expect(scene.transport.count("/tokens") == (place == .query ? 3 : 2))
        var without = credential
        without.sessions[0].tokens = [:]
        // A mistake of the service's that is no word about the session.
        let error = await #expect(throws: AuthError.self) { try await scene.mint(of: without) }
        #expect(error?.code == .serviceTrouble)
    }

    @Test("an organization or template that there is not ends no session")
    func missing() async throws {
        let scene = try Scene()
        let credential = try await scene.credential()
        for audience in [Audience.organization("org_none"), .template("none")] {
            let error = await #expect(throws: Refusal.self) { try await scene.mint(audience, of: credential) }
            #expect(error?.kind == .unexplained)
        }
        _ = try await scene.mint(of: credential)
    }

    @Test("only a client without the session says that it is over, and what that brings is not kept")
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

    @Test("a session that is there is not given up for a 401 of the mint alone")
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
            #"{"object":"token","jwt":""}"#, "{}", #"{"jwt":"a.b.c"}"#,
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
