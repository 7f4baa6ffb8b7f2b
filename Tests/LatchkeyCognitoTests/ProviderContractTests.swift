import Latchkey
import LatchkeyCognito
import LatchkeyJSON
import LatchkeyTesting
import Testing

@Suite("The Cognito provider keeps the provider's contract")
struct ProviderContractTests {
    typealias Contract = ProviderContract<CognitoProvider>

    /// What the service answers a refresh that it refuses.
    static let refusals: [Contract.RefusedRefresh] = [
        .init(Scene.refusal("NotAuthorizedException", "Refresh Token has been revoked"), is: .definite),
        .init(Scene.refusal("NotAuthorizedException", "Refresh Token has expired"), is: .definite),
        .init(Scene.refusal("NotAuthorizedException", "User is disabled."), is: .definite),
        .init(Scene.refusal("UserNotFoundException", "User does not exist."), is: .definite),
        .init(Scene.refusal("RefreshTokenReuseException", "It was used."), is: .definite),
        .init(Scene.refusal("NotAuthorizedException", "Invalid Refresh Token"), is: .unexplained),
        .init(Scene.refusal("NotAuthorizedException", "Access Token has been revoked"), is: .unexplained),
        .init(Scene.refusal("PasswordResetRequiredException", "Reset."), is: .unexplained),
        .init(Scene.refusal("UserNotConfirmedException", "Confirm."), is: .unexplained),
        .init(Scene.refusal("UserLambdaValidationException", "PreTokenGeneration failed"), is: nil),
        .init(Scene.refusal("UnexpectedLambdaException", "PreTokenGeneration failed"), is: nil),
        .init(Scene.refusal("InvalidLambdaResponseException", "Unrecognizable lambda output"), is: nil),
        .init(Scene.refusal("ForbiddenException", "Request not allowed due to WAF block."), is: nil),
        .init(Scene.refusal("ThrottlingException", "Rate exceeded"), is: nil),
        .init(TransportResponse(status: 403, body: Array("<html>blocked</html>".utf8)), is: nil),
        .init(TransportResponse(status: 400, body: Array(#"{"message":"Forbidden"}"#.utf8)), is: nil),
        .init(Scene.refusal("InternalErrorException", "Refresh Token has been revoked", status: 500), is: nil),
        .init(Scene.refusal("NotAuthorizedException", "Refresh Token has been revoked", status: 503), is: nil),
        .init(Scene.refusal("NotAuthorizedException", "Refresh Token has been revoked", status: 429), is: nil),
        .init(Scene.refusal("NotAuthorizedException", "Unable to verify secret hash for client x"), is: nil),
        .init(Scene.refusal("ResourceNotFoundException", "User pool client x does not exist."), is: nil),
        .init(Scene.refusal("InvalidParameterException", "Refresh Token has been revoked"), is: nil),
        .init(Scene.refusal("TooManyRequestsException", "Rate exceeded"), is: nil),
        .init(Scene.refusal("LimitExceededException", "Rate exceeded"), is: nil),
    ]

    /// A pool that knows everybody, and wants a code of an app besides the password.
    static func scene(_ change: (inout CognitoProvider) -> Void = { _ in }) -> Scene {
        var scene = Scene()
        change(&scene.provider)
        scene.answersByFlow()
        scene.answers("SignUp", ["UserConfirmed": false, "CodeDeliveryDetails": ["DeliveryMedium": "EMAIL"]])
        scene.answers("ForgotPassword")
        scene.answers("ConfirmForgotPassword")
        scene.answers("ConfirmSignUp")
        scene.answers("AssociateSoftwareToken", ["SecretCode": "JBSWY3DPEHPK3PXP", "Session": "session-2"])
        scene.answers("VerifySoftwareToken", ["Status": "SUCCESS", "Session": "session-3"])
        scene.answers("SetUserMFAPreference")
        scene.answers("RevokeToken")
        scene.answers("GlobalSignOut")
        return scene
    }

    static let code = Secret("12345678")
    static let fields: [String: Secret] = ["code": code, "password": Secret("another horse")]

    static let ways: [Contract.Conversation] = [
        .init(.signIn(.password(identifier: "ada", Secret("correct horse"))), answering: { _ in .code(code) }) {
            guard case .totp = $0.ask else { return nil }
            return .code(Secret("00000000"))
        },
        .init(.signIn(.code(identifier: "ada", over: .mail)), answering: { _ in .code(code) }),
        .init(.signIn(.code(identifier: "+4912345", over: .sms)), answering: { _ in .code(code) }),
        .init(.signUp(SignUpForm(identifier: "ada", password: Secret("correct horse")))) { _ in .code(code) },
        .init(.recover(identifier: "ada")) {
            if case .fields = $0.ask { return .fields(fields) }
            return .code(code)
        },
        .init(.link(.custom(name: CognitoProvider.authenticatorApp))) { _ in .code(code) },
    ]

    static func setting(_ scene: Scene) -> Contract.Setting { .init(scene.provider, in: scene.context) }

    @Test("without refresh token rotation")
    func contract() async throws {
        try await ProviderContract(Self.ways, refusals: Self.refusals) { Self.setting(Self.scene()) }.run()
    }

    @Test(
        "with rotation, with and without a grace period",
        arguments: [ProviderRules.RefreshRule.killsFamily, .newSuccessor])
    func rotation(rule: ProviderRules.RefreshRule) async throws {
        try await ProviderContract(Self.ways, refusals: Self.refusals) {
            Self.setting(Self.scene { $0.refresh = rule })
        }
        .run()
    }
}

extension Scene {
    /// Answers what is asked by what it asks: a password and a code for the first factor are followed by another.
    fileprivate func answersByFlow() {
        answers("InitiateAuth") { asked in
            let parameters = asked["AuthParameters"]
            switch asked["AuthFlow"]?.string {
            case "USER_PASSWORD_AUTH": return Self.challenge("SOFTWARE_TOKEN_MFA")
            case "USER_AUTH":
                let details: JSON = ["CODE_DELIVERY_DESTINATION": "a***@e***"]
                return Self.challenge(parameters?["PREFERRED_CHALLENGE"]?.string ?? "", details)
            default: return Self.granted(refresh: nil)
            }
        }
        answers("RespondToAuthChallenge") { asked in
            let isWrong = asked["ChallengeResponses"]?["SOFTWARE_TOKEN_MFA_CODE"] == "00000000"
            return isWrong ? ["__type": "CodeMismatchException", "message": "Code mismatch"] : Self.granted()
        }
        answers("GetTokensFromRefreshToken") { asked in
            let number = asked["RefreshToken"]?.string?.split(separator: "-").last.flatMap { Int($0) } ?? 0
            return Self.granted(refresh: "refresh-token-\(number + 1)")
        }
    }
}
