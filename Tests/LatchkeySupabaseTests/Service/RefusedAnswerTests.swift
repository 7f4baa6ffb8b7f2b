import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

@testable import LatchkeySupabase

@Suite("An answer with tokens that cannot be used") struct RefusedAnswerTests {
    private static let tokens: [String: JSON] = [
        "access_token": "a.b.c", "refresh_token": "r", "token_type": "bearer", "expires_in": 3_600,
    ]

    /// What the project answers to a sign-in, and the tokens that are handed back then.
    private func refused(_ body: [String: JSON]) async throws -> Credential? {
        let scene = Scene()
        scene.expect("POST", "/token?grant_type=password", 200, .object(body))
        let context = scene.context
        await #expect(throws: AuthError.self) {
            _ = try await scene.provider.begin(
                .signIn(.password(identifier: "ada@example.test", Secret("correct horse"))), SignInOptions(),
                in: context)
        }
        return context.takeGivenBack()
    }

    @Test("at a sign-in they are handed back, to be revoked", arguments: ["token_type", "expires_in", "user"])
    func signIn(_ name: String) async throws {
        var body = Self.tokens
        body["user"] = ["id": "person-1"]
        body[name] = ["token_type": "mac", "expires_in": "soon", "user": [:]][name]
        let back = try #require(try await refused(body))
        #expect(back.refreshToken == Secret("r"))
        #expect(back.sessions.first?.tokens[.standard]?.value == Secret("a.b.c"))
    }

    @Test("an answer without an access token, which alone ends a session here, hands nothing back")
    func nothing() async throws {
        var body = Self.tokens
        body["access_token"] = nil
        #expect(try await refused(body) == nil)
    }
}
