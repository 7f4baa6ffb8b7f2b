import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeySupabase

/// The provider with the engine around it.
@Suite("Supabase through the client")
struct ClientTests {
    static let password = SignInMethod.password(identifier: "ada@example.test", Secret("correct horse"))

    @Test("whoever has a factor is asked for it, and an app needs no code of its own for that")
    func factors() async throws {
        let stage = try Stage.halfWay()
        stage.scene.refuse("POST", "/factors/f-totp/verify", 422, "mfa_verification_failed")
        stage.scene.expect("POST", "/factors/f-totp/verify", 200, FactorTests.raised)
        let person = ScriptedPresenter(.answer(.code(Secret("000000"))), .answer(.code(Secret("123456"))))
        let signedIn = try await stage.client.signIn(with: "supabase", Self.password, asking: person)
        #expect(person.challenges.map(\.ask) == [.totp, .totp])
        #expect(signedIn.supabaseUser?.factors.map(\.id) == ["f-totp"])
        stage.scene.expect("POST", TokenRefreshTests.path, 200, session(refresh: "r-next", claims: ["aal": "aal2"]))
        try await stage.client.refresh()
        #expect(stage.scene.bodies.last == ["refresh_token": "r-aal2"])
        try stage.scene.transport.verifyFinished()
    }

    @Test("whoever declines is logged out of the half-way session, and nothing of it is stored")
    func declined() async throws {
        let stage = try Stage.halfWay()
        stage.scene.expect("POST", "/logout?scope=local", 204)
        let person = ScriptedPresenter(.answer(.declined))
        let error = try await trouble {
            _ = try await stage.client.signIn(with: "supabase", Self.password, asking: person)
        }
        #expect(error.code == .declined)
        try stage.scene.transport.verifyFinished()
        #expect(try await stage.client.accounts().isEmpty)
        #expect(try await stage.client.pendingChallenges().isEmpty)
    }

    @Test("whoever mistypes three times is logged out of the half-way session too")
    func mistyped() async throws {
        let stage = try Stage.halfWay()
        for _ in 0..<3 { stage.scene.refuse("POST", "/factors/f-totp/verify", 422, "mfa_verification_failed") }
        stage.scene.expect("POST", "/logout?scope=local", 204)
        let person = ScriptedPresenter(answering: { _ in .code(Secret("000000")) })
        let error = try await trouble {
            _ = try await stage.client.signIn(with: "supabase", Self.password, asking: person)
        }
        #expect(error.code == .refused(.wrongInput) && person.challenges.count == 3)
        try stage.scene.transport.verifyFinished()
        #expect(try await stage.client.pendingChallenges().isEmpty)
    }

    @Test("a link is completed by the next process, and one of another device by none")
    func links() async throws {
        let stage = try Stage()
        stage.scene.expect("POST", "/otp")
        let step = try await stage.client.begin(.signIn(.link(identifier: "ada@example.test")), with: "supabase")
        guard case .asked = step else { throw Missing() }
        let elsewhere = try Stage()
        let address = Secret("app://cb?code=abc")
        let error = try await trouble { _ = try await elsewhere.client.supabase().open(address) }
        #expect(error.supabase == .linkOfAnotherDevice && elsewhere.scene.transport.requests.isEmpty)
        let failed = try await trouble {
            _ = try await elsewhere.client.supabase().open(Secret("app://cb#error=x&error_code=otp_expired"))
        }
        #expect(failed.code == .refused(.expired))
        let next = try Stage(store: stage.store)
        next.scene.expect("POST", "/token?grant_type=pkce", 200, session())
        guard case .signedIn = try await next.client.supabase().open(address) else { throw Missing() }
        #expect(try await next.client.accounts().count == 1)
        // A link is good for one answer.
        #expect(
            try await trouble { _ = try await next.client.supabase().open(address) }.supabase == .linkOfAnotherDevice)
    }

    @Test("a code typed in place of the link may be corrected")
    func codeOfLink() async throws {
        let stage = try Stage()
        stage.scene.expect("POST", "/otp")
        guard
            case .asked(let challenge) = try await stage.client.begin(
                .signIn(.link(identifier: "ada@example.test")), with: "supabase")
        else { throw Missing() }
        stage.scene.refuse("POST", "/verify", 403, "otp_expired")
        let wrong = try await trouble { _ = try await stage.client.answer(.code(Secret("0")), to: challenge.id) }
        #expect(wrong.code == .refused(.wrongInput))
        stage.scene.expect("POST", "/verify", 200, session())
        guard case .signedIn = try await stage.client.answer(.code(Secret("123456")), to: challenge.id) else {
            throw Missing()
        }
    }

    @Test("a dead session ends with the service's code, and a gateway's answer ends nothing", .complaint(.supabase, 7))
    func verdicts() async throws {
        let stage = try await Stage.signedIn()
        let page = TransportResponse(status: 400, body: Array(#"{"message":"Project not specified"}"#.utf8))
        stage.scene.transport.expect("POST", Scene.url + TokenRefreshTests.path, .answer(page))
        let kept = try await trouble { _ = try await stage.client.refresh() }
        #expect(kept.code == .serviceTrouble && kept.foreign?.status == 400)
        #expect(try await stage.client.accessToken().value == Secret(accessToken()))
        let dead = try await Stage.signedIn()
        dead.scene.refuse("POST", TokenRefreshTests.path, 400, "refresh_token_not_found")
        let error = try await trouble { _ = try await dead.client.refresh() }
        #expect(error.code == .signInRequired(.refused) && error.supabase == .refreshTokenNotFound)
        #expect(try await trouble { _ = try await dead.client.accessToken() }.code == .signInRequired(.refused))
    }

    @Test(
        "a ban and an end by age are told as such, here and in the next process", .complaint(.supabase, 3),
        arguments: [
            ("user_banned", AuthError.SignInRequiredReason.banned), ("session_expired", .expired),
            ("refresh_token_already_used", .refused),
        ])
    func reasons(code: String, reason: AuthError.SignInRequiredReason) async throws {
        let stage = try await Stage.signedIn()
        stage.scene.refuse("POST", TokenRefreshTests.path, 400, code)
        #expect(try await trouble { _ = try await stage.client.refresh() }.code == .signInRequired(reason))
        let next = try Stage(store: stage.store)
        #expect(try await trouble { _ = try await next.client.accessToken() }.code == .signInRequired(reason))
    }

    @Test(
        "a sign-out from everywhere that waits does not end the sign-in that came after it", .complaint(.supabase, 20))
    func everywhereLater() async throws {
        let stage = try await Stage.signedIn()
        stage.scene.transport.expect(
            "POST", Scene.url + "/logout?scope=global", .failure(TransportError(.unreachable, wasSent: false)))
        #expect(try await stage.client.signOut(scope: .everywhere) == .revocationQueued)
        stage.scene.expect("POST", "/logout?scope=local", 204)
        stage.scene.expect("POST", FactorTests.grant, 200, session(refresh: "r5", claims: ["session_id": "s5"]))
        _ = try await stage.client.signIn(with: "supabase", Self.password)
        try await stage.client.settleRevocations()
        try await stage.scene.transport.waitForRequests(4)
        try stage.scene.transport.verifyFinished()
    }

    @Test("signing out logs out at the service, after a refresh where the token has ended")
    func signOut() async throws {
        let stage = try await Stage.signedIn()
        stage.scene.expect("POST", "/logout?scope=global", 204)
        #expect(try await stage.client.signOut(scope: .everywhere) == .revoked)
        let late = try await Stage.signedIn()
        late.scene.clock.advance(by: .seconds(4_000))
        late.scene.expect("POST", TokenRefreshTests.path, 200, session(refresh: "r9"))
        late.scene.expect("POST", "/logout?scope=local", 204)
        #expect(try await late.client.signOut() == .revoked)
        try late.scene.transport.verifyFinished()
    }

    @Test("nothing that is secret is in the log", .complaint(.supabase, 23))
    func log() async throws {
        let lines = RecordingObserver()
        let stage = try Stage(observer: lines)
        stage.scene.expect("POST", FactorTests.grant, 200, session(refresh: "refresh-secret"))
        _ = try await stage.client.signIn(with: "supabase", Self.password)
        stage.scene.refuse("POST", TokenRefreshTests.path, 400, "refresh_token_not_found")
        _ = try? await stage.client.refresh()
        let text = lines.observations.map { "\($0)" }.joined()
        for secret in ["refresh-secret", "correct horse", accessToken(), "sb_publishable_k"] {
            #expect(!text.contains(secret))
        }
        #expect(!text.isEmpty)
    }
}

/// A client of the provider over a scripted service.
struct Stage: Sendable {
    let scene: Scene
    let store: MemoryStore
    let client: AuthClient

    init(store: MemoryStore = MemoryStore(), observer: any AuthObserver = SilentObserver()) throws {
        let scene = Scene()
        self.scene = scene
        self.store = store
        var settings = EngineSettings()
        settings.refresh = .onDemand
        client = try AuthClient.Builder().provider(scene.provider).store(store).transport(scene.transport)
            .context(scene.world).observer(observer).settings(settings).build()
    }

    /// The service takes the password, and then asks for a factor.
    static func halfWay() throws -> Stage {
        let stage = try Stage()
        stage.scene.expect(
            "POST", FactorTests.grant, 200, session(refresh: "r-aal1", user: ["factors": [FactorTests.totp]]))
        stage.scene.expect("POST", "/factors/f-totp/challenge", 200, ["id": "c1"])
        return stage
    }

    /// Somebody is signed in on the refresh token `r1`.
    static func signedIn(_ answer: JSON = session(refresh: "r1")) async throws -> Stage {
        let stage = try Stage()
        stage.scene.expect("POST", FactorTests.grant, 200, answer)
        _ = try await stage.client.signIn(with: "supabase", ClientTests.password)
        return stage
    }
}
