import LatchkeyDevServer
import LatchkeyJSON
import RecordedGoTrue
import Testing

@Suite("Second factors and passwords of the Supabase dialect")
struct SupabaseFactorTests {
    private static let ada = "ada@example.test"

    private func signedIn(
        _ change: (inout DevServer.Supabase) -> Void = { _ in }
    ) async throws -> (SupabaseHarness, bearer: String) {
        let harness = try SupabaseHarness(change)
        harness.user(Self.ada)
        return (harness, try await harness.signIn(Self.ada).accessToken)
    }

    @Test("A phone is asked by SMS, has the gap of all SMS, and raises the session")
    func phone() async throws {
        let (harness, bearer) = try await signedIn()
        let enrolled = try await SecondFactor.enroll(
            harness, bearer: bearer, ["factor_type": "phone", "phone": "+1 555 010 0001"])
        #expect(enrolled.json["phone"] == "+15550100001")
        let factor = try #require(enrolled.json["id"]?.string)
        let challenge = try await harness.post("/factors/\(factor)/challenge", [:], bearer: bearer)
        let again = try await harness.post("/factors/\(factor)/challenge", [:], bearer: bearer)
        #expect(again.status == 429 && again.code == "over_sms_send_rate_limit")
        let message = try harness.newest("15550100001")
        #expect(message.type == "factor" && message.link == nil)
        func verify(_ code: String) async throws -> Answer {
            try await harness.post(
                "/factors/\(factor)/verify",
                ["challenge_id": challenge.json["id"] ?? .null, "code": .string(code)], bearer: bearer)
        }
        #expect(try await verify(message.code == "000000" ? "1" : "000000").code == "mfa_verification_failed")
        let raised = try await verify(message.code)
        #expect(raised.field("Sb-Auth-Session-Id") == nil)
        let methods = RecordedExchange.claims(raised.accessToken)?["amr"]?.array?.compactMap { $0["method"]?.string }
        #expect(Set(methods ?? []) == ["password", "mfa/phone"])
        #expect(try await verify(message.code).code == "mfa_ip_address_mismatch")
    }

    @Test("An unverified factor and a challenge live for five minutes, and a challenge ends once")
    func ages() async throws {
        let (harness, bearer) = try await signedIn()
        let enrolled = try await SecondFactor.enroll(harness, bearer: bearer)
        let factor = try #require(enrolled.json["id"]?.string)
        let secret = try #require(enrolled.json["totp"]?["secret"]?.string)
        harness.advance(299)
        #expect(try await SecondFactor.use(harness, bearer: bearer, factor: factor, secret: secret).status == 200)
        let other = try await harness.signIn(Self.ada).accessToken
        let challenge = try await harness.post("/factors/\(factor)/challenge", [:], bearer: other)
        harness.advance(300)
        let code = try #require(DevServer.TOTP.code(secret: secret, at: harness.now))
        let body: JSON = ["challenge_id": challenge.json["id"] ?? .null, "code": .string(code)]
        for expected in ["mfa_challenge_expired", "mfa_factor_not_found"] {
            #expect(try await harness.post("/factors/\(factor)/verify", body, bearer: other).code == expected)
        }
        let high = try await raised(harness, factor, secret)
        let unused = try await SecondFactor.enroll(
            harness, bearer: high, ["factor_type": "totp", "friendly_name": "late"])
        harness.advance(300)
        let late = try #require(unused.json["id"]?.string)
        #expect(try await harness.post("/factors/\(late)/challenge", [:], bearer: high).code == "mfa_factor_not_found")
    }

    private func raised(_ harness: SupabaseHarness, _ factor: String, _ secret: String) async throws -> String {
        let bearer = try await harness.signIn(Self.ada).accessToken
        return try await SecondFactor.use(harness, bearer: bearer, factor: factor, secret: secret).accessToken
    }

    @Test("A factor's name is its own, and a second one takes the level of the first")
    func names() async throws {
        let (harness, bearer) = try await signedIn()
        let named: JSON = ["factor_type": "totp", "friendly_name": "phone"]
        #expect(try await SecondFactor.enroll(harness, bearer: bearer, named).status == 200)
        #expect(try await SecondFactor.enroll(harness, bearer: bearer, named).code == "mfa_factor_name_conflict")
        _ = try await SecondFactor.verify(harness, bearer: bearer)
        let low = try await harness.signIn(Self.ada).accessToken
        let refused = try await SecondFactor.enroll(
            harness, bearer: low, ["factor_type": "totp", "friendly_name": "of an app"])
        #expect(refused.status == 403 && refused.code == "insufficient_aal")
    }

    @Test("No name is a name too: a second factor without one is refused while the first is there")
    func unnamed() async throws {
        let (harness, bearer) = try await signedIn()
        func enroll(_ body: JSON) async throws -> Answer {
            try await harness.post("/factors", body, bearer: bearer)
        }
        let first = try await enroll(["factor_type": "totp"])
        #expect(first.status == 200 && first.json["friendly_name"] == "")
        for body: JSON in [
            ["factor_type": "totp"], ["factor_type": "totp", "friendly_name": ""], ["factor_type": "webauthn"],
            ["factor_type": "phone", "phone": "+15550100001"],
        ] {
            let second = try await enroll(body)
            #expect(second.status == 422 && second.code == "mfa_factor_name_conflict")
            #expect(second.json["message"]?.string?.contains("\"\"") == true)
        }
        #expect(try await enroll(["factor_type": "totp", "friendly_name": "another"]).status == 200)
        let id = first.json["id"]?.string ?? ""
        #expect(try await harness.send("DELETE", "/factors/\(id)", bearer: bearer).status == 200)
        #expect(try await enroll(["factor_type": "webauthn"]).status == 200)
        harness.advance(300)
        #expect(try await enroll(["factor_type": "totp"]).status == 200, "what was given up stands in the way for ever")
    }

    @Test("A phone that was not verified is replaced by its next enrolment")
    func phoneAgain() async throws {
        let (harness, bearer) = try await signedIn()
        let phone: JSON = ["factor_type": "phone", "phone": "+15550100001"]
        let first = try await harness.post("/factors", phone, bearer: bearer)
        let second = try await harness.post("/factors", phone, bearer: bearer)
        #expect(first.status == 200 && second.status == 200 && first.json["id"] != second.json["id"])
    }

    @Test("An anonymous person has no factors, and a password only with an address")
    func anonymous() async throws {
        let harness = try SupabaseHarness()
        let bearer = try await harness.post("/signup", [:]).accessToken
        let refused = try await SecondFactor.enroll(harness, bearer: bearer)
        #expect(refused.status == 403 && refused.code == "no_authorization")
        let password = try await harness.send("PUT", "/user", ["password": "long enough"], bearer: bearer)
        #expect(password.status == 422 && password.code == "validation_failed")
        let both = try await harness.send(
            "PUT", "/user", ["email": "new@example.test", "password": "long enough"], bearer: bearer)
        #expect(both.status == 200 && both.json["is_anonymous"] == true)
        let code = try harness.newest("new@example.test").code
        let session = try await harness.post(
            "/verify", ["type": "email_change", "email": "new@example.test", "token": .string(code)])
        #expect(session.json["user"]?["is_anonymous"] == false)
        #expect(try await harness.signIn("new@example.test", password: "long enough").status == 200)
    }

    @Test("A new password ends the other sessions and what is under way by mail; who forgot the old one needs none")
    func password() async throws {
        let (harness, _) = try await signedIn { $0.needsCurrentPassword = true }
        _ = try await harness.post("/recover", ["email": .string(Self.ada)])
        let code = try harness.newest(Self.ada).code
        let recovered = try await harness.post(
            "/verify", ["type": "recovery", "email": .string(Self.ada), "token": .string(code)])
        let changed = try await harness.send(
            "PUT", "/user", ["password": "other horse 1"], bearer: recovered.accessToken)
        #expect(changed.status == 200)
        #expect(harness.server.supabaseSessions(of: Self.ada).map(\.methods) == [["otp"]])
        let typed = try await harness.signIn(Self.ada, password: "other horse 1").accessToken
        let body: JSON = ["password": "third horse 1", "current_password": "other horse 1"]
        #expect(try await harness.send("PUT", "/user", body, bearer: typed).status == 200)
        #expect(harness.server.supabaseSessions(of: Self.ada).map(\.methods) == [["password"]])
    }
}
