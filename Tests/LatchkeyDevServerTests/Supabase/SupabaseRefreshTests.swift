import LatchkeyDevServer
import LatchkeyJSON
import RecordedGoTrue
import Testing

@Suite("Refresh tokens of the Supabase dialect")
struct SupabaseRefreshTests {
    private func harness(_ change: (inout DevServer.Supabase) -> Void = { _ in }) throws -> SupabaseHarness {
        let harness = try SupabaseHarness(change)
        harness.user("ada@example.test")
        return harness
    }

    /// What a token gives: the answer's newest token, or the code of the refusal.
    private func outcome(_ harness: SupabaseHarness, _ token: String) async throws -> String {
        let answer = try await harness.refresh(token)
        return answer.status == 200 ? answer.refreshToken : answer.code ?? "\(answer.status)"
    }

    @Test("Generation 1: the parent of the newest token gives the newest, at any age and without a new one")
    func parent() async throws {
        let harness = try harness { ($0.refreshTokens, $0.reuseInterval) = (.v1, 0) }
        let first = try await harness.signIn("ada@example.test")
        #expect(first.refreshToken.wholeMatch(of: /[a-z0-9]{12}/) != nil)
        #expect(first.field("Sb-Auth-Refresh-Token-Prefix") == String(first.refreshToken.prefix(5)))
        let second = try await harness.refresh(first.refreshToken)
        #expect(second.field("Sb-Auth-Refresh-Token-Reuse") == "false")
        for _ in 0..<3 {
            harness.advance(10_000)
            let again = try await harness.refresh(first.refreshToken)
            #expect(again.refreshToken == second.refreshToken)
            #expect(again.field("Sb-Auth-Refresh-Token-Reuse") == nil)
            #expect(again.field("Sb-Auth-Refresh-Token-Reuse-Cause") == nil)
        }
    }

    @Test(
        "Generation 1: an older token kills the refresh tokens, not the session and its access tokens",
        arguments: [5.0, 11])
    func revoked(later: Double) async throws {
        let harness = try harness { ($0.refreshTokens, $0.reuseInterval) = (.v1, 10) }
        let first = try await harness.signIn("ada@example.test")
        let second = try await harness.refresh(first.refreshToken)
        let third = try await harness.refresh(second.refreshToken)
        harness.advance(11)
        #expect(try await outcome(harness, first.refreshToken) == "refresh_token_already_used")
        #expect(try await harness.send("GET", "/user", bearer: third.accessToken).status == 200)
        // The revocation started the interval anew.
        harness.advance(later)
        #expect(try await harness.refresh(third.refreshToken).status == (later < 10 ? 200 : 400))
    }

    @Test("Generation 1: within the interval an older token begins a second branch")
    func branches() async throws {
        let harness = try harness { ($0.refreshTokens, $0.reuseInterval) = (.v1, 10) }
        let first = try await harness.signIn("ada@example.test")
        let second = try await harness.refresh(first.refreshToken)
        let third = try await harness.refresh(second.refreshToken)
        let branch = try await harness.refresh(first.refreshToken)
        #expect(branch.status == 200 && branch.refreshToken != third.refreshToken)
        #expect(try await harness.refresh(third.refreshToken).status == 200)
        #expect(try await harness.refresh(branch.refreshToken).status == 200)
    }

    @Test("The step from generation 1 to 2 has no parent rule, and its session lives on for who has the new token")
    func upgrade() async throws {
        let harness = try harness { ($0.refreshTokens, $0.reuseInterval) = (.v1, 10) }
        let old = try await harness.signIn("ada@example.test").refreshToken
        harness.change { $0.refreshTokens = .v2 }
        let new = try await harness.refresh(old)
        #expect(new.refreshToken.utf8.count >= 51)
        #expect(try await outcome(harness, old) == new.refreshToken)
        harness.advance(11)
        #expect(try await outcome(harness, old) == "refresh_token_already_used")
        harness.change { $0.refreshTokens = .v1 }
        let next = try await harness.refresh(new.refreshToken)
        #expect(next.status == 200 && next.refreshToken.utf8.count >= 51)
    }

    @Test(
        "Generation 2: what a token two steps old does, by interval and age",
        arguments: [(0.0, 0.0), (10, 11), (10, 5)])
    func twoSteps(interval: Double, age: Double) async throws {
        let harness = try harness { $0.reuseInterval = interval }
        let first = try await harness.signIn("ada@example.test")
        let second = try await harness.refresh(first.refreshToken)
        let third = try await harness.refresh(second.refreshToken)
        harness.advance(age)
        let isForgiven = age < interval
        #expect(
            try await outcome(harness, first.refreshToken)
                == (isForgiven ? third.refreshToken : "refresh_token_already_used"))
        #expect(
            try await outcome(harness, third.refreshToken) == "refresh_token_not_found"
                || isForgiven)
        let outcomes = harness.server.supabaseRefreshes().map(\.outcome)
        #expect(outcomes.prefix(3) == ["rotated", "rotated", isForgiven ? "reused" : "refresh_token_already_used"])
    }

    @Test("Without rotation an old token is refused and its session lives")
    func noRotation() async throws {
        let harness = try harness { ($0.reuseInterval, $0.rotation) = (0, false) }
        let first = try await harness.signIn("ada@example.test")
        let third = try await harness.refresh(try await harness.refresh(first.refreshToken).refreshToken)
        #expect(try await outcome(harness, first.refreshToken) == "refresh_token_already_used")
        #expect(try await harness.refresh(third.refreshToken).status == 200)
    }

    @Test("Whatever is no token of this server is told apart from a dead one")
    func malformed() async throws {
        let harness = try harness()
        let token = try await harness.signIn("ada@example.test").refreshToken
        let other = try SupabaseHarness()
        other.user("ada@example.test")
        let foreign = try await other.signIn("ada@example.test").refreshToken
        let rows = [
            ("", "validation_failed"), ("abc", "validation_failed"), (String(token.dropLast()), "validation_failed"),
            (token + "A", "validation_failed"), ("B" + token.dropFirst(), "validation_failed"),
            (String(repeating: "a", count: 22), "validation_failed"), (foreign, "refresh_token_not_found"),
            ("aaaaaaaaaaaa", "refresh_token_not_found"),
        ]
        for (token, code) in rows { #expect(try await outcome(harness, token) == code) }
        #expect(try await harness.post("/token?grant_type=refresh_token", [:]).code == "validation_failed")
        #expect(try await harness.refresh(token).status == 200)
    }

    @Test(
        "A second factor moves the counter by two: the token from before it kills the session once the interval is over"
    )
    func secondFactor() async throws {
        let harness = try harness()
        let first = try await harness.signIn("ada@example.test")
        harness.advance(11)
        let raised = try await SecondFactor.verify(harness, bearer: first.accessToken)
        #expect(raised.status == 200)
        #expect(harness.server.supabaseSessions(of: "ada@example.test").map(\.counter) == [2])
        #expect(try await outcome(harness, first.refreshToken) == "refresh_token_already_used")
        #expect(try await outcome(harness, raised.refreshToken) == "refresh_token_not_found")
    }

    @Test("Within the interval the token from before a second factor gives the newest, at the higher level")
    func secondFactorInTime() async throws {
        let harness = try harness()
        let first = try await harness.signIn("ada@example.test")
        let raised = try await SecondFactor.verify(harness, bearer: first.accessToken)
        let again = try await harness.refresh(first.refreshToken)
        #expect(again.refreshToken == raised.refreshToken)
        #expect(RecordedExchange.claims(again.accessToken)?["aal"] == "aal2")
    }

    @Test("Generation 1 swaps its token once for a second factor, and the parent rule holds")
    func secondFactorOld() async throws {
        let harness = try harness { ($0.refreshTokens, $0.reuseInterval) = (.v1, 0) }
        let first = try await harness.signIn("ada@example.test")
        let raised = try await SecondFactor.verify(harness, bearer: first.accessToken)
        harness.advance(100)
        #expect(try await outcome(harness, first.refreshToken) == raised.refreshToken)
    }

    @Test("A session ends by age, by a pause, at the low level, and by a newer sign-in; each says which")
    func ends() async throws {
        let rows: [(@Sendable (inout DevServer.Supabase) -> Void, String)] = [
            ({ $0.timeBox = 50 }, "Invalid Refresh Token: Session Expired"),
            ({ $0.inactivity = 50 }, "Invalid Refresh Token: Session Expired (Inactivity)"),
            (
                { $0.lowLevelLimit = 50 },
                "Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)"
            ),
            ({ $0.allowsOneSession = true }, "Invalid Refresh Token: Session Expired (Revoked by Newer Login)"),
        ]
        for (change, message) in rows {
            let harness = try harness()
            let enrolled = try await harness.signIn("ada@example.test")
            _ = try await SecondFactor.verify(harness, bearer: enrolled.accessToken)
            let first = try await harness.signIn("ada@example.test")
            harness.change(change)
            harness.advance(60)
            _ = try await harness.signIn("ada@example.test")
            let answer = try await harness.refresh(first.refreshToken)
            #expect(answer.code == "session_expired")
            #expect(answer.json["message"]?.string == message)
        }
    }

    @Test("At the low level an access token ends with its session")
    func capped() async throws {
        let harness = try harness { $0.lowLevelLimit = 20 }
        let first = try await harness.signIn("ada@example.test")
        #expect(first.json["expires_in"] == 3600)
        _ = try await SecondFactor.verify(harness, bearer: first.accessToken)
        #expect(try await harness.signIn("ada@example.test").json["expires_in"] == 20)
    }
}

/// A second factor, enrolled and used.
enum SecondFactor {
    static func enroll(_ harness: SupabaseHarness, bearer: String, _ body: JSON = ["factor_type": "totp"]) async throws
        -> Answer
    { try await harness.post("/factors", body, bearer: bearer) }

    /// Enrols an authenticator app and uses it at once.
    static func verify(_ harness: SupabaseHarness, bearer: String) async throws -> Answer {
        let factor = try await enroll(harness, bearer: bearer)
        let id = try #require(factor.json["id"]?.string)
        return try await use(
            harness, bearer: bearer, factor: id, secret: try #require(factor.json["totp"]?["secret"]?.string))
    }

    static func use(_ harness: SupabaseHarness, bearer: String, factor: String, secret: String) async throws -> Answer {
        let challenge = try await harness.post("/factors/\(factor)/challenge", [:], bearer: bearer)
        let code = try #require(DevServer.TOTP.code(secret: secret, at: harness.now))
        return try await harness.post(
            "/factors/\(factor)/verify",
            ["challenge_id": challenge.json["id"] ?? .null, "code": .string(code)], bearer: bearer)
    }
}
