import Latchkey
import LatchkeyCognito
import LatchkeyJSON
import LatchkeyTesting
import Testing

@Suite("Authenticator apps at a user pool")
struct AuthenticatorAppTests {
    @Test("A pool that wants one shows its key, takes the first code, and then grants")
    func enrolment() async throws {
        var scene = Scene()
        scene.provider.title = "My Notes"
        scene.answers("InitiateAuth", Scene.challenge("MFA_SETUP", ["MFAS_CAN_SETUP": #"["SOFTWARE_TOKEN_MFA"]"#]))
        scene.answers("AssociateSoftwareToken", ["SecretCode": "JBSWY3DP", "Session": "session-2"])
        scene.refuses("VerifySoftwareToken", "EnableSoftwareTokenMFAException")
        scene.answers("VerifySoftwareToken", ["Status": "SUCCESS", "Session": "session-3"])
        scene.answers("RespondToAuthChallenge", Scene.granted())
        let turn = try await scene.signIn()
        let address = "otpauth://totp/My%20Notes%3Aada?secret=JBSWY3DP&issuer=My%20Notes"
        #expect(turn.ask == .enrolment(Ask.Enrolment(key: "JBSWY3DP", address: address)))
        #expect(await failure { try await scene.answer(.code(Secret("000000")), turn) }?.code == .refused(.wrongInput))
        #expect(try await scene.answer(.code(Secret("123456")), turn).grant != nil)
        #expect(try scene.asked("VerifySoftwareToken")[1] == ["Session": "session-2", "UserCode": "123456"])
        let asked = try #require(try scene.asked("RespondToAuthChallenge").first)
        #expect(asked["Session"] == "session-3" && asked["ChallengeName"] == "MFA_SETUP")
    }

    @Test("A pool that wants what this provider cannot set up is not asked further")
    func otherEnrolments() async throws {
        let scene = Scene()
        scene.answers("InitiateAuth", Scene.challenge("MFA_SETUP", ["MFAS_CAN_SETUP": #"["SMS_MFA"]"#]))
        #expect(await failure { try await scene.signIn() }?.code == .configuration(.unsupported))
    }

    @Test("Whoever is signed in adds one by their access token, and goes on with the same session")
    func link() async throws {
        var scene = Scene()
        let principal = try await scene.principal()
        scene.context.principal = principal
        scene.answers("AssociateSoftwareToken", ["SecretCode": "JBSWY3DP"])
        scene.answers("VerifySoftwareToken", ["Status": "SUCCESS"])
        scene.answers("SetUserMFAPreference")
        let turn = try await scene.begin(.link(.custom(name: CognitoProvider.authenticatorApp)))
        #expect(turn.challenge.map { String(decoding: $0.state.serialized(), as: UTF8.self) }?.contains("eyJ") == false)
        let grant = try #require(try await scene.answer(.code(Secret("123456")), turn).grant)
        #expect(grant.current == principal.session.id && grant.refreshToken == principal.credential.refreshToken)
        let token = try #require(principal.accessToken?.value.revealText())
        let preference = try #require(try scene.asked("SetUserMFAPreference").first)
        #expect(preference["AccessToken"]?.string == token)
        #expect(preference["SoftwareTokenMfaSettings"] == ["Enabled": true, "PreferredMfa": true])
        #expect(try scene.asked("VerifySoftwareToken")[0]["Session"] == nil)
    }
}
