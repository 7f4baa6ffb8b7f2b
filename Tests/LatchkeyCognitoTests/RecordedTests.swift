import FoundationEssentials
import Latchkey
import LatchkeyCognito
import LatchkeyJSON
import LatchkeyTesting
import Testing

@Suite("What moto said to a user pool's client")
struct RecordedTests {
    let transport: RecordedTransport
    let provider: CognitoProvider
    let context: ProviderContext
    let code: Secret

    init() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let bytes = Array(try Data(contentsOf: folder.appending(path: "Recorded/moto.json")))
        let recording = JSONField(try JSON.parse(bytes))
        // The operation is in a header, so a request is told by those members that others do not have.
        let members = [
            "AuthFlow", "AuthParameters", "ChallengeName", "ChallengeResponses", "Username", "UserCode", "Session",
            "AccessToken", "Token", "ClientId",
        ]
        transport = try RecordedTransport(bytes, matching: members)
        var provider = CognitoProvider.cognito(
            userPool: try recording["pool"].string(), clientID: try recording["client"].string())
        provider.endpoint = "http://127.0.0.1:18231"
        self.provider = provider
        context = ProviderContext(world: .testing(), transport: transport, cache: KeepingCache())
        code = Secret(try recording["code"].string())
    }

    private func signIn(_ user: String, _ password: String) async throws -> Turn {
        let request = SignInRequest.signIn(.password(identifier: user, Secret(password)))
        return try await provider.begin(request, SignInOptions(), in: context)
    }

    private func answer(_ answer: Answer, _ turn: Turn) async throws -> Turn {
        try await provider.answer(answer, to: try #require(turn.challenge), in: context)
    }

    @Test("comes from the first password to an app's code, to tokens, and to their end")
    func life() async throws {
        #expect(await failure { try await signIn("ada", "Wrong-word-1") }?.code == .refused(.wrongInput))
        #expect(await failure { try await signIn("nobody", "Wrong-word-1") }?.code == .refused(.wrongInput))
        let temporary = try await signIn("ada", "Temporary-1")
        #expect(temporary.ask == .fields([.newPassword("password")]))
        let weak = await failure { try await answer(.fields(["password": Secret("short")]), temporary) }
        #expect(weak?.code == .refused(.passwordNotAccepted))
        let enrolment = try await answer(.fields(["password": Secret("Permanent-1")]), temporary)
        guard case .enrolment(let shown) = enrolment.ask else { throw Unexpected() }
        #expect(shown.key == "asdfasdfasdf")
        let wrong = await failure { try await answer(.code(Secret("000000")), enrolment) }
        #expect(wrong?.code == .refused(.wrongInput))
        #expect(try await answer(.code(code), enrolment).grant != nil)

        let factor = try await signIn("ada", "Permanent-1")
        #expect(factor.ask == .totp)
        #expect(await failure { try await answer(.code(Secret("000000")), factor) }?.code == .refused(.wrongInput))
        let grant = try #require(try await answer(.code(code), factor).grant)
        let credential = Credential(
            id: Credential.ID("c"), binding: provider.rules.binding, refreshToken: grant.refreshToken,
            sessions: grant.sessions)
        let want = TokenWant(session: grant.current)
        let change = try await provider.refresh(credential, for: want, in: context)
        #expect(change.refreshToken == nil)
        #expect(change.minted[grant.current]?[.standard]?.value.isEmpty == false)
        try await provider.revoke(Revocation(credential, scope: .everywhere), in: context)
        let refusal = await #expect(throws: Refusal.self) {
            _ = try await provider.refresh(credential, for: want, in: context)
        }
        #expect(refusal?.kind == .definite)
        try transport.verifyKnown()
    }

    @Test("comes from a sign-up to a confirmed account, and from a lost password to a new one")
    func accounts() async throws {
        let form = SignUpForm(
            identifier: "bob", password: Secret("Password-1"), fields: ["email": "bob@example.test"])
        let signUp = try await provider.begin(.signUp(form), SignInOptions(), in: context)
        guard case .code = signUp.ask else { throw Unexpected() }
        let unconfirmed = try await signIn("bob", "Password-1")
        let password = try await answer(.code(Secret("123456")), unconfirmed)
        #expect(password.ask == .password)
        #expect(try await answer(.password(Secret("Password-1")), password).grant != nil)
        let again = await failure { try await provider.begin(.signUp(form), SignInOptions(), in: context) }
        #expect(again?.code == .refused(.other))
        let reset = try await provider.begin(.recover(identifier: "bob"), SignInOptions(), in: context)
        func fields(_ code: String) -> [String: Secret] { ["code": Secret(code), "password": Secret("Password-2")] }
        let wrong = await failure { try await answer(.fields(fields("moto-confirmation-code:1")), reset) }
        #expect(wrong?.code == .refused(.expired))
        #expect(try await answer(.fields(fields("123456")), reset).grant != nil)
        try transport.verifyKnown()
    }
}
