import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

@testable import LatchkeySupabase

@Suite("A further factor as part of signing in")
struct FactorTests {
    static let grant = "/token?grant_type=password"
    static let signIn: SignInRequest = SignInRequest.signIn(
        .password(identifier: "ada@example.test", Secret("correct horse")))
    static let totp: JSON = ["id": "f-totp", "factor_type": "totp", "status": "verified", "friendly_name": "mine"]
    static let phone: JSON = [
        "id": "f-phone", "factor_type": "phone", "status": "verified", "phone": "+15550100001",
    ]
    static let passkey: JSON = ["id": "f-key", "factor_type": "webauthn", "status": "verified"]
    static let raised: JSON = session(refresh: "r-aal2", claims: ["aal": "aal2"], user: ["factors": [totp]])

    private func half(_ factors: JSON..., more: [String: JSON] = [:]) -> JSON {
        session(refresh: "r-aal1", user: ["factors": .array(factors)], more: more)
    }

    /// Signed in with the first factor; the service has asked for the app's code.
    private func asked(_ scene: Scene) async throws -> Challenge {
        scene.expect("POST", Self.grant, 200, half(Self.totp))
        scene.expect(
            "POST", "/factors/f-totp/challenge", 200, ["id": "c1", "type": "totp", "expires_at": 1_790_000_300])
        return try await scene.begin(Self.signIn).challenge()
    }

    @Test("a verified app is asked for, and the session comes only then")
    func totp() async throws {
        let scene = Scene()
        let challenge = try await asked(scene)
        #expect(
            challenge.ask == .totp
                && scene.transport.requests.last?.fields["Authorization"] == "Bearer \(accessToken())")
        #expect(scene.bodies.last == [:])
        scene.expect("POST", "/factors/f-totp/verify", 200, Self.raised)
        let grant = try await scene.answer(.code(Secret("123456")), challenge).grant()
        #expect(scene.bodies.last == ["challenge_id": "c1", "code": "123456"])
        #expect(grant.refreshToken == Secret("r-aal2") && grant.sessions.first?.id == AuthSession.ID("s1"))
    }

    @Test("a wrong code may be corrected on the same challenge")
    func wrong() async throws {
        let scene = Scene()
        let challenge = try await asked(scene)
        scene.refuse("POST", "/factors/f-totp/verify", 422, "mfa_verification_failed")
        #expect(
            try await trouble { _ = try await scene.answer(.code(Secret("0")), challenge) }.code
                == .refused(.wrongInput))
        scene.expect("POST", "/factors/f-totp/verify", 200, Self.raised)
        _ = try await scene.answer(.code(Secret("123456")), challenge).grant()
    }

    @Test(
        "a challenge that the service dropped is asked for anew",
        arguments: [
            "mfa_challenge_expired", "mfa_factor_not_found", "mfa_ip_address_mismatch",
        ])
    func dropped(code: String) async throws {
        let scene = Scene()
        let challenge = try await asked(scene)
        scene.refuse("POST", "/factors/f-totp/verify", 422, code)
        scene.expect("POST", "/factors/f-totp/challenge", 200, ["id": "c2"])
        let again = try await scene.answer(.code(Secret("123456")), challenge).challenge()
        #expect(again.ask == .totp && again.id != challenge.id)
        scene.expect("POST", "/factors/f-totp/verify", 200, Self.raised)
        _ = try await scene.answer(.code(Secret("123456")), again).grant()
        #expect(scene.bodies.last?["challenge_id"] == "c2")
    }

    @Test(
        "who declines is logged out of the half-way session, and is told `declined` whatever comes of it",
        arguments: [204, 500])
    func declined(status: Int) async throws {
        let scene = Scene()
        let challenge = try await asked(scene)
        scene.expect("POST", "/logout?scope=local", status)
        #expect(try await trouble { _ = try await scene.answer(.declined, challenge) }.code == .declined)
        #expect(scene.transport.requests.last?.fields["Authorization"] == "Bearer \(accessToken())")
        try scene.transport.verifyFinished()
    }

    @Test("a challenge that cannot be had ends the half-way session")
    func noChallenge() async throws {
        let scene = Scene()
        scene.expect("POST", Self.grant, 200, half(Self.totp))
        scene.refuse("POST", "/factors/f-totp/challenge", 422, "mfa_totp_verify_not_enabled")
        scene.expect("POST", "/logout?scope=local", 204)
        #expect(try await trouble { _ = try await scene.begin(Self.signIn) }.code == .configuration(.unsupported))
        try scene.transport.verifyFinished()
    }

    @Test("between several the person chooses")
    func several() async throws {
        let scene = Scene()
        scene.expect("POST", Self.grant, 200, half(Self.totp, Self.phone, Self.passkey))
        let choice = try await scene.begin(Self.signIn).challenge()
        #expect(
            choice.ask
                == .choose([
                    .init(id: "f-totp", label: "Authenticator app mine"),
                    .init(id: "f-phone", label: "Text message to +15550100001"),
                ]))
        let wrong = try await trouble { _ = try await scene.answer(.choice("f-key"), choice) }
        #expect(wrong.code == .refused(.wrongInput) && scene.transport.requests.count == 1)
        scene.expect("POST", "/factors/f-phone/challenge", 200, ["id": "c3", "type": "phone"])
        let code = try await scene.answer(.choice("f-phone"), choice).challenge()
        #expect(code.ask == .code(over: .sms, sentTo: "+15550100001") && scene.bodies.last == ["channel": "sms"])
        #expect(code.resendAfter == .seconds(60))
        scene.expect("POST", "/factors/f-phone/challenge", 200, ["id": "c4", "type": "phone"])
        let again = try await scene.answer(.resend, code).challenge()
        scene.refuse("POST", "/factors/f-phone/challenge", 429, "over_sms_send_rate_limit", message: "after 9 seconds")
        let early = try await scene.answer(.resend, again).challenge()
        #expect(early.id == again.id && early.resendAfter == .seconds(10) && early.state == again.state)
        scene.expect("POST", "/factors/f-phone/verify", 200, Self.raised)
        _ = try await scene.answer(.code(Secret("123456")), again).grant()
        #expect(scene.bodies.last == ["challenge_id": "c4", "code": "123456"])
    }

    @Test("a passkey counts where the app says for whom")
    func passkey() async throws {
        var scene = Scene()
        scene.provider.relyingParty = .init(id: "app.test", origins: ["https://app.test"])
        scene.expect("POST", Self.grant, 200, half(Self.passkey))
        let options: JSON = ["challenge": "x"]
        scene.expect(
            "POST", "/factors/f-key/challenge", 200,
            ["id": "c5", "webauthn": ["type": "request", "credential_options": ["publicKey": options]]])
        let challenge = try await scene.begin(Self.signIn).challenge()
        #expect(challenge.ask == .passkey(request: options))
        #expect(scene.bodies.last == ["webauthn": ["rpId": "app.test", "rpOrigins": ["https://app.test"]]])
        scene.expect("POST", "/factors/f-key/verify", 200, Self.raised)
        _ = try await scene.answer(.assertion(Secret("{\"id\":\"k\"}")), challenge).grant()
        #expect(scene.bodies.last?["webauthn"] == ["type": "request", "credential_response": ["id": "k"]])
        let error = try await trouble { [scene] in _ = try await scene.answer(.assertion(Secret("k")), challenge) }
        #expect(error.code == .refused(.wrongInput))
    }

    static let complete: [JSON] = [
        session(claims: ["aal": "aal2"], user: ["factors": [totp]]),
        session(user: ["factors": [["id": "f", "factor_type": "totp", "status": "unverified"]]]),
        session(user: ["factors": [["id": "f", "factor_type": "of_tomorrow", "status": "verified"]]]),
        session(user: ["factors": [["id": "../admin", "factor_type": "totp", "status": "verified"]]]),
        session(user: ["factors": .null]),
    ]

    @Test("a session that needs no more is not asked", arguments: complete)
    func notAsked(answer: JSON) async throws {
        let scene = Scene()
        scene.expect("POST", Self.grant, 200, answer)
        _ = try await scene.begin(Self.signIn).grant()
    }

    @Test("an app that asks by itself is not helped")
    func switchedOff() async throws {
        var scene = Scene()
        scene.provider.asksForFactors = false
        scene.expect("POST", Self.grant, 200, half(Self.totp))
        #expect(try await scene.begin(Self.signIn).grant().refreshToken == Secret("r-aal1"))
    }

    @Test("the half-way session is in the challenge's state alone, which prints nothing")
    func secrecy() async throws {
        let scene = Scene()
        let challenge = try await asked(scene)
        var dumped = ""
        dump(challenge, to: &dumped)
        for secret in ["r-aal1", accessToken()] {
            #expect(!dumped.contains(secret) && !"\(challenge)".contains(secret))
            #expect(String(decoding: challenge.state.serialized(), as: UTF8.self).contains(secret))
        }
    }

    @Test("the provider's tokens of the first half are not lost with it")
    func providerTokens() async throws {
        let scene = Scene()
        let visit = try await scene.begin(.signIn(.browser(connection: "github"))).challenge()
        scene.expect("POST", "/token?grant_type=pkce", 200, half(Self.totp, more: ["provider_token": "gh"]))
        scene.expect("POST", "/factors/f-totp/challenge", 200, ["id": "c1"])
        let challenge = try await scene.answer(.redirected(Secret("app://cb?code=abc")), visit).challenge()
        scene.expect("POST", "/factors/f-totp/verify", 200, Self.raised)
        let grant = try await scene.answer(.code(Secret("123456")), challenge).grant()
        #expect(grant.sessions.first?.state["provider_tokens"]?["provider_token"] == "gh")
    }

    @Test("a lost password of somebody with a factor: first the factor, then the password")
    func recovery() async throws {
        let scene = Scene()
        scene.expect("POST", "/recover")
        let mail = try await scene.begin(.recover(identifier: "ada@example.test")).challenge()
        scene.expect("POST", "/verify", 200, half(Self.totp))
        scene.expect("POST", "/factors/f-totp/challenge", 200, ["id": "c1"])
        let factor = try await scene.answer(.code(Secret("1")), mail).challenge()
        scene.expect("POST", "/factors/f-totp/verify", 200, Self.raised)
        let password = try await scene.answer(.code(Secret("2")), factor).challenge()
        #expect(factor.ask == .totp && password.ask == .newPassword(rules: []))
        scene.expect("PUT", "/user", 200, ["id": "u1"])
        #expect(
            try await scene.answer(.password(Secret("long enough")), password).grant().refreshToken == Secret("r-aal2"))
    }

    @Test("how long a challenge lasts is read by the clock of the answer itself", arguments: [-86_400.0, 0, 86_400])
    func expiry(ahead: Double) async throws {
        let scene = Scene()
        let server = scene.clock.wall().addingTimeInterval(ahead)
        scene.expect("POST", Self.grant, 200, half(Self.totp))
        scene.expect(
            "POST", "/factors/f-totp/challenge", 200,
            ["id": "c1", "expires_at": .integer(Int64(server.timeIntervalSince1970) + 200)],
            header: HeaderFields([("Date", HTTPDateText.of(server))]))
        let challenge = try await scene.begin(Self.signIn).challenge()
        let left = try #require(challenge.expiresAt).timeIntervalSince(scene.clock.wall())
        #expect((198...201).contains(left))
    }

    @Test("an answer that lacks what is needed is named")
    func malformed() async throws {
        let scene = Scene()
        scene.expect("POST", Self.grant, 200, half(Self.totp))
        scene.expect("POST", "/factors/f-totp/challenge", 200, ["type": "totp"])
        scene.expect("POST", "/logout?scope=local", 204)
        #expect(try await trouble { _ = try await scene.begin(Self.signIn) }.message.contains("$.id is missing"))
    }
}

/// A date as the header `Date` writes it.
enum HTTPDateText {
    static func of(_ date: Date) -> String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
        func two(_ value: Int?) -> String { "\((value ?? 0) < 10 ? "0" : "")\(value ?? 0)" }
        return
            "\(days[(parts.weekday ?? 1) - 1]), \(two(parts.day)) \(months[(parts.month ?? 1) - 1]) \(parts.year ?? 0) "
            + "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) GMT"
    }
}
