import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import Testing

@Suite("Refusals of the Supabase dialect")
struct SupabaseErrorTests {
    /// A request that is refused.
    struct Row: Sendable, CustomTestStringConvertible {
        var method = "POST"
        var target: String
        var body: JSON?
        var status: Int
        var code: String
        var settings: @Sendable (inout DevServer.Supabase) -> Void = { _ in }
        var isSignedIn = false

        var testDescription: String { "\(target) \(code)" }

        init(
            _ target: String, _ body: JSON?, _ status: Int, _ code: String, method: String = "POST",
            isSignedIn: Bool = false, _ settings: @escaping @Sendable (inout DevServer.Supabase) -> Void = { _ in }
        ) {
            (self.target, self.body, self.status, self.code) = (target, body, status, code)
            (self.method, self.isSignedIn, self.settings) = (method, isSignedIn, settings)
        }
    }

    private static let ada: JSON = ["email": "ada@example.test", "password": "correct horse 42 staple"]
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    static let rows = [
        Row("/token", ada, 400, "invalid_credentials"),
        Row("/token?grant_type=magic", ada, 400, "invalid_credentials"),
        Row("/token?grant_type=password", [:], 400, "validation_failed"),
        Row("/token?grant_type=password", ["email": "a@b.test", "phone": "+15550100001"], 400, "validation_failed"),
        Row("/token?grant_type=password", ["email": 1], 400, "bad_json"),
        Row("/token?grant_type=password", nil, 400, "bad_json"),
        Row("/token?grant_type=password", ada, 422, "email_provider_disabled") { $0.allowsEmail = false },
        Row("/token?grant_type=password", ["phone": "+15550100001"], 422, "phone_provider_disabled") {
            $0.allowsPhone = false
        },
        Row("/token?grant_type=password", ada, 400, "captcha_failed") { $0.captchaToken = "right" },
        Row("/token?grant_type=pkce", ["auth_code": "x"], 400, "validation_failed"),
        Row("/token?grant_type=pkce", ["auth_code": "x", "code_verifier": "y"], 404, "flow_state_not_found"),
        Row("/token?grant_type=id_token", ["provider": "nobody", "id_token": "x"], 400, "validation_failed"),
        Row("/token?grant_type=id_token", ["provider": "azure", "id_token": "x"], 400, "provider_disabled"),
        Row("/token?grant_type=web3", ["chain": "solana"], 422, "web3_provider_disabled") { $0.allowsWeb3 = false },
        Row("/token?grant_type=web3", ["chain": "bitcoin"], 400, "web3_unsupported_chain"),
        Row("/signup", ["email": "new@example.test", "password": "abc"], 422, "weak_password"),
        Row("/signup", ["email": "new@example.test"], 400, "validation_failed"),
        Row("/signup", ["email": "new@example.test", "password": ""], 400, "validation_failed"),
        Row("/signup", ["email": "no address", "password": "long enough"], 400, "validation_failed"),
        Row(
            "/signup", ["email": "a@b.test", "password": .string(String(repeating: "😀", count: 19))], 400,
            "validation_failed"),
        Row(
            "/signup",
            [
                "phone": "+15550100002", "password": "long enough", "code_challenge": .string(challenge),
                "code_challenge_method": "s256",
            ],
            400, "validation_failed"),
        Row(
            "/signup", ["email": "a@b.test", "password": "long enough", "code_challenge": "x"], 400, "validation_failed"
        ),
        Row("/signup", ["email": "a@b.test", "password": "long enough"], 400, "email_provider_disabled") {
            $0.allowsEmail = false
        },
        Row("/signup", ["email": "a@b.test", "password": "long enough", "data": "text"], 400, "bad_json"),
        Row("/otp", ["email": "a@b.test", "phone": "+15550100001"], 400, "validation_failed"),
        Row("/otp", ["email": "a@b.test", "channel": "sms"], 400, "validation_failed"),
        Row("/otp", ["phone": "+15550100001"], 422, "sms_send_failed") { $0.sendsMessages = false },
        Row("/otp", ["phone": "+15550100001", "channel": "pigeon"], 400, "validation_failed"),
        Row("/otp", ["phone": "12"], 400, "validation_failed"),
        Row("/recover", [:], 400, "validation_failed"),
        Row("/resend", ["type": "magiclink", "email": "a@b.test"], 400, "validation_failed"),
        Row("/resend", ["type": "sms", "email": "a@b.test"], 400, "validation_failed"),
        Row("/verify", ["email": "a@b.test", "token": "123456"], 400, "validation_failed"),
        Row("/verify", ["type": "email", "token_hash": "x", "email": "a@b.test"], 400, "validation_failed"),
        Row("/verify", ["type": "sms", "email": "a@b.test", "token": "123456"], 403, "otp_expired"),
        Row("/verify", ["type": "letter", "email": "ada@example.test", "token": "123456"], 403, "otp_expired"),
        Row("/verify", ["type": "letter", "email": "a@b.test", "token": "123456"], 403, "otp_expired"),
        Row("/verify", ["type": "email", "phone": "+15550100001", "token": "123456"], 400, "validation_failed"),
        Row("/magiclink", [:], 422, "validation_failed"),
        Row("/magiclink", ["email": ""], 422, "validation_failed"),
        Row("/magiclink", ["email": "nobody"], 400, "validation_failed"),
        Row("/signup", ["email": "ä.x@example.test", "password": "long enough"], 400, "validation_failed"),
        Row("/signup", ["email": "e\u{301}@example.test", "password": "long enough"], 400, "validation_failed"),
        Row("/signup", ["email": "a@-b.test", "password": "long enough"], 400, "validation_failed"),
        Row("/signup", ["email": "a@b..test", "password": "long enough"], 400, "validation_failed"),
        Row("/otp", ["email": "a@ex\u{e4}mple.test"], 400, "validation_failed"),
        Row("/oauth/token", [:], 404, "feature_disabled"),
        Row("/oauth/clients/register", [:], 404, "feature_disabled"),
        Row("/oauth/authorize?client_id=x", nil, 404, "feature_disabled", method: "GET"),
        Row("/user/oauth/grants", nil, 401, "no_authorization", method: "GET"),
        Row("/user/oauth/grants", nil, 404, "feature_disabled", method: "GET", isSignedIn: true),
        Row("/user/oauth/grants?client_id=x", nil, 404, "feature_disabled", method: "DELETE", isSignedIn: true),
        Row("/sso", ["domain": "a.test"], 404, "saml_provider_disabled"),
        Row("/sso/saml/metadata", nil, 404, "saml_provider_disabled", method: "GET"),
        Row("/sso/saml/acs", [:], 404, "saml_provider_disabled"),
        Row("/admin/oauth/clients", nil, 401, "no_authorization", method: "GET"),
        Row("/verify", ["type": "email", "token_hash": "x"], 403, "otp_expired"),
        Row("/verify", ["type": "sms", "token_hash": "x"], 400, "validation_failed"),
        Row("/verify", ["type": "letter", "token_hash": "x"], 400, "validation_failed"),
        Row("/verify", ["type": "email", "email": "nobody@example.test", "token": "123456"], 403, "otp_expired"),
        Row("/verify?type=email", nil, 400, "validation_failed", method: "GET"),
        Row("/verify?token=pkce_x&type=email", nil, 500, "unexpected_failure", method: "GET"),
        Row("/verify?token=pkce_x&type=letter", nil, 500, "unexpected_failure", method: "GET"),
        Row("/authorize?provider=nobody", nil, 400, "validation_failed", method: "GET"),
        Row("/authorize?provider=github&code_challenge=x", nil, 400, "validation_failed", method: "GET"),
        Row("/sso", ["domain": "a.test", "provider_id": "x"], 400, "validation_failed") { $0.allowsSSO = true },
        Row("/user", ["app_metadata": ["a": 1]], 403, "not_admin", method: "PUT", isSignedIn: true),
        Row("/user", ["password": "abc"], 422, "weak_password", method: "PUT", isSignedIn: true),
        Row("/user", ["email": "grace@example.test"], 422, "email_exists", method: "PUT", isSignedIn: true),
        Row("/user", ["password": "other horse 1"], 400, "current_password_required", method: "PUT", isSignedIn: true) {
            $0.needsCurrentPassword = true
        },
        Row(
            "/user", ["password": "other horse 1", "current_password": "no"], 400, "current_password_invalid",
            method: "PUT", isSignedIn: true
        ) { $0.needsCurrentPassword = true },
        Row(
            "/user/identities/authorize?provider=github", nil, 404, "manual_linking_disabled", method: "GET",
            isSignedIn: true
        ) {
            $0.allowsLinking = false
        },
        Row("/user/identities/x", nil, 422, "single_identity_not_deletable", method: "DELETE", isSignedIn: true),
        Row("/factors", ["factor_type": "retina"], 400, "validation_failed", isSignedIn: true),
        Row("/factors", ["factor_type": "totp"], 422, "mfa_totp_enroll_not_enabled", isSignedIn: true) {
            $0.allowsTOTP = false
        },
        Row("/factors", ["factor_type": "totp"], 422, "too_many_enrolled_mfa_factors", isSignedIn: true) {
            $0.factorLimit = 0
        },
        Row(
            "/factors", ["factor_type": "phone", "phone": "+15550100001"], 422, "mfa_phone_enroll_not_enabled",
            isSignedIn: true
        ) {
            $0.allowsPhoneFactors = false
        },
        Row(
            "/factors/00000000-0000-4000-8000-000000000000/challenge", [:], 404, "mfa_factor_not_found",
            isSignedIn: true),
        Row("/admin/users", nil, 401, "no_authorization", method: "GET"),
        Row("/admin/users", nil, 403, "not_admin", method: "GET", isSignedIn: true),
        Row("/logout", [:], 401, "no_authorization"),
    ]

    @Test("A refusal has its status and code, in the old version and the new", arguments: rows)
    func refusal(row: Row) async throws {
        let harness = try SupabaseHarness()
        harness.user("ada@example.test")
        harness.user("grace@example.test")
        let bearer = row.isSignedIn ? try await harness.signIn("ada@example.test").accessToken : nil
        harness.change(row.settings)
        for version in ["2031-05-01", "2024-01-01", "2023-12-31", "", "soon"] {
            let answer = try await harness.send(
                row.method, row.target, row.body, raw: row.body == nil ? [] : nil, bearer: bearer,
                fields: [("X-Supabase-Api-Version", version)])
            let isNew = version >= "2024" && version != "soon"
            #expect(answer.status == row.status, "\(answer.text)")
            #expect(answer.field("X-Supabase-Api-Version") == (isNew ? "2024-01-01" : nil))
            if isNew {
                #expect(answer.code == row.code, "\(answer.text)")
                #expect(answer.json["message"]?.string?.isEmpty == false)
            } else {
                #expect(answer.json["code"]?.integer == Int64(row.status))
                #expect(answer.json["error_code"]?.string == row.code)
                #expect(answer.json["msg"]?.string?.isEmpty == false)
            }
            let tells = row.status != 500 && (row.code != "weak_password" || !isNew)
            #expect(answer.field("X-Sb-Error-Code") == (tells ? row.code : nil))
        }
    }

    @Test("A weak password says why, in both versions")
    func weak() async throws {
        let harness = try SupabaseHarness { $0.passwordNeedsLettersAndDigits = true }
        for version in ["2024-01-01", ""] {
            let answer = try await harness.send(
                "POST", "/signup", ["email": "new@example.test", "password": "abc"],
                fields: [("X-Supabase-Api-Version", version)])
            #expect(answer.json["weak_password"]?["reasons"] == ["length", "characters"])
        }
    }

    @Test("The gateway refuses requests without a known key in its own way, and lets browsers through")
    func gateway() async throws {
        for shape in DevServer.Supabase.GatewayAnswer.allCases {
            let harness = try SupabaseHarness { ($0.publishableKey, $0.gatewayAnswer) = ("sb_publishable_x", shape) }
            for key in ["", "sb_publishable_y"] {
                let answer = try await harness.send(
                    "POST", "/token?grant_type=password", [:], fields: [("apikey", key)])
                #expect(answer.status == 401)
                #expect(answer.field("X-Sb-Error-Code") == nil && answer.code == nil)
            }
            let known = try await harness.send(
                "POST", "/token?grant_type=password", [:], fields: [("apikey", "sb_publishable_x")])
            #expect(known.code == "validation_failed")
            #expect(try await harness.send("GET", "/.well-known/jwks.json").status == 200)
            #expect(try await harness.send("GET", "/settings").status == 401)
            #expect(try await harness.send("GET", "/authorize?provider=github").status == 302)
        }
    }

    @Test("What is no place is 404 in plain text, and a wrong method 405 without a body")
    func routes() async throws {
        let harness = try SupabaseHarness()
        for target in ["/nowhere", "/token/x", "/.well-known/nothing", "/admin/nothing"] {
            let method = target.hasPrefix("/.well-known") ? "GET" : "POST"
            let key = harness.server.supabaseLegacyKey(role: "service_role")
            let answer = try await harness.send(method, target, bearer: key)
            #expect(answer.status == 404)
            #expect(answer.field("Content-Type")?.hasPrefix("text/plain") == true)
        }
        for (method, target) in [
            ("GET", "/token"), ("HEAD", "/verify"), ("POST", "/reauthenticate"), ("POST", "/user"),
        ] {
            let answer = try await harness.send(method, target, bearer: "x")
            #expect(answer.status == 405 && answer.response.body.isEmpty)
        }
    }

    @Test("The gateway takes the key from the query too, and the header decides when there are two")
    func keyInQuery() async throws {
        let harness = try SupabaseHarness { $0.publishableKey = "sb_publishable_x" }
        let rows = [("sb_publishable_x", "", 200), ("sb_publishable_y", "", 401), ("sb_publishable_x", "other", 401)]
        for (query, header, status) in rows {
            let answer = try await harness.send(
                "GET", "/settings?apikey=\(query)", fields: [("apikey", header)])
            #expect(answer.status == status, "\(query) \(header)")
        }
        // The gateway makes a token of a key in the header alone.
        let admin = try await harness.send("GET", "/admin/users?apikey=sb_secret_development")
        #expect(admin.status == 401 && admin.code == "no_authorization")
    }

    @Test("An address that HTML would take is taken, with or without a dot behind the sign")
    func addresses() async throws {
        let harness = try SupabaseHarness()
        for address in ["a@localhost", "O'Hara+x@example.test", "a.b_c%d@sub.example.test", "A@EXAMPLE.TEST"] {
            let answer = try await harness.post("/signup", ["email": .string(address), "password": "long enough"])
            #expect(answer.status == 200, "\(address): \(answer.text)")
            #expect(answer.json["email"]?.string == address.lowercased())
        }
    }

    @Test("A body over 1 MiB is refused by the service, over a socket too; OAuth's forms keep their own limit")
    func bodies() async throws {
        let harness = try SupabaseHarness()
        let large = String(repeating: "a", count: (1 << 20) + 1)
        let answer = try await harness.post("/signup", ["email": .string(large)])
        #expect(answer.status == 413 && answer.code == "request_entity_too_large")
        let port = harness.server.port
        let larger = String(repeating: "a", count: 3 << 20)
        let third = try await SocketClient.send(port, "POST", "/auth/v1/recover", form: larger)
        #expect(third.status == 413 && Answer(third).json["error_code"] == "request_entity_too_large")
        let socket = try await SocketClient.send(port, "POST", "/auth/v1/recover", form: large)
        #expect(socket.status == 413 && socket.field("X-Sb-Error-Code") == "request_entity_too_large")
        #expect(try await SocketClient.send(port, "POST", "/token", form: String(large.prefix(70_000))).status == 413)
    }

    @Test("A form is never read as JSON, and text declared as anything else is")
    func contentTypes() async throws {
        let harness = try SupabaseHarness()
        harness.user("ada@example.test")
        let document: JSON = ["email": "ada@example.test", "password": .string(SupabaseHarness.password)]
        for (type, status) in [("text/plain", 200), ("application/x-www-form-urlencoded", 400)] {
            let answer = try await harness.send(
                "POST", "/token?grant_type=password", raw: document.serialized(), fields: [("Content-Type", type)])
            #expect(answer.status == status)
        }
    }
}
