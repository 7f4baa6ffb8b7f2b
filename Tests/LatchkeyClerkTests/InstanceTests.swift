import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeyTesting
import Testing

@testable import LatchkeyClerk

@Suite("What an instance says about itself") struct InstanceTests {
    private func handle(_ change: (inout DevServer.Clerk) -> Void = { _ in }) throws -> (Scene, ClerkHandle) {
        let scene = try Scene(change)
        let auth = try AuthClient.Builder().provider(scene.provider).store(.memory).transport(scene.transport).build()
        return (scene, try auth.clerk())
    }

    @Test("it is read before anybody has signed in, without a credential")
    func before() async throws {
        let (scene, clerk) = try handle { $0.settings = [.waitlist, .legal, .singleSession] }
        let environment = try await clerk.environment()
        #expect(environment.applicationName == "Latchkey" && environment.isDevelopment)
        #expect(environment.signUpMode == .waitlist && environment.asksForConsent && environment.isSingleSession)
        #expect(environment.termsURL?.hasSuffix("/terms") == true)
        #expect(environment.privacyPolicyURL?.hasSuffix("/privacy") == true && environment.waitlistURL != nil)
        #expect(environment.connections.contains { $0.id == "github" && $0.name == "Github" })
        #expect(environment.neededFields == ["email_address", "password"] && environment.passwordLength == 8...72)
        let sent = try #require(scene.transport.requests.last)
        #expect(sent.fields["Authorization"] == nil && !sent.url.contains("_clerk_session_id"))
    }

    @Test("what is missing or wrong in it has the usual value, and a page that is not secure is not named")
    func odd() {
        for json: JSON in [.null, [], ["display_config": []], ["user_settings": ["social": 3, "attributes": []]]] {
            let environment = ClerkEnvironment(json)
            #expect(environment.signUpMode == .open && environment.isSingleSession && environment.termsURL == nil)
            #expect(environment.connections.isEmpty && environment.passwordLength == 8...72)
            #expect(environment.secondFactors == ["totp"] && !environment.mintsAtEdge)
        }
        let odd = ClerkEnvironment([
            "display_config": ["terms_url": "http://example.com/terms", "waitlist_url": "javascript:alert(1)"],
            "user_settings": [
                "sign_up": ["mode": "lottery"], "password_settings": ["min_length": 100, "max_length": 12],
            ],
        ])
        #expect(odd.termsURL == nil && odd.waitlistURL == nil)
        // A word that this version does not know is no invitation to sign up.
        #expect(odd.signUpMode == .restricted && odd.passwordLength == 100...100)
    }

    @Test("a person who cannot sign up is put on the waitlist, and an address that is none is refused")
    func waitlist() async throws {
        let (scene, clerk) = try handle { $0.settings = [.waitlist] }
        let refused = await #expect(throws: AuthError.self) {
            try await clerk.client.converse(
                .signUp(SignUpForm(identifier: "zoe@example.test", password: Secret("zoe-password"))), with: "clerk",
                asking: ScriptedPresenter { _ in .declined })
        }
        #expect(refused?.code == .refused(.denied))
        let entry = try await clerk.joinWaitlist("zoe@example.test")
        #expect(!entry.isEmpty)
        #expect(scene.transport.requests.last?.fields["Authorization"] == nil)
        let wrong = await #expect(throws: AuthError.self) { try await clerk.joinWaitlist("zoe") }
        #expect(wrong?.code == .refused(.wrongInput) && wrong?.serviceCode == "form_param_format_invalid")
        scene.transport.answer { _ in TransportResponse(status: 502, body: Array("<html>".utf8)) }
        let trouble = await #expect(throws: AuthError.self) { try await clerk.joinWaitlist("zoe@example.test") }
        #expect(trouble?.code == .serviceTrouble)
    }
}
