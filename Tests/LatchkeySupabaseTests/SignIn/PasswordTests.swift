import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeySupabase

@Suite("Signing in and up with a password")
struct PasswordTests {
    static let grant = "/token?grant_type=password"
    static let signIn = SignInRequest.signIn(.password(identifier: "ada@example.test", Secret("correct horse")))

    @Test("one request, and somebody is signed in", .complaint(.supabase, 13))
    func signedIn() async throws {
        let scene = Scene()
        scene.expect("POST", Self.grant, 200, session(refresh: "r1", more: ["weak_password": .null]))
        let grant = try await scene.begin(Self.signIn).grant()
        #expect(scene.bodies == [["email": "ada@example.test", "password": "correct horse"]])
        let signedIn = try #require(grant.sessions.first)
        #expect(
            grant.refreshToken == Secret("r1") && signedIn.id == AuthSession.ID("s1")
                && signedIn.label == "ada@example.test")
        #expect(signedIn.account == AccountID(subject: "u1", of: scene.provider.rules.binding))
        #expect(signedIn.authenticatedAt?.timeIntervalSince1970 == 1_700_000_000)
        #expect(signedIn.state["user"]?["role"] == "authenticated")
    }

    @Test("a number signs in as a number")
    func phone() async throws {
        let scene = Scene()
        scene.expect("POST", Self.grant, 200, session(user: ["email": "", "phone": "15550100001"]))
        let grant = try await scene.begin(.signIn(.password(identifier: "+15550100001", Secret("p")))).grant()
        #expect(scene.bodies.first?["phone"] == "+15550100001" && scene.bodies.first?["email"] == nil)
        #expect(grant.sessions.first?.label == "+15550100001")
    }

    @Test(
        "refusals say what to do next",
        arguments: [
            ("invalid_credentials", 400, AuthError.Code.refused(.wrongInput)),
            ("user_banned", 400, .signInRequired(.banned)), ("validation_failed", 400, .refused(.other)),
            ("email_provider_disabled", 422, .configuration(.unsupported)),
            ("over_request_rate_limit", 429, .rateLimited), ("unexpected_failure", 500, .serviceTrouble),
        ])
    func refused(code: String, status: Int, expected: AuthError.Code) async throws {
        let scene = Scene()
        scene.refuse("POST", Self.grant, status, code)
        let error = try await trouble { _ = try await scene.begin(Self.signIn) }
        #expect(
            error.code == expected && error.supabase == SupabaseErrorCode(rawValue: code)
                && error.provider == "supabase")
        #expect(scene.transport.requests.count == 1)
    }

    @Test("an address that is not confirmed is a code to enter, and another mail on request, with a new proof key")
    func unconfirmed() async throws {
        let scene = Scene()
        scene.refuse("POST", Self.grant, 400, "email_not_confirmed")
        let challenge = try await scene.begin(Self.signIn).challenge()
        #expect(challenge.ask == .code(over: .mail, sentTo: nil) && challenge.resendAfter == .zero)
        #expect(scene.transport.requests.count == 1)
        scene.expect("POST", "/resend?redirect_to=app%3A%2F%2Fcb")
        let again = try await scene.answer(.resend, challenge).challenge()
        #expect(again.id == challenge.id && again.resendAfter == .seconds(60))
        #expect(scene.bodies.last?["type"] == "signup" && scene.bodies.last?["code_challenge_method"] == "s256")
        scene.expect("POST", "/verify", 200, session())
        _ = try await scene.answer(.code(Secret(" 123 456\n")), again).grant()
        #expect(scene.bodies.last == ["type": "signup", "email": "ada@example.test", "token": "123456"])
    }

    @Test("a resend that comes too early waits as long as the service says, and the mail that was sent stays good")
    func earlyResend() async throws {
        let scene = Scene()
        scene.refuse("POST", Self.grant, 400, "email_not_confirmed")
        let challenge = try await scene.begin(Self.signIn).challenge()
        let message = "For security purposes, you can only request this after 41 seconds."
        for (message, expected) in [(message, Duration.seconds(42)), ("email rate limit exceeded", .seconds(60))] {
            scene.refuse("POST", "/resend", 429, "over_email_send_rate_limit", message: message)
            let again = try await scene.answer(.resend, challenge).challenge()
            #expect(again.id == challenge.id && again.resendAfter == expected && again.state == challenge.state)
        }
        scene.refuse("POST", "/resend", 400, "validation_failed")
        #expect(try await trouble { _ = try await scene.answer(.resend, challenge) }.code == .refused(.other))
    }

    @Test("a captcha is asked for, then the password again: it is never written down", .need("B7"))
    func captcha() async throws {
        let scene = Scene()
        scene.refuse("POST", Self.grant, 400, "captcha_failed")
        let challenge = try await scene.begin(Self.signIn).challenge()
        #expect(challenge.ask == .captcha(siteKey: ""))
        #expect(!String(decoding: challenge.state.serialized(), as: UTF8.self).contains("correct horse"))
        let password = try await scene.answer(.code(Secret("cap")), challenge).challenge()
        #expect(password.ask == .password && scene.transport.requests.count == 1)
        scene.expect("POST", Self.grant, 200, session())
        _ = try await scene.answer(.password(Secret("correct horse")), password).grant()
        #expect(scene.bodies.last?["gotrue_meta_security"] == ["captcha_token": "cap"])
    }

    @Test("a captcha that is given and refused is said so")
    func wrongCaptcha() async throws {
        let scene = Scene()
        scene.refuse("POST", Self.grant, 400, "captcha_failed")
        var options = SignInOptions()
        options.captcha = Secret("cap")
        #expect(try await trouble { _ = try await scene.begin(Self.signIn, options) }.code == .refused(.captcha))
    }

    static let form = SignUpForm(
        identifier: "ada@example.test", password: Secret("correct horse"), fields: ["nickname": "ada"])
    static let signUp = "/signup?redirect_to=app%3A%2F%2Fcb"
    static let pendingUser: JSON = [
        "id": "u1", "role": "authenticated", "email": "ada@example.test", "identities": [["id": "u1"]],
    ]

    @Test("a new account is signed in at once where nothing needs to be confirmed")
    func autoConfirmed() async throws {
        let scene = Scene()
        scene.expect("POST", Self.signUp, 200, session())
        _ = try await scene.begin(.signUp(Self.form)).grant()
        let body = try #require(scene.bodies.first)
        #expect(body["email"] == "ada@example.test" && body["password"] == "correct horse")
        #expect(
            body["data"] == ["nickname": "ada"] && body["code_challenge_method"] == "s256" && body["channel"] == nil)
    }

    @Test("one that is to be confirmed is a code, or the link of the same mail")
    func pending() async throws {
        let scene = Scene()
        scene.expect("POST", Self.signUp, 200, Self.pendingUser)
        let challenge = try await scene.begin(.signUp(Self.form)).challenge()
        #expect(
            challenge.ask == .code(over: .mail, sentTo: "ada@example.test") && challenge.resendAfter == .seconds(60))
        #expect(!String(decoding: challenge.state.serialized(), as: UTF8.self).contains("correct horse"))
        scene.expect("POST", "/token?grant_type=pkce", 200, session())
        _ = try await scene.answer(.redirected(Secret("app://cb?code=abc")), challenge).grant()
        #expect(scene.bodies.last?["auth_code"] == "abc")
        scene.refuse("POST", "/token?grant_type=pkce", 422, "flow_state_expired")
        let late = try await trouble { _ = try await scene.answer(.redirected(Secret("app://cb?code=abc")), challenge) }
        #expect(late.code == .refused(.expired) && late.message.contains("confirmed"))
    }

    @Test("the user that hides an account is told from one who waits for a mail")
    func madeUp() async throws {
        let scene = Scene()
        scene.expect("POST", Self.signUp, 200, ["id": "x", "role": "", "identities": []])
        let error = try await trouble { _ = try await scene.begin(.signUp(Self.form)) }
        #expect(error.code == .refused(.other) && error.supabase == .userAlreadyExists)
        let empty = Scene()
        empty.expect("POST", Self.signUp, 200, [:])
        #expect(try await trouble { _ = try await empty.begin(.signUp(Self.form)) }.message.contains("$.id is missing"))
    }

    @Test(
        "refusals of a sign-up keep their codes, and nothing is sent twice", .complaint(.supabase, 27),
        arguments: [
            ("weak_password", 422, AuthError.Code.refused(.passwordNotAccepted)),
            ("signup_disabled", 422, .refused(.denied)),
            ("user_already_exists", 422, .refused(.other)), ("unexpected_failure", 500, .serviceTrouble),
            ("over_email_send_rate_limit", 429, .rateLimited),
        ])
    func refusedSignUp(code: String, status: Int, expected: AuthError.Code) async throws {
        let scene = Scene()
        scene.refuse("POST", Self.signUp, status, code)
        let error = try await trouble { _ = try await scene.begin(.signUp(Self.form)) }
        #expect(error.code == expected && scene.transport.requests.count == 1)
    }

    @Test("a captcha in the way of a sign-up asks for the password again")
    func signUpCaptcha() async throws {
        let scene = Scene()
        scene.refuse("POST", Self.signUp, 400, "captcha_failed")
        let challenge = try await scene.begin(.signUp(Self.form)).challenge()
        let password = try await scene.answer(.assertion(Secret("cap")), challenge).challenge()
        #expect(password.ask == .newPassword(rules: []))
        scene.expect("POST", Self.signUp, 200, session())
        _ = try await scene.answer(.password(Secret("correct horse")), password).grant()
        #expect(scene.bodies.last?["data"] == ["nickname": "ada"])
        #expect(scene.bodies.last?["gotrue_meta_security"] == ["captcha_token": "cap"])
    }

    @Test("an account by number is confirmed over its channel, without a proof key")
    func phoneSignUp() async throws {
        let scene = Scene()
        scene.expect("POST", Self.signUp, 200, Self.pendingUser)
        let form = SignUpForm(identifier: "+15550100001", password: Secret("p"))
        let challenge = try await scene.begin(.signUp(form)).challenge()
        #expect(challenge.ask == .code(over: .sms, sentTo: "+15550100001"))
        #expect(scene.bodies.first?["channel"] == "sms" && scene.bodies.first?["code_challenge"] == nil)
        scene.expect("POST", "/resend")
        _ = try await scene.answer(.resend, challenge)
        #expect(scene.bodies.last == ["type": "sms", "phone": "+15550100001"])
        scene.expect("POST", "/verify", 200, session())
        _ = try await scene.answer(.code(Secret("123456")), challenge).grant()
        #expect(scene.bodies.last == ["type": "sms", "phone": "+15550100001", "token": "123456"])
    }
}
