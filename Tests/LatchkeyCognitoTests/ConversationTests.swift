import Latchkey
import LatchkeyCognito
import LatchkeyJSON
import LatchkeyTesting
import Testing

@Suite("Signing in at a user pool")
struct ConversationTests {
    let scene = Scene()

    @Test("A password is sent as it is, and the account is the pool and its subject, not what was typed")
    func password() async throws {
        scene.answers("InitiateAuth", Scene.granted())
        let grant = try #require(try await scene.signIn().grant)
        let asked = try #require(try scene.asked("InitiateAuth").first)
        #expect(asked["AuthFlow"] == "USER_PASSWORD_AUTH")
        #expect(asked["AuthParameters"] == ["USERNAME": "ada", "PASSWORD": "correct horse"])
        #expect(grant.sessions[0].account.value == "cognito \(Scene.issuer) sub-1")
        #expect(grant.sessions[0].id.value == "origin-1")
        #expect(grant.sessions[0].label == "ada@example.test")
        #expect(grant.refreshToken == Secret("refresh-token-1"))
        #expect(scene.transport.requests[0].fields["Authorization"] == nil)
    }

    @Test(
        "Tokens of another pool, of another client or of nobody are not trusted",
        arguments: [
            ("iss", AuthError.UntrustedReason.issuer), ("client_id", .claims), ("sub", .claims),
        ])
    func foreignTokens(claim: String, reason: AuthError.UntrustedReason) async throws {
        scene.answers("InitiateAuth", Scene.granted(claims: .object([claim: claim == "sub" ? "" : "another"])))
        #expect(await failure { try await scene.signIn() }?.code == .untrusted(reason))
    }

    @Test("Who is not known is told in the same words as who mistyped")
    func unknownUser() async throws {
        scene.refuses("InitiateAuth", "NotAuthorizedException", "Incorrect username or password.")
        scene.refuses("InitiateAuth", "UserNotFoundException", "User does not exist.")
        let mistyped = await failure { try await scene.signIn() }
        #expect(mistyped?.code == .refused(.wrongInput))
        #expect(await failure { try await scene.signIn() } == mistyped)
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var exception: String
        var text = "No."
        var code: AuthError.Code
        var testDescription: String { "\(exception): \(text)" }
    }

    @Test(
        "What the service refuses is told by what the caller can do about it",
        arguments: [
            Refused(exception: "TooManyRequestsException", code: .rateLimited),
            Refused(exception: "LimitExceededException", code: .rateLimited),
            Refused(exception: "NotAuthorizedException", text: "Password attempts exceeded", code: .rateLimited),
            Refused(exception: "NotAuthorizedException", text: "User is disabled.", code: .refused(.denied)),
            Refused(
                exception: "NotAuthorizedException", text: "Temporary password has expired and must be reset.",
                code: .refused(.expired)),
            Refused(
                exception: "NotAuthorizedException", text: "Client c is configured with secret",
                code: .configuration(.clientRefused)),
            Refused(exception: "ResourceNotFoundException", code: .configuration(.clientRefused)),
            Refused(exception: "com.amazonaws#InvalidParameterException", code: .configuration(.invalid)),
            Refused(exception: "UserLambdaValidationException", code: .refused(.denied)),
            Refused(exception: "ForbiddenException", code: .serviceTrouble),
            Refused(exception: "UnheardOfException", code: .serviceTrouble),
        ])
    func refusals(row: Refused) async throws {
        scene.refuses("InitiateAuth", row.exception, row.text)
        let error = await failure { try await scene.signIn() }
        #expect(error?.code == row.code)
        #expect(error?.requestID == "request-1")
        #expect(error?.description.contains(row.text) == false)
    }

    struct Factor: Sendable, CustomTestStringConvertible {
        var challenge: String
        var ask: Ask
        var member: String
        var testDescription: String { challenge }
    }

    @Test(
        "A further factor is asked for, and its code is answered by the service's name for the person",
        arguments: [
            Factor(challenge: "SMS_MFA", ask: .code(over: .sms, sentTo: "a***"), member: "SMS_MFA_CODE"),
            Factor(challenge: "EMAIL_OTP", ask: .code(over: .mail, sentTo: "a***"), member: "EMAIL_OTP_CODE"),
            Factor(challenge: "SOFTWARE_TOKEN_MFA", ask: .totp, member: "SOFTWARE_TOKEN_MFA_CODE"),
        ])
    func factor(row: Factor) async throws {
        let parameters: JSON = ["CODE_DELIVERY_DESTINATION": "a***", "USERNAME": "user-1"]
        scene.answers("InitiateAuth", Scene.challenge(row.challenge, parameters))
        scene.refuses("RespondToAuthChallenge", "CodeMismatchException")
        scene.answers("RespondToAuthChallenge", Scene.granted())
        let turn = try await scene.signIn()
        #expect(turn.ask == row.ask)
        let wrong = await failure { try await scene.answer(.code(Secret("000000")), turn) }
        #expect(wrong?.code == .refused(.wrongInput))
        #expect(try await scene.answer(.code(Secret("123456")), turn).grant != nil)
        let asked = try scene.asked("RespondToAuthChallenge")
        #expect(asked.allSatisfy { $0["Session"] == "session-1" && $0["ChallengeName"]?.string == row.challenge })
        #expect(asked.last?["ChallengeResponses"] == .object(["USERNAME": "user-1", row.member: "123456"]))
        #expect(await failure { try await scene.answer(.resend, turn) }?.code == .configuration(.unsupported))
    }

    @Test("Between several factors the person chooses, of those that this provider knows")
    func choice() async throws {
        let list: JSON = ["MFAS_CAN_CHOOSE": #"["SMS_MFA","SOFTWARE_TOKEN_MFA","EMAIL_OTP","WEB_AUTHN"]"#]
        scene.answers("InitiateAuth", Scene.challenge("SELECT_MFA_TYPE", list))
        scene.answers("RespondToAuthChallenge", Scene.challenge("SOFTWARE_TOKEN_MFA", session: "session-2"))
        let turn = try await scene.signIn()
        guard case .choose(let options) = turn.ask else { throw Unexpected() }
        #expect(options.map(\.id) == ["SMS_MFA", "SOFTWARE_TOKEN_MFA", "EMAIL_OTP"])
        #expect(try await scene.answer(.choice("SOFTWARE_TOKEN_MFA"), turn).ask == .totp)
        #expect(try scene.asked("RespondToAuthChallenge")[0]["ChallengeResponses"]?["ANSWER"] == "SOFTWARE_TOKEN_MFA")
    }

    @Test("A code as the first factor is sent again when asked for")
    func firstFactor() async throws {
        scene.answers("InitiateAuth", Scene.challenge("EMAIL_OTP", ["CODE_DELIVERY_DESTINATION": "a***"]))
        let turn = try await scene.begin(.signIn(.code(identifier: "ada", over: .mail)))
        #expect(turn.ask == .code(over: .mail, sentTo: "a***"))
        #expect(try await scene.answer(.resend, turn).ask == turn.ask)
        let asked = try scene.asked("InitiateAuth").map { $0["AuthParameters"] }
        #expect(asked == Array(repeating: ["USERNAME": "ada", "PREFERRED_CHALLENGE": "EMAIL_OTP"], count: 2))
        let other = await failure { try await scene.begin(.signIn(.code(identifier: "ada", over: .whatsapp))) }
        #expect(other?.code == .configuration(.unsupported))
    }

    @Test("A new password comes together with the attributes that the pool wants")
    func newPassword() async throws {
        var scene = scene
        scene.provider.passwordRules = ["8 characters"]
        let wanted: JSON = ["requiredAttributes": #"["userAttributes.name","userAttributes.custom:team"]"#]
        scene.answers("InitiateAuth", Scene.challenge("NEW_PASSWORD_REQUIRED", wanted))
        scene.refuses("RespondToAuthChallenge", "InvalidPasswordException")
        scene.answers("RespondToAuthChallenge", Scene.granted())
        let turn = try await scene.signIn()
        let attributes = ["userAttributes.name", "userAttributes.custom:team"].map { Ask.Field(name: $0) }
        #expect(turn.ask == .fields([.newPassword("password", rules: ["8 characters"])] + attributes))
        let fields = ["password": Secret("better"), "userAttributes.name": Secret("Ada")]
        let weak = await failure { try await scene.answer(.fields(fields), turn) }
        #expect(weak?.code == .refused(.passwordNotAccepted))
        #expect(try await scene.answer(.fields(fields), turn).grant != nil)
        let expected: JSON = ["USERNAME": "ada", "NEW_PASSWORD": "better", "userAttributes.name": "Ada"]
        #expect(try scene.asked("RespondToAuthChallenge")[0]["ChallengeResponses"] == expected)
    }

    @Test(
        "What this provider cannot answer is said to be so, and nothing else is sent",
        arguments: ["CUSTOM_CHALLENGE", "WEB_AUTHN"])
    func unknownChallenge(name: String) async throws {
        scene.answers("InitiateAuth", Scene.challenge(name))
        #expect(await failure { try await scene.signIn() }?.code == .configuration(.unsupported))
        #expect(scene.transport.requests.count == 1)
    }

    @Test("A client with a secret shows that it has it, by the name that the service gave")
    func secretHash() async throws {
        var scene = scene
        scene.provider.clientSecret = Secret("s3cr3t")
        scene.answers("InitiateAuth", Scene.challenge("SMS_MFA", ["USERNAME": "user-1"]))
        scene.answers("RespondToAuthChallenge", Scene.granted())
        let turn = try await scene.signIn()
        _ = try await scene.answer(.code(Secret("123456")), turn)
        // Computed by: printf 'adaclient1' | openssl dgst -sha256 -hmac s3cr3t -binary | base64
        #expect(
            try scene.asked("InitiateAuth")[0]["AuthParameters"]?["SECRET_HASH"]
                == "inbjfoae2UIflw8Uo+pP7pIXGS8NkZv3+NAWm7ZYjuw=")
        #expect(
            try scene.asked("RespondToAuthChallenge")[0]["ChallengeResponses"]?["SECRET_HASH"]
                == "CERqcPQfJc9RuPF80Pz8pnVQu/Myg2WSrws7erq4v5w=")
    }
}
