import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import RecordedGoTrue
import Testing

@Suite("Codes, links and flows of the Supabase dialect")
struct SupabaseFlowTests {
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let pair: [String: JSON] = [
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "s256",
    ]

    private func harness(_ change: (inout DevServer.Supabase) -> Void = { _ in }) throws -> SupabaseHarness {
        let harness = try SupabaseHarness(change)
        harness.user("ada@example.test")
        return harness
    }

    private func ask(
        _ harness: SupabaseHarness, _ target: String, _ body: [String: JSON], hasPair: Bool = true
    ) async throws {
        let all = hasPair ? body.merging(Self.pair) { $1 } : body
        let answer = try await harness.post("\(target)?redirect_to=latchkey-demo%3A%2F%2Fcb", .object(all))
        try #require(answer.status == 200, "\(answer.text)")
    }

    /// Clicks on the newest link to somebody.
    private func click(_ harness: SupabaseHarness, _ recipient: String = "ada@example.test") async throws -> Answer {
        let link = try #require(try harness.newest(recipient).link)
        let start = try #require(link.firstRange(of: "/auth/v1")?.upperBound)
        return try await harness.send("GET", String(link[start...]))
    }

    private func exchange(_ harness: SupabaseHarness, _ code: String?) async throws -> Answer {
        try await harness.post(
            "/token?grant_type=pkce",
            ["auth_code": .string(try #require(code)), "code_verifier": .string(Self.verifier)])
    }

    private func methods(_ answer: Answer) -> [String] {
        let list = RecordedExchange.claims(answer.accessToken)?["amr"]?.array ?? []
        return list.compactMap { $0["method"]?.string }
    }

    @Test("Under PKCE the session tells what the mail was for", arguments: ["magiclink", "recovery", "email/signup"])
    func method(expected: String) async throws {
        let harness = try harness()
        let recipient = expected == "email/signup" ? "new@example.test" : "ada@example.test"
        switch expected {
        case "magiclink": try await ask(harness, "/otp", ["email": "ada@example.test"])
        case "recovery": try await ask(harness, "/recover", ["email": "ada@example.test"])
        default: try await ask(harness, "/signup", ["email": .string(recipient), "password": "long enough"])
        }
        let landed = try await click(harness, recipient)
        #expect(landed.status == 303)
        #expect(landed.field("Location")?.hasPrefix("latchkey-demo://cb?code=") == true)
        let session = try await exchange(harness, landed.landing["code"])
        #expect(methods(session) == [expected])
        #expect(session.json["provider_token"] == nil)
    }

    @Test(
        "A recovery link of more than 300 seconds ago looks good and ends at the exchange; a magic link counts from the click"
    )
    func ageing() async throws {
        let harness = try harness { $0.resendGap = 0 }
        try await ask(harness, "/recover", ["email": "ada@example.test"])
        harness.advance(301)
        let late = try await click(harness).landing["code"]
        #expect(try await exchange(harness, late).code == "flow_state_expired")
        try await ask(harness, "/otp", ["email": "ada@example.test"])
        harness.advance(301)
        let fresh = try await click(harness).landing["code"]
        harness.advance(299)
        #expect(try await exchange(harness, fresh).status == 200)
        try await ask(harness, "/otp", ["email": "ada@example.test"])
        let old = try await click(harness).landing["code"]
        harness.advance(301)
        #expect(try await exchange(harness, old).code == "flow_state_expired")
    }

    @Test("A late sign-up link confirms the address all the same")
    func lateSignUp() async throws {
        let harness = try harness()
        try await ask(harness, "/signup", ["email": "new@example.test", "password": "long enough"])
        harness.advance(301)
        let code = try await click(harness, "new@example.test").landing["code"]
        #expect(try await exchange(harness, code).code == "flow_state_expired")
        #expect(try await harness.signIn("new@example.test", password: "long enough").status == 200)
    }

    @Test("Sent again without a pair, a link is implicit; only the newest link works")
    func implicitResend() async throws {
        let harness = try harness { $0.resendGap = 0 }
        try await ask(harness, "/signup", ["email": "new@example.test", "password": "long enough"])
        let first = try harness.newest("new@example.test")
        try await ask(harness, "/resend", ["type": "signup", "email": "new@example.test"], hasPair: false)
        let old = try await harness.send(
            "GET", "/verify?token=\(first.tokenHash ?? "")&type=signup&redirect_to=latchkey-demo%3A%2F%2Fcb")
        #expect(old.landing["error_code"] == "otp_expired" && old.landing["error"] == "access_denied")
        // A link of a flow with PKCE tells the error in the query as well.
        #expect(old.field("Location")?.hasPrefix("latchkey-demo://cb?error=") == true)
        let landed = try await click(harness, "new@example.test")
        #expect(landed.landing["type"] == "signup" && landed.landing["access_token"] != nil)
        #expect(landed.landing["sb"]?.isEmpty == true)
    }

    @Test("The hash of a link works where the code does, of a flow with PKCE too, and once")
    func hash() async throws {
        let harness = try harness()
        try await ask(harness, "/otp", ["email": "ada@example.test"])
        let hash = try #require(try harness.newest("ada@example.test").tokenHash)
        #expect(hash.hasPrefix("pkce_"))
        let body: JSON = ["type": "magiclink", "token_hash": .string(hash)]
        let session = try await harness.post("/verify", body)
        #expect(methods(session) == ["otp"])
        #expect(try await harness.post("/verify", body).code == "otp_expired")
    }

    @Test("A code lives for an hour, survives wrong tries, and is void once another is sent")
    func code() async throws {
        let harness = try harness { $0.resendGap = 0 }
        func verify(_ code: String) async throws -> Answer {
            try await harness.post(
                "/verify", ["type": "email", "email": "ada@example.test", "token": .string(code)])
        }
        try await ask(harness, "/otp", ["email": "ada@example.test"], hasPair: false)
        let first = try harness.newest("ada@example.test").code
        for _ in 0..<5 { #expect(try await verify(first == "111111" ? "222222" : "111111").code == "otp_expired") }
        try await ask(harness, "/otp", ["email": "ada@example.test"], hasPair: false)
        let second = try harness.newest("ada@example.test").code
        if first != second { #expect(try await verify(first).code == "otp_expired") }
        harness.advance(3600)
        #expect(try await verify(second).status == 200)
        try await ask(harness, "/otp", ["email": "ada@example.test"], hasPair: false)
        harness.advance(3601)
        #expect(try await verify(try harness.newest("ada@example.test").code).code == "otp_expired")
    }

    @Test("One gap for codes, magic links and recovery; another for reauthentication; the seconds are told")
    func gaps() async throws {
        let harness = try harness()
        let bearer = try await harness.signIn("ada@example.test").accessToken
        try await ask(harness, "/otp", ["email": "ada@example.test"], hasPair: false)
        harness.advance(18.5)
        for target in ["/otp", "/magiclink", "/recover"] {
            let answer = try await harness.post(target, ["email": "ada@example.test"])
            #expect(answer.status == 429 && answer.code == "over_email_send_rate_limit")
            #expect(answer.json["message"]?.string?.contains(" 41 seconds") == true)
            #expect(answer.field("Retry-After") == nil)
        }
        #expect(try await harness.send("GET", "/reauthenticate", bearer: bearer).status == 200)
        harness.advance(42)
        try await ask(harness, "/recover", ["email": "ada@example.test"], hasPair: false)
    }

    @Test(
        "Links lead only where they may",
        arguments: [
            ("latchkey-demo://cb", true), ("latchkey-demo://", true), ("latchkey-demo:///cb?a=1#b", true),
            ("latchkey-demo:/cb", false), ("LATCHKEY-DEMO://cb", false), ("https://app.example.test/any/path", true),
            ("https://one.example.test/cb", true), ("https://one.two.example.test/cb", false),
            ("http://127.0.0.1:51234/cb", true), ("http://[::1]:51234/cb", true), ("http://localhost:51234/cb", false),
            ("https://evil.test/cb", false), ("https://app.example.test.evil.test/", false), ("nothing", false),
            ("latchkey-demo://cb\r\nX-Evil: 1", false), ("latchkey-demo://a b", false),
        ])
    func redirect(target: String, isAllowed: Bool) async throws {
        let harness = try harness { $0.redirects = ["latchkey-demo://**", "https://*.example.test/cb"] }
        let query = FormPairs.encode([("provider", "github"), ("redirect_to", target)])
        let visit = try await harness.send("GET", "/authorize?\(query)")
        let provided = try await harness.send("GET", try #require(Self.below(visit.field("Location"))))
        let landed = try await harness.send("GET", try #require(Self.below(provided.field("Location"))))
        let place = landed.field("Location") ?? ""
        #expect(place.hasPrefix(isAllowed ? target : "https://app.example.test/welcome#"))
    }

    private static func below(_ address: String?) -> String? {
        guard let address, let start = address.firstRange(of: "/auth/v1")?.upperBound else { return nil }
        return String(address[start...])
    }

    @Test("With one confirmation the new address alone agrees, and the old one is free again")
    func emailChange() async throws {
        let harness = try harness { $0.needsBothAddresses = false }
        let bearer = try await harness.signIn("ada@example.test").accessToken
        let asked = try await harness.send("PUT", "/user", ["email": "new@example.test"], bearer: bearer)
        #expect(asked.json["new_email"] == "new@example.test")
        #expect(harness.server.inbox().map(\.to) == ["new@example.test"])
        let code = try harness.newest("new@example.test").code
        for (address, status) in [("ada@example.test", 403), ("new@example.test", 200)] {
            let answer = try await harness.post(
                "/verify", ["type": "email_change", "email": .string(address), "token": .string(code)])
            #expect(answer.status == status)
        }
        #expect(try await harness.signIn("new@example.test").status == 200)
        let again = try await harness.post("/signup", ["email": "ada@example.test", "password": "long enough"])
        #expect(again.json["identities"]?.array?.count == 1)
    }

    @Test("A change of the phone number is confirmed by SMS")
    func phoneChange() async throws {
        let harness = try harness()
        let bearer = try await harness.signIn("ada@example.test").accessToken
        let asked = try await harness.send(
            "PUT", "/user", ["phone": "+15550100009", "channel": "whatsapp"], bearer: bearer)
        #expect(asked.json["new_phone"] == "15550100009" && asked.json["phone"] == "")
        let message = try harness.newest("15550100009")
        #expect(message.channel == "whatsapp" && message.link == nil)
        let answer = try await harness.post(
            "/verify", ["type": "phone_change", "phone": "+15550100009", "token": .string(message.code)])
        #expect(answer.json["user"]?["phone"] == "15550100009")
    }

    @Test("A banned person gets mails and no session")
    func banned() async throws {
        let harness = try harness()
        let id = try #require(try await harness.signIn("ada@example.test").json["user"]?["id"]?.string)
        #expect(try await harness.admin("PUT", "/users/\(id)", ["ban_duration": "1h30m"]).status == 200)
        try await ask(harness, "/otp", ["email": "ada@example.test"], hasPair: false)
        let code = try harness.newest("ada@example.test").code
        let body: JSON = ["type": "email", "email": "ada@example.test", "token": .string(code)]
        #expect(try await harness.post("/verify", body).code == "user_banned")
        harness.advance(3600 * 1.5)
        #expect(try await harness.signIn("ada@example.test").status == 200)
    }

    @Test("An identity that is somebody else's is refused on the redirect")
    func linkingConflict() async throws {
        let harness = try harness()
        harness.user("grace@example.test")
        let query = "provider=google&redirect_to=latchkey-demo%3A%2F%2Fcb&login_hint=ada%40example.test"
        let bearer = try await harness.signIn("grace@example.test").accessToken
        for (expected, isFirst) in [("", true), ("identity_already_exists", false)] {
            let begun =
                isFirst
                ? try await harness.send("GET", "/authorize?\(query)").field("Location")
                : try await harness.send(
                    "GET", "/user/identities/authorize?\(query)&skip_http_redirect=true", bearer: bearer
                ).json["url"]?.string
            let provided = try await harness.send("GET", try #require(Self.below(begun)))
            let landed = try await harness.send("GET", try #require(Self.below(provided.field("Location"))))
            #expect(landed.landing["error_code"] ?? "" == expected)
            #expect(landed.landing["error"] == (isFirst ? nil : "server_error"))
        }
    }

    @Test("Somebody who says no at the provider lands with the provider's error and no code of the service")
    func denied() async throws {
        let harness = try harness()
        let query = "provider=google&redirect_to=latchkey-demo%3A%2F%2Fcb&login_hint=nobody"
        let visit = try await harness.send("GET", "/authorize?\(query)")
        let provided = try await harness.send("GET", try #require(Self.below(visit.field("Location"))))
        let landed = try await harness.send("GET", try #require(Self.below(provided.field("Location"))))
        #expect(landed.landing["error"] == "access_denied" && landed.landing["error_code"] == nil)
    }
}
