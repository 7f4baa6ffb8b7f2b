import Latchkey
import LatchkeyJSON
import LatchkeyOAuth
import Testing

/// What every server is checked for.
extension ServedApp {
    /// A sign-in with another code verifier is refused, by the server's answer `status`, and nobody is signed in.
    func checkWrongVerifier(status: Int) async throws {
        forgetVerifier()
        let code = await code { try await signIn() }
        guard case .refused = code else {
            Issue.record("the code is \(code?.name ?? "none")")
            return
        }
        #expect(tap.statuses("/token") == [status])
        #expect(try await restarted().accounts().isEmpty)
    }

    /// Two refreshes, the second in the next process, bring new tokens of both kinds. The last access token opens
    /// the user info at `path`.
    func checkRotation(userInfo path: String) async throws {
        try await signIn()
        let first = try await auth.accessToken()
        let second = try await auth.refresh()
        let third = try await restarted().refresh()
        #expect(Set(tap.refreshTokens).count == 3)
        #expect(Set([first, second, third].map { $0.value.revealText() }).count == 3)
        #expect(try await userInfo(third, at: path).status == 200)
    }

    /// The ID token says who it is at once, and the user info on demand, before and after a refresh. Both speak of one
    /// person, and the next process reads what this one was told.
    func checkClaims() async throws {
        try await signIn()
        let kept = try await auth.oauth().claims
        let asked = try await auth.oauth().refreshClaims()
        #expect(kept?.subject == asked.subject && asked.issuer == server.issuer)
        #expect((asked.json.object ?? [:]).count >= (kept?.json.object ?? [:]).count)
        let next = try restarted()
        #expect(try await next.oauth().claims == asked)
        _ = try await next.refresh()
        #expect(try await next.oauth().refreshClaims().subject == asked.subject)
        #expect(try await next.accounts().first?.id.value.hasSuffix(" \(asked.subject)") == true)
    }
}
