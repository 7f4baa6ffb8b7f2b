import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeySupabase

@Suite("Codes, links and lost passwords")
struct MailTests {
    static let otp = "/otp?redirect_to=app%3A%2F%2Fcb"
    static let ada = "ada@example.test"

    private func asked(_ scene: Scene, _ method: SignInMethod) async throws -> Challenge {
        scene.expect("POST", Self.otp)
        return try await scene.begin(.signIn(method)).challenge()
    }

    @Test("a code by mail: sent once, answered by its type")
    func mail() async throws {
        let scene = Scene()
        let challenge = try await asked(scene, .code(identifier: Self.ada, over: .mail))
        #expect(challenge.ask == .code(over: .mail, sentTo: Self.ada) && challenge.resendAfter == .seconds(60))
        let body = try #require(scene.bodies.first)
        #expect(body["email"] == .string(Self.ada) && body["create_user"] == true && body["channel"] == nil)
        #expect(body["code_challenge"]?.string?.utf8.count == 43)
        scene.expect("POST", "/verify", 200, session())
        _ = try await scene.answer(.code(Secret("123456")), challenge).grant()
        #expect(scene.bodies.last == ["type": "email", "email": .string(Self.ada), "token": "123456"])
    }

    @Test("a code by text message or WhatsApp", arguments: [DeliveryChannel.sms, .whatsapp])
    func phone(channel: DeliveryChannel) async throws {
        let scene = Scene()
        scene.expect("POST", "/otp", 200, ["message_id": "m"])
        let challenge = try await scene.begin(.signIn(.code(identifier: "+15550100001", over: channel))).challenge()
        #expect(challenge.ask == .code(over: channel, sentTo: "+15550100001"))
        #expect(
            scene.bodies.first == [
                "phone": "+15550100001", "create_user": true, "channel": .string(channel.rawValue),
            ])
        scene.expect("POST", "/otp")
        _ = try await scene.answer(.resend, challenge)
        #expect(scene.bodies.last?["channel"] == .string(channel.rawValue))
        scene.expect("POST", "/verify", 200, session())
        _ = try await scene.answer(.code(Secret("123456")), challenge).grant()
        #expect(scene.bodies.last?["type"] == "sms")
    }

    @Test("a channel that does not go with the address sends nothing")
    func mismatch() async throws {
        for method in [
            SignInMethod.code(identifier: "+1555", over: .mail), .code(identifier: Self.ada, over: .sms),
            .link(identifier: "+1555"),
        ] {
            let scene = Scene()
            let error = try await trouble { _ = try await scene.begin(.signIn(method)) }
            guard case .configuration = error.code else { throw Missing() }
            #expect(scene.transport.requests.isEmpty)
        }
    }

    @Test("a wrong code may be corrected, and is sent once")
    func wrongCode() async throws {
        let scene = Scene()
        let challenge = try await asked(scene, .code(identifier: Self.ada, over: .mail))
        scene.refuse("POST", "/verify", 403, "otp_expired")
        let error = try await trouble { _ = try await scene.answer(.code(Secret("000000")), challenge) }
        #expect(error.code == .refused(.wrongInput) && error.supabase == .otpExpired)
        #expect(scene.transport.requests.count == 2)
    }

    @Test("an unknown address makes no account where none is wanted")
    func noAccount() async throws {
        var scene = Scene()
        scene.provider.createsAccounts = false
        scene.provider.tellsUnknownPeople = true
        scene.refuse("POST", Self.otp, 422, "otp_disabled")
        let method = SignInMethod.code(identifier: Self.ada, over: .mail)
        let error = try await trouble { [scene] in _ = try await scene.begin(.signIn(method)) }
        #expect(error.supabase == .otpDisabled && scene.bodies.first?["create_user"] == false)
    }

    @Test("an unknown address is asked for a code like a known one, and whichever is typed is wrong")
    func unknownLikeKnown() async throws {
        for method in [SignInMethod.code(identifier: Self.ada, over: .mail), .link(identifier: Self.ada)] {
            var asks: [Ask] = []
            for isKnown in [true, false] {
                var scene = Scene()
                scene.provider.createsAccounts = false
                func sends() {
                    guard isKnown else { return scene.refuse("POST", Self.otp, 422, "otp_disabled") }
                    scene.expect("POST", Self.otp)
                }
                sends()
                let challenge = try await scene.begin(.signIn(method)).challenge()
                asks.append(challenge.ask)
                scene.refuse("POST", "/verify", 403, "otp_expired")
                let error = try await trouble { [scene] in
                    _ = try await scene.answer(.code(Secret("000000")), challenge)
                }
                #expect(error.code == .refused(.wrongInput))
                sends()
                asks.append(try await scene.answer(.resend, challenge).challenge().ask)
            }
            #expect(asks.count == 4 && Set(asks).count == 1)
        }
    }

    @Test("an account without a password is made by a code, also where other codes make none")
    func signUpByCode() async throws {
        var scene = Scene()
        scene.provider.createsAccounts = false
        scene.expect("POST", Self.otp)
        let form = SignUpForm(identifier: Self.ada, fields: ["nickname": "ada"])
        let challenge = try await scene.begin(.signUp(form)).challenge()
        #expect(scene.bodies.last?["create_user"] == true && scene.bodies.last?["data"] == ["nickname": "ada"])
        scene.expect("POST", Self.otp)
        _ = try await scene.answer(.resend, challenge)
        #expect(scene.bodies.last?["create_user"] == true)
        scene.expect("POST", "/verify", 200, session())
        _ = try await scene.answer(.code(Secret("1")), challenge).grant()
    }

    @Test("a link is completed by the verifier that the challenge kept, in any process")
    func link() async throws {
        let scene = Scene()
        let challenge = try await asked(scene, .link(identifier: Self.ada))
        #expect(challenge.ask == .openedLink(sentTo: Self.ada))
        let other = Scene()
        other.expect("POST", "/token?grant_type=pkce", 200, session())
        _ = try await other.answer(.redirected(Secret("app://cb?code=abc&screen=home")), challenge).grant()
        let verifier = try #require(other.bodies.first?["code_verifier"]?.string)
        let expected = Base64URL.encode(Hash.digest(Array(verifier.utf8), .sha256))
        #expect(scene.bodies.first?["code_challenge"]?.string == expected && other.bodies.first?["auth_code"] == "abc")
    }

    @Test("the code of the same mail is as good as its link")
    func codeOfLink() async throws {
        let scene = Scene()
        let challenge = try await asked(scene, .link(identifier: Self.ada))
        scene.expect("POST", "/verify", 200, session())
        _ = try await scene.answer(.code(Secret("123456")), challenge).grant()
        #expect(scene.bodies.last?["type"] == "email")
    }

    @Test("another link takes another proof key, which replaces the first")
    func resend() async throws {
        let scene = Scene()
        let challenge = try await asked(scene, .link(identifier: Self.ada))
        scene.expect("POST", Self.otp)
        let again = try await scene.answer(.resend, challenge).challenge()
        #expect(again.id == challenge.id && again.state != challenge.state)
        let sent = scene.bodies.map { $0["code_challenge"] }
        #expect(sent.count == 2 && sent[0] != sent[1])
    }

    @Test("a link of another device is told so before anything is sent", .complaint(.supabase, 15))
    func otherDevice() async throws {
        let scene = Scene()
        var challenge = try await asked(scene, .link(identifier: Self.ada))
        var state = try #require(challenge.state.object)
        state["verifier"] = nil
        challenge.state = .object(state)
        let error = try await trouble { [challenge] in
            _ = try await scene.answer(.redirected(Secret("app://cb?code=abc")), challenge)
        }
        #expect(error.code == .refused(.other) && error.supabase == .linkOfAnotherDevice)
        #expect(error.message.contains("code") && scene.transport.requests.count == 1)
    }

    @Test(
        "links that failed say why",
        arguments: [
            ("app://cb#error=access_denied&error_code=otp_expired&sb=", AuthError.Code.refused(.expired)),
            ("app://cb?error=access_denied&error_code=user_banned", .signInRequired(.banned)),
            ("app://cb#message=one&sb=", .refused(.factorRequired)), ("app://cb", .untrusted(.malformed)),
        ])
    func failedLinks(address: String, expected: AuthError.Code) async throws {
        let scene = Scene()
        let challenge = try await asked(scene, .link(identifier: Self.ada))
        #expect(
            try await trouble { _ = try await scene.answer(.redirected(Secret(address)), challenge) }.code == expected)
        #expect(scene.transport.requests.count == 1)
    }

    @Test(
        "an exchange that is refused is not sent again", .complaint(.supabase, 27),
        arguments: [
            ("flow_state_expired", 422), ("flow_state_not_found", 404), ("bad_code_verifier", 400),
        ])
    func exchange(code: String, status: Int) async throws {
        let scene = Scene()
        let challenge = try await asked(scene, .link(identifier: Self.ada))
        scene.refuse("POST", "/token?grant_type=pkce", status, code)
        let error = try await trouble {
            _ = try await scene.answer(.redirected(Secret("app://cb?code=abc")), challenge)
        }
        #expect(error.code == .refused(.expired) && scene.transport.requests.count == 2)
    }

    private func implicit(type: String = "magiclink", leaving out: String? = nil) -> Secret {
        let members = [
            "access_token": accessToken(["amr": [["method": "otp", "timestamp": 1]]]), "token_type": "bearer",
            "expires_in": "3600", "expires_at": "1790003600", "refresh_token": "r9", "sb": "", "type": type,
        ]
        let pairs = members.filter { $0.key != out }.sorted { $0.key < $1.key }
        return Secret("app://cb?screen=home#" + pairs.map { "\($0.key)=\($0.value)" }.joined(separator: "&"))
    }

    @Test("a link that carries its session is taken when it is the session of whoever asked")
    func implicitLink() async throws {
        let scene = Scene()
        let challenge = try await asked(scene, .link(identifier: "Ada@Example.test"))
        scene.expect("GET", "/user", 200, ["id": "u1", "email": "ada@example.test"])
        let grant = try await scene.answer(.redirected(implicit()), challenge).grant()
        #expect(grant.refreshToken == Secret("r9") && grant.sessions.first?.state["user"]?["id"] == "u1")
        #expect(scene.transport.requests.last?.fields["Authorization"]?.hasPrefix("Bearer ey") == true)
    }

    @Test("another person's, an incomplete one, and one that the service does not know, are not")
    func implicitRefused() async throws {
        let scene = Scene()
        let challenge = try await asked(scene, .link(identifier: Self.ada))
        scene.expect("GET", "/user", 200, ["id": "u1", "email": "eve@example.test"])
        scene.expect("POST", "/logout?scope=local", 204)
        let foreign = try await trouble { _ = try await scene.answer(.redirected(implicit()), challenge) }
        #expect(foreign.code == .untrusted(.subject) && foreign.supabase == .sessionNotAskedFor)
        #expect(foreign.message.contains("ended at the service"))
        for member in ["refresh_token", "expires_in", "token_type"] {
            scene.expect("GET", "/user", 200, ["id": "u1", "email": .string(Self.ada)])
            let error = try await trouble {
                _ = try await scene.answer(.redirected(implicit(leaving: member)), challenge)
            }
            #expect(error.code == .untrusted(.malformed) && error.message.contains("$.\(member) "))
        }
        scene.refuse("GET", "/user", 403, "session_not_found")
        #expect(
            try await trouble { _ = try await scene.answer(.redirected(implicit()), challenge) }.code
                == .signInRequired(.refused))
    }

    @Test(
        "an address is the same but for the case of ASCII letters, and by no other rule",
        arguments: [
            ("KATE@example.TEST", true), ("\u{212A}ate@example.test", false), ("kat\u{E9}@example.test", false),
            ("kat\u{65}\u{301}@example.test", false), ("kate@example.test ", false),
        ])
    func sameAddress(asked: String, isSame: Bool) async throws {
        let scene = Scene()
        let challenge = try await self.asked(scene, .link(identifier: asked))
        scene.expect("GET", "/user", 200, ["id": "u1", "email": "kate@example.test"])
        if !isSame { scene.expect("POST", "/logout?scope=local", 204) }
        let turn = try? await scene.answer(.redirected(implicit()), challenge)
        #expect((turn != nil) == isSame)
        try scene.transport.verifyFinished()
        #expect(!UserAnswer.isSame("kat\u{E9}@example.test", "kat\u{65}\u{301}@example.test"))
        // The other bytes that differ by one bit are no letters.
        #expect(!UserAnswer.isSame("[@example.test", "{@example.test"))
    }

    private func recovering(_ scene: Scene) async throws -> Challenge {
        scene.expect("POST", "/recover?redirect_to=app%3A%2F%2Fcb")
        return try await scene.begin(.recover(identifier: Self.ada)).challenge()
    }

    @Test("a lost password: a code, a new password, and the session goes on")
    func recovery() async throws {
        let scene = Scene()
        let challenge = try await recovering(scene)
        #expect(challenge.ask == .code(over: .mail, sentTo: Self.ada))
        scene.expect("POST", "/verify", 200, session(refresh: "r5"))
        let password = try await scene.answer(.code(Secret("123456")), challenge).challenge()
        #expect(password.ask == .newPassword(rules: []) && scene.bodies.last?["type"] == "recovery")
        scene.expect(
            "PUT", "/user", 422,
            [
                "code": "weak_password", "message": "m", "weak_password": ["reasons": ["length"]],
            ])
        let again = try await scene.answer(.password(Secret("short")), password).challenge()
        #expect(again.ask == .newPassword(rules: ["length"]) && again.id == password.id)
        scene.refuse("PUT", "/user", 422, "same_password")
        #expect(
            try await trouble { _ = try await scene.answer(.password(Secret("same")), again) }.code
                == .refused(.passwordNotAccepted))
        scene.expect("PUT", "/user", 200, ["id": "u1", "email": .string(Self.ada), "new": true])
        let grant = try await scene.answer(.password(Secret("long enough")), again).grant()
        #expect(grant.refreshToken == Secret("r5") && grant.sessions.first?.state["user"]?["new"] == true)
        #expect(scene.transport.requests.last?.fields["Authorization"] == "Bearer \(accessToken())")
        #expect(scene.bodies.last == ["password": "long enough"])
    }

    @Test(
        "its link does the same, also where somebody only meant to sign in", .complaint(.supabase, 14),
        arguments: [true, false])
    func recoveryLink(isRecovery: Bool) async throws {
        let scene = Scene()
        let challenge = try await isRecovery ? recovering(scene) : asked(scene, .link(identifier: Self.ada))
        let amr: JSON = [["method": "recovery", "timestamp": 1_700_000_000]]
        scene.expect("POST", "/token?grant_type=pkce", 200, session(claims: ["amr": amr]))
        let password = try await scene.answer(.redirected(Secret("app://cb?code=abc")), challenge).challenge()
        #expect(password.ask == .newPassword(rules: []))
        let implicitScene = Scene()
        let other = try await asked(implicitScene, .link(identifier: Self.ada))
        implicitScene.expect("GET", "/user", 200, ["id": "u1", "email": .string(Self.ada)])
        let answer = Answer.redirected(implicit(type: "recovery"))
        #expect(try await implicitScene.answer(answer, other).challenge().ask == .newPassword(rules: []))
    }

    @Test("who declines the new password is logged out at the service")
    func declinedPassword() async throws {
        let scene = Scene()
        let challenge = try await recovering(scene)
        scene.expect("POST", "/verify", 200, session())
        let password = try await scene.answer(.code(Secret("123456")), challenge).challenge()
        scene.expect("POST", "/logout?scope=local", 204)
        #expect(try await trouble { _ = try await scene.answer(.declined, password) }.code == .declined)
        try scene.transport.verifyFinished()
    }

    @Test("a lost password of a number is a text message, and makes no account")
    func recoveryByPhone() async throws {
        let scene = Scene()
        scene.expect("POST", "/otp")
        let challenge = try await scene.begin(.recover(identifier: "+15550100001")).challenge()
        #expect(
            scene.bodies.first?["create_user"] == false && challenge.ask == .code(over: .sms, sentTo: "+15550100001"))
        scene.expect("POST", "/verify", 200, session())
        #expect(try await scene.answer(.code(Secret("1")), challenge).challenge().ask == .newPassword(rules: []))
    }

    @Test("a captcha in the way of a mail is asked for, and the mail goes out")
    func captcha() async throws {
        let scene = Scene()
        scene.refuse("POST", "/recover", 400, "captcha_failed")
        scene.transport.always(
            "POST", Scene.url + "/recover", .answer(TransportResponse(status: 200, body: Array("{}".utf8))))
        let challenge = try await scene.begin(.recover(identifier: Self.ada)).challenge()
        #expect(challenge.ask == .captcha(siteKey: ""))
        let code = try await scene.answer(.code(Secret("cap")), challenge).challenge()
        #expect(code.ask == .code(over: .mail, sentTo: Self.ada))
        #expect(scene.bodies.last?["gotrue_meta_security"] == ["captcha_token": "cap"])
        _ = try await scene.answer(.resend, code)
        #expect(scene.bodies.last?["gotrue_meta_security"] == nil)
    }
}
