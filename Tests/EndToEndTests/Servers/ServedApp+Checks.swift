import Latchkey
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
}
