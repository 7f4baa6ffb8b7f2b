import Latchkey
import LatchkeyCognito
import LatchkeyJSON
import LatchkeyTesting
import Testing

@Suite("Accounts at a user pool: made, confirmed, got back into")
struct AccountTests {
    let scene = Scene()
    let form = SignUpForm(identifier: "bob", password: Secret("correct horse"), fields: ["email": "bob@example.test"])
    let code = Secret("123456")

    @Test("A sign-up is confirmed by a code, which is sent again when asked for, and then the person signs in")
    func signUp() async throws {
        let details: JSON = ["DeliveryMedium": "SMS", "Destination": "+***1"]
        scene.answers("SignUp", ["UserConfirmed": false, "UserSub": "sub-1", "CodeDeliveryDetails": details])
        scene.answers("ResendConfirmationCode", ["CodeDeliveryDetails": ["DeliveryMedium": "EMAIL"]])
        scene.answers("ConfirmSignUp")
        let turn = try await scene.begin(.signUp(form))
        #expect(turn.ask == .code(over: .sms, sentTo: "+***1"))
        let again = try await scene.answer(.resend, turn)
        #expect(again.ask == .code(over: .mail, sentTo: nil))
        guard case .continuesElsewhere(.signIn) = try await scene.answer(.code(code), again) else { throw Unexpected() }
        let asked = try #require(try scene.asked("SignUp").first)
        #expect(asked["UserAttributes"] == [["Name": "email", "Value": "bob@example.test"]])
        #expect(try scene.asked("ConfirmSignUp").first?["ConfirmationCode"] == "123456")
    }

    @Test("Who need not confirm is signed in, and who waits for an administrator is told so")
    func otherSignUps() async throws {
        scene.answers("SignUp", ["UserConfirmed": true])
        scene.answers("SignUp", ["UserConfirmed": false])
        scene.answers("InitiateAuth", Scene.granted())
        #expect(try await scene.begin(.signUp(form)).grant != nil)
        guard case .continuesElsewhere(.approval) = try await scene.begin(.signUp(form)) else { throw Unexpected() }
        scene.refuses("SignUp", "UsernameExistsException")
        _ = try await scene.begin(.signUp(form))
        #expect(await failure { try await scene.begin(.signUp(form)) }?.code == .refused(.other))
    }

    @Test("Who signs in without having confirmed gives the code, then the password once more")
    func unconfirmed() async throws {
        scene.refuses("InitiateAuth", "UserNotConfirmedException", "User is not confirmed.")
        scene.answers("InitiateAuth", Scene.granted())
        scene.refuses("ConfirmSignUp", "ExpiredCodeException")
        scene.refuses("ConfirmSignUp", "InvalidParameterException", "1 validation error detected")
        scene.answers("ConfirmSignUp")
        let turn = try await scene.signIn()
        #expect(turn.ask == .code(over: .mail, sentTo: nil))
        #expect(await failure { try await scene.answer(.code(code), turn) }?.code == .refused(.expired))
        #expect(await failure { try await scene.answer(.code(code), turn) }?.code == .refused(.wrongInput))
        let password = try await scene.answer(.code(code), turn)
        #expect(password.ask == .password)
        #expect(try await scene.answer(.password(Secret("correct horse")), password).grant != nil)
    }

    @Test("A reset asks for its code and a new password at once, and signs in with it")
    func reset() async throws {
        scene.answers("ForgotPassword", ["CodeDeliveryDetails": ["DeliveryMedium": "EMAIL"]])
        scene.refuses("ConfirmForgotPassword", "CodeMismatchException")
        scene.answers("ConfirmForgotPassword")
        scene.answers("InitiateAuth", Scene.granted())
        let turn = try await scene.begin(.recover(identifier: "ada"))
        #expect(turn.ask == .fields([Ask.Field(name: "code"), .newPassword("password")]))
        let fields = ["code": code, "password": Secret("another horse")]
        #expect(await failure { try await scene.answer(.fields(fields), turn) }?.code == .refused(.wrongInput))
        #expect(try await scene.answer(.fields(fields), turn).grant != nil)
        #expect(try scene.asked("InitiateAuth")[0]["AuthParameters"]?["PASSWORD"] == "another horse")
        #expect(try await scene.answer(.resend, turn).ask == turn.ask)
        #expect(try scene.asked("ForgotPassword").count == 2)
    }

    @Test("Who resets the password of an account that is not confirmed confirms it on the way")
    func unconfirmedReset() async throws {
        scene.answers("ForgotPassword")
        scene.answers("ConfirmForgotPassword")
        scene.refuses("InitiateAuth", "UserNotConfirmedException")
        scene.answers("InitiateAuth", Scene.granted())
        scene.answers("ConfirmSignUp")
        let turn = try await scene.begin(.recover(identifier: "ada"))
        let asked = try await scene.answer(.fields(["code": code, "password": Secret("another horse")]), turn)
        let password = try await scene.answer(.code(code), asked)
        #expect(try await scene.answer(.password(Secret("another horse")), password).grant != nil)
    }

    @Test("Whose password an administrator wants reset is sent a code, as part of signing in")
    func resetRequired() async throws {
        scene.refuses("InitiateAuth", "PasswordResetRequiredException")
        scene.answers("InitiateAuth", Scene.granted())
        scene.answers("ForgotPassword")
        scene.answers("ConfirmForgotPassword")
        let turn = try await scene.signIn()
        let fields = ["code": code, "password": Secret("another horse")]
        #expect(try await scene.answer(.fields(fields), turn).grant != nil)
    }
}
