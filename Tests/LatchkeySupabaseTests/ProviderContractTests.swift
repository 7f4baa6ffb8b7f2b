import Latchkey
import LatchkeyJSON
import LatchkeySupabase
import LatchkeyTesting
import Testing

@Suite("The Supabase provider keeps the provider's contract")
struct ProviderContractTests {
    /// A service that knows everybody, and wants a code of an app besides the password.
    private static func service() -> ScriptedTransport {
        let transport = ScriptedTransport()
        func always(_ method: String, _ path: String, _ body: JSON, _ status: Int = 200) {
            let answer = TransportResponse(status: status, body: body.serialized())
            transport.always(method, "https://abc.supabase.co/auth/v1\(path)", .answer(answer))
        }
        let factor: JSON = ["id": "f1", "factor_type": "totp", "status": "verified"]
        let raised = session(refresh: "refresh-2", claims: ["aal": "aal2"])
        always("POST", "/token?grant_type=password", session(refresh: "refresh-1", user: ["factors": [factor]]))
        always("POST", "/factors/f1/challenge", ["id": "c1"])
        always("POST", "/factors/f1/verify", raised)
        always("POST", "/otp", [:])
        always("POST", "/verify", raised)
        always("POST", "/token?grant_type=pkce", raised)
        always("POST", "/token?grant_type=refresh_token", raised)
        always("POST", "/logout", [:], 204)
        return transport
    }

    @Test("by password and an app's code, by a mail's code, and in a browser")
    func contract() async throws {
        typealias Way = ProviderContract<SupabaseProvider>.Conversation
        let ways = [
            Way(.signIn(.password(identifier: "ada@example.test", Secret("correct horse")))) { _ in
                .code(Secret("12345678"))
            },
            Way(.signIn(.code(identifier: "ada@example.test", over: .mail))) { _ in .code(Secret("12345678")) },
            Way(.signIn(.browser(connection: "github"))) { _ in .redirected(Secret("app://cb?code=abcdefgh")) },
        ]
        try await ProviderContract(ways, Self.setting).run()
    }

    @Test("from a password to a sign-out, over a restart and a session that is over")
    func wholeLife() async throws {
        let password = SignInMethod.password(identifier: "ada@example.test", Secret("correct horse"))
        let body: JSON = ["code": "session_not_found", "message": "no"]
        let gone = TransportResponse(
            status: 400, fields: ["X-Supabase-Api-Version": "2024-01-01"], body: body.serialized())
        let way = WholeLife<SupabaseProvider>.Conversation(.signIn(password)) { _ in .code(Secret("12345678")) }
        try await WholeLife(way, refused: .init(gone, is: .definite), Self.setting).run()
    }

    @Sendable private static func setting() -> ProviderContract<SupabaseProvider>.Setting {
        let provider: SupabaseProvider = .supabase(
            projectURL: "https://abc.supabase.co", publishableKey: "sb_publishable_k", redirect: "app://cb")
        return .init(
            provider, in: ProviderContext(world: .testing(), transport: service(), cache: KeepingCache()))
    }
}
