import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import Testing

@Suite("What a client of the Supabase dialect is told, as by the service itself")
struct SupabaseStrictTests {
    private static let ada = "ada@example.test"
    private static let publishable = "sb_publishable_x"
    private static let secret = "sb_secret_development"

    private func harness(_ change: (inout DevServer.Supabase) -> Void = { _ in }) throws -> SupabaseHarness {
        let harness = try SupabaseHarness {
            $0.resendGap = 0
            change(&$0)
        }
        harness.user(Self.ada)
        return harness
    }

    private static func below(_ address: String?) throws -> String {
        let address = try #require(address)
        return String(address[try #require(address.firstRange(of: "/auth/v1")?.upperBound)...])
    }

    // MARK: Keys

    @Test("A secret key as the bearer beside the same apikey administers, as the gateway puts its role in its place")
    func secretBearer() async throws {
        let harness = try harness { $0.publishableKey = Self.publishable }
        let key = [(name: "apikey", value: Self.secret)]
        let made = try await harness.send(
            "POST", "/admin/users", ["email": "new@example.test", "email_confirm": true], bearer: Self.secret,
            fields: key)
        #expect(made.status == 200, "\(made.text)")
        let id = try #require(made.json["id"]?.string)
        for (method, target) in [
            ("GET", "/admin/users"), ("GET", "/admin/users/\(id)"), ("DELETE", "/admin/users/\(id)"),
        ] {
            #expect(try await harness.send(method, target, bearer: Self.secret, fields: key).status == 200)
        }
        let invited = try await harness.send(
            "POST", "/invite", ["email": "guest@example.test"], bearer: Self.secret, fields: key)
        #expect(invited.status == 200)
    }

    @Test("A publishable key as the bearer beside the same apikey signs in, and is nobody's session")
    func publishableBearer() async throws {
        let harness = try harness { $0.publishableKey = Self.publishable }
        let key = [(name: "apikey", value: Self.publishable)]
        let signedIn = try await harness.send(
            "POST", "/token?grant_type=password",
            ["email": .string(Self.ada), "password": .string(SupabaseHarness.password)], bearer: Self.publishable,
            fields: key)
        #expect(signedIn.status == 200)
        #expect(try await harness.send("GET", "/user", bearer: signedIn.accessToken, fields: key).status == 200)
        for target in ["/user", "/factors", "/reauthenticate"] {
            let method = target == "/factors" ? "POST" : "GET"
            let answer = try await harness.send(method, target, bearer: Self.publishable, fields: key)
            #expect(answer.status == 403 && answer.code == "bad_jwt", "\(answer.text)")
        }
    }

    @Test("A publishable key alone is judged as its role: nobody at /user, no administrator at /admin")
    func publishableAlone() async throws {
        let harness = try harness { $0.publishableKey = Self.publishable }
        let key = [(name: "apikey", value: Self.publishable)]
        let user = try await harness.send("GET", "/user", fields: key)
        #expect(user.status == 403 && user.code == "bad_jwt" && user.json["message"]?.string?.contains("sub") == true)
        let admin = try await harness.send("GET", "/admin/users", fields: key)
        #expect(admin.status == 403 && admin.code == "not_admin")
        // The secret key is somebody's as little.
        let secret = try await harness.send("GET", "/user", fields: [("apikey", Self.secret)])
        #expect(secret.status == 403 && secret.code == "bad_jwt")
    }

    @Test("A key as the bearer beside another key, in another scheme, or without a gateway, is no token")
    func foreignBearer() async throws {
        let gated = try harness { $0.publishableKey = Self.publishable }
        for (key, bearer) in [(Self.publishable, Self.secret), (Self.secret, Self.publishable)] {
            let answer = try await gated.send("GET", "/admin/users", bearer: bearer, fields: [("apikey", key)])
            #expect(answer.status == 403 && answer.code == "bad_jwt")
        }
        for value in ["Basic \(Self.secret)", "Bearer  \(Self.secret)", Self.secret, "Bearer \(Self.secret) x"] {
            let fields = [(name: "apikey", value: Self.secret), (name: "Authorization", value: value)]
            #expect(try await gated.send("GET", "/admin/users", fields: fields).code == "no_authorization")
        }
        let open = try harness()
        let fields = [(name: "apikey", value: Self.secret)]
        #expect(try await open.send("GET", "/admin/users", bearer: Self.secret, fields: fields).code == "bad_jwt")
    }

    // MARK: Links

    private func link(_ harness: SupabaseHarness, isFlow: Bool) async throws -> String {
        var body: [String: JSON] = ["email": .string(Self.ada)]
        if isFlow {
            body["code_challenge"] = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
            body["code_challenge_method"] = "s256"
        }
        _ = try await harness.post("/otp?redirect_to=latchkey-demo%3A%2F%2Fcb", .object(body))
        return try Self.below(harness.newest(Self.ada).link)
    }

    @Test("The mail link of a banned person says user_banned, also when it is too old", arguments: [true, false])
    func banned(isFlow: Bool) async throws {
        let harness = try harness()
        let id = try #require(try await harness.signIn(Self.ada).json["user"]?["id"]?.string)
        let link = try await link(harness, isFlow: isFlow)
        #expect(try await harness.admin("PUT", "/users/\(id)", ["ban_duration": "24h"]).status == 200)
        for pause in [0.0, 3_601] {
            harness.advance(pause)
            let landed = try await harness.send("GET", link)
            #expect(landed.status == 303 && landed.landing["error_code"] == "user_banned")
            #expect(landed.landing["error"] == "access_denied" && landed.landing["access_token"] == nil)
            #expect(landed.field("Location")?.contains("cb?error=") == isFlow)
        }
    }

    @Test(
        "A link of an unknown type is validation_failed, and is not used up by it",
        arguments: ["letter", "sms", "phone_change", "email_change_new"])
    func unknownType(type: String) async throws {
        let harness = try harness()
        let link = try await link(harness, isFlow: false)
        let landed = try await harness.send("GET", link.replacing("type=magiclink", with: "type=\(type)"))
        #expect(landed.status == 303 && landed.landing["error_code"] == "validation_failed")
        #expect(landed.landing["error"] == "invalid_request" && landed.field("Location")?.hasPrefix("latchkey") == true)
        let hash = try #require(try harness.newest(Self.ada).tokenHash)
        let typed = try await harness.post("/verify", ["type": .string(type), "token_hash": .string(hash)])
        #expect(typed.status == 400 && typed.code == "validation_failed")
        #expect(try await harness.send("GET", link).landing["access_token"] != nil)
    }

    // MARK: Visits

    private func visit(_ harness: SupabaseHarness) async throws -> String {
        let visit = try await harness.send("GET", "/authorize?provider=github&redirect_to=latchkey-demo%3A%2F%2Fcb")
        let address = try Self.below(visit.field("Location"))
        let pairs = try #require(FormPairs.decode(Array(address.split(separator: "?")[1].utf8)))
        return try #require(pairs.first { $0.name == "state" }?.value)
    }

    @Test("A callback whose code the provider refuses is unexpected_failure")
    func refusedCode() async throws {
        let harness = try harness()
        let state = try await visit(harness)
        let landed = try await harness.send("GET", "/callback?code=made-up&state=\(state)")
        #expect(landed.status == 302 && landed.field("Location")?.hasPrefix("latchkey-demo://cb?") == true)
        #expect(landed.landing["error"] == "server_error" && landed.landing["error_code"] == "unexpected_failure")
        let again = try await harness.send("GET", "/callback?code=made-up&state=\(state)")
        #expect(again.landing["error_code"] == "bad_oauth_state")
    }

    @Test("A callback without state is bad_oauth_callback at the project's site; one without a code where it began")
    func incompleteCallback() async throws {
        let harness = try harness()
        for query in ["?code=x", "", "?state=&code=x"] {
            let landed = try await harness.send("GET", "/callback\(query)")
            #expect(landed.status == 303 && landed.landing["error_code"] == "bad_oauth_callback")
            #expect(landed.field("Location")?.hasPrefix("https://app.example.test/welcome?error=") == true)
        }
        let unknown = try await harness.send("GET", "/callback?code=x&state=y")
        #expect(unknown.landing["error_code"] == "bad_oauth_state")
        let state = try await visit(harness)
        let codeless = try await harness.send("GET", "/callback?state=\(state)")
        #expect(codeless.landing["error_code"] == "bad_oauth_callback")
        #expect(codeless.landing["error"] == "invalid_request")
        #expect(codeless.field("Location")?.hasPrefix("latchkey-demo://cb?") == true)
    }

    // MARK: What is missing

    @Test("A sign-up without a password is 400 validation_failed, and makes no account")
    func passwordless() async throws {
        let harness = try harness()
        for body: JSON in [
            ["email": "new@example.test"], ["email": "new@example.test", "password": ""],
            ["email": "new@example.test", "password": .null], ["phone": "+15550100001"],
        ] {
            let answer = try await harness.post("/signup", body)
            #expect(answer.status == 400 && answer.code == "validation_failed", "\(answer.text)")
        }
        #expect(harness.server.inbox().isEmpty)
    }

    @Test("A factor's verification without a code is 400 validation_failed, before the challenge is looked for")
    func codeless() async throws {
        let harness = try harness()
        let bearer = try await harness.signIn(Self.ada).accessToken
        let enrolled = try await harness.post("/factors", ["factor_type": "totp"], bearer: bearer)
        let factor = try #require(enrolled.json["id"]?.string)
        let challenge = try await harness.post("/factors/\(factor)/challenge", [:], bearer: bearer)
        let id = challenge.json["id"] ?? .null
        let unknown: JSON = "00000000-0000-4000-8000-000000000000"
        for body: JSON in [
            ["challenge_id": id], ["challenge_id": id, "code": ""], ["challenge_id": unknown], [:],
        ] {
            let answer = try await harness.post("/factors/\(factor)/verify", body, bearer: bearer)
            #expect(answer.status == 400 && answer.code == "validation_failed", "\(answer.text)")
        }
        for (body, status, code): (JSON, Int, String) in [
            (["challenge_id": "x", "code": "1"], 400, "bad_json"),
            (["challenge_id": "", "code": "1"], 400, "bad_json"),
            (["code": "1"], 422, "mfa_factor_not_found"),
            (["challenge_id": unknown, "code": "1"], 422, "mfa_factor_not_found"),
            (["challenge_id": id, "code": "1"], 422, "mfa_verification_failed"),
        ] {
            let answer = try await harness.post("/factors/\(factor)/verify", body, bearer: bearer)
            #expect(answer.status == status && answer.code == code, "\(answer.text)")
        }
    }

    @Test("Unlinking the only identity is single_identity_not_deletable, whatever its id")
    func onlyIdentity() async throws {
        let harness = try harness()
        let answer = try await harness.signIn(Self.ada)
        let own = try #require(answer.json["user"]?["identities"]?.array?.first?["identity_id"]?.string)
        let unknown = "00000000-0000-4000-8000-000000000000"
        for id in [own, own.uppercased(), unknown, "github", "42"] {
            let refused = try await harness.send("DELETE", "/user/identities/\(id)", bearer: answer.accessToken)
            #expect(refused.status == 422 && refused.code == "single_identity_not_deletable", "\(refused.text)")
        }
        let token = try #require(
            harness.server.idToken(["sub": "idp|ada", "email": .string(Self.ada), "email_verified": true]))
        let linked = try await harness.post(
            "/token?grant_type=id_token",
            ["provider": "google", "id_token": .string(token), "link_identity": true], bearer: answer.accessToken)
        #expect(linked.status == 200)
        for (id, status, code) in [("github", 404, "validation_failed"), (unknown, 422, "identity_not_found")] {
            let refused = try await harness.send("DELETE", "/user/identities/\(id)", bearer: answer.accessToken)
            #expect(refused.status == status && refused.code == code)
        }
        #expect(try await harness.send("DELETE", "/user/identities/\(own)", bearer: answer.accessToken).status == 200)
    }
}
