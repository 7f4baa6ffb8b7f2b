import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore
import LatchkeyTesting
import Testing

@testable import LatchkeyOAuth

@Suite("Taking over a session by its refresh token")
struct TakeOverTests {
    private let provider = OAuthProvider(issuer: Speaker.issuer, clientID: "app")

    private func takeOver(_ status: Int, _ body: JSON) async throws -> (Grant?, Speaker) {
        let speaker = Speaker { _ in Speaker.json(status, body) }
        let context = ProviderContext(world: .testing(), transport: speaker, cache: KeepingCache())
        let turn = try await provider.begin(.signIn(.refreshToken(Secret("kept"))), SignInOptions(), in: context)
        guard case .signedIn(let grant) = turn else { return (nil, speaker) }
        return (grant, speaker)
    }

    @Test("a service without new refresh tokens and ID tokens: the old one stays, and nobody is named")
    func plain() async throws {
        let (grant, speaker) = try await takeOver(200, ["access_token": "a", "token_type": "Bearer", "scope": "read"])
        let signedIn = try #require(grant)
        #expect(signedIn.refreshToken == Secret("kept") && signedIn.sessions.first?.label == nil)
        #expect(speaker.posts.map(\.path) == ["/token"])
        #expect(speaker.posts.first?.form["grant_type"] == "refresh_token")
        #expect(speaker.posts.first?.form["refresh_token"] == "kept")
    }

    @Test("the refresh token that the service sends is kept in place of the old one")
    func rotated() async throws {
        let (grant, _) = try await takeOver(
            200, ["access_token": "a", "token_type": "Bearer", "refresh_token": "new", "scope": "read"])
        #expect(grant?.refreshToken == Secret("new"))
    }

    @Test(
        "a token that the service refuses, or an answer that is none, signs nobody in",
        arguments: [
            (400, ["error": "invalid_grant"], AuthError.Code.refused(.expired)),
            (401, ["error": "invalid_client"], .configuration(.clientRefused)), (503, [:], .serviceTrouble),
            (200, ["access_token": "a", "token_type": "Other"], .untrusted(.malformed)),
            (200, ["access_token": "a", "token_type": "Bearer", "id_token": "x.y.z"], .untrusted(.malformed)),
            (200, ["error": "invalid_grant", "refresh_token": "new"], .refused(.expired)),
        ] as [(Int, JSON, AuthError.Code)])
    func refused(status: Int, body: JSON, code: AuthError.Code) async throws {
        let error = await #expect(throws: AuthError.self) { _ = try await takeOver(status, body) }
        #expect(error?.code == code)
        #expect(error?.message.contains("kept") == false)
    }

    @Test(
        "once the service has given a new refresh token, that one is kept, whatever else is wrong",
        arguments: [
            ["access_token": "a", "token_type": "Other", "refresh_token": "new"],
            ["access_token": "a", "token_type": "Bearer", "id_token": "x.y.z", "refresh_token": "new"],
            ["token_type": "Bearer", "refresh_token": "new"], ["access_token": 7, "refresh_token": "new"],
        ] as [JSON])
    func spent(_ body: JSON) async throws {
        let (grant, _) = try await takeOver(200, body)
        let signedIn = try #require(grant)
        #expect(signedIn.refreshToken == Secret("new"))
        #expect(signedIn.sessions.first?.tokens.isEmpty == true && signedIn.sessions.first?.label == nil)
    }
}
