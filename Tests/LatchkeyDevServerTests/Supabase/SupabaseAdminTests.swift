import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import RecordedGoTrue
import Testing

@Suite("Administration in the Supabase dialect")
struct SupabaseAdminTests {
    /// A request of an administrator that is refused.
    struct Row: Sendable, CustomTestStringConvertible {
        var method: String
        var target: String
        var body: JSON?
        var status: Int
        var code: String

        var testDescription: String { "\(method) \(target) \(code)" }

        init(_ method: String, _ target: String, _ body: JSON?, _ status: Int, _ code: String) {
            (self.method, self.target, self.body, self.status, self.code) = (method, target, body, status, code)
        }
    }

    private static let nobody = "00000000-0000-4000-8000-000000000000"
    private static let long = String(repeating: "a", count: 73)

    /// `ID` is Ada's.
    static let rows = [
        Row("GET", "/users?per_page=0", nil, 400, "validation_failed"),
        Row("GET", "/users?per_page=-1", nil, 400, "validation_failed"),
        Row("GET", "/users?page=x", nil, 400, "validation_failed"),
        Row("GET", "/users/x", nil, 404, "validation_failed"),
        Row("GET", "/users/\(nobody)", nil, 404, "user_not_found"),
        Row("PUT", "/users/\(nobody)", [:], 404, "user_not_found"),
        Row("DELETE", "/users/\(nobody)", nil, 404, "user_not_found"),
        Row("GET", "/users/\(nobody)/factors", nil, 404, "user_not_found"),
        Row("DELETE", "/users/ID/factors/x", nil, 404, "validation_failed"),
        Row("DELETE", "/users/ID/factors/\(nobody)", nil, 404, "mfa_factor_not_found"),
        Row("POST", "/users", nil, 400, "bad_json"),
        Row("POST", "/users", [:], 400, "validation_failed"),
        Row("POST", "/users", ["email": "nobody"], 400, "validation_failed"),
        Row("POST", "/users", ["phone": "12"], 400, "validation_failed"),
        Row("POST", "/users", ["email": 1], 400, "bad_json"),
        Row("POST", "/users", ["email": "ada@example.test"], 422, "email_exists"),
        Row("POST", "/users", ["phone": "+15550100001"], 422, "phone_exists"),
        Row("POST", "/users", ["email": "n@example.test", "id": "x"], 400, "validation_failed"),
        Row(
            "POST", "/users", ["email": "n@example.test", "id": "00000000-0000-0000-0000-000000000000"], 400,
            "validation_failed"),
        Row("POST", "/users", ["email": "n@example.test", "id": "ID"], 500, "unexpected_failure"),
        Row(
            "POST", "/users", ["email": "n@example.test", "password": "a", "password_hash": "$2a$10$x"], 400,
            "validation_failed"),
        Row("POST", "/users", ["email": "n@example.test", "password_hash": "plain"], 500, "unexpected_failure"),
        Row("POST", "/users", ["email": "n@example.test", "password": .string(long)], 400, "validation_failed"),
        Row("POST", "/users", ["email": "n@example.test", "ban_duration": "soon"], 400, "validation_failed"),
        Row("PUT", "/users/ID", nil, 400, "bad_json"),
        Row("PUT", "/users/ID", ["password": "a"], 422, "weak_password"),
        Row("PUT", "/users/ID", ["password": ""], 422, "weak_password"),
        Row("PUT", "/users/ID", ["password": .string(long)], 400, "validation_failed"),
        Row("PUT", "/users/ID", ["email": "nobody"], 400, "validation_failed"),
        Row("PUT", "/users/ID", ["email": "grace@example.test"], 500, "unexpected_failure"),
        Row("PUT", "/users/ID", ["phone": "+15550100001"], 500, "unexpected_failure"),
        Row("GET", "/oauth/clients", nil, 404, "feature_disabled"),
        Row("POST", "/oauth/clients", [:], 404, "feature_disabled"),
        Row("DELETE", "/oauth/clients/\(nobody)", nil, 404, "feature_disabled"),
        Row("GET", "/sso/providers/\(nobody)", nil, 404, "sso_provider_not_found"),
        Row("GET", "/audit?page=x", nil, 400, "validation_failed"),
        Row("PUT", "/users/ID", ["ban_duration": "9223372037s"], 400, "validation_failed"),
        Row("PUT", "/users/ID", ["ban_duration": "1d"], 400, "validation_failed"),
        Row("PUT", "/users/ID", ["user_metadata": 1], 400, "bad_json"),
        Row("DELETE", "/users/ID", ["should_soft_delete": "yes"], 400, "bad_json"),
        Row("POST", "/generate_link", [:], 400, "validation_failed"),
        Row("POST", "/generate_link", ["email": "ada@example.test"], 400, "validation_failed"),
        Row("POST", "/generate_link", ["email": "ada@example.test", "type": "reward"], 400, "validation_failed"),
        Row("POST", "/generate_link", ["email": "n@example.test", "type": "recovery"], 404, "user_not_found"),
        Row("POST", "/generate_link", ["email": "n@example.test", "type": "signup"], 400, "validation_failed"),
        Row("POST", "/generate_link", ["email": "ada@example.test", "type": "signup"], 422, "email_exists"),
        Row("POST", "/generate_link", ["email": "ada@example.test", "type": "invite"], 422, "email_exists"),
        Row(
            "POST", "/generate_link", ["email": "ada@example.test", "type": "email_change_new"], 400,
            "validation_failed"),
        Row(
            "POST", "/generate_link",
            ["email": "ada@example.test", "type": "email_change_new", "new_email": "grace@example.test"], 422,
            "email_exists"),
        Row("POST", "/invite", [:], 400, "validation_failed"),
        Row("POST", "/invite", ["email": "ada@example.test"], 422, "email_exists"),
    ]

    @Test("A refusal has its status and code, in the old version and the new", arguments: rows)
    func refusal(row: Row) async throws {
        let harness = try SupabaseHarness()
        harness.user("ada@example.test")
        harness.user("grace@example.test")
        let phone: JSON = ["phone": "+15550100001"]
        #expect(try await harness.admin("POST", "/users", phone).status == 200)
        let id = try #require(try await harness.signIn("ada@example.test").json["user"]?["id"]?.string)
        let target = row.target == "/invite" ? row.target : "/admin" + row.target.replacing("ID", with: id)
        var body = row.body
        if body?["id"] == "ID" { body = ["email": "n@example.test", "id": .string(id)] }
        let key = harness.server.supabaseLegacyKey(role: "service_role")
        for version in ["2024-01-01", "2023-12-31", ""] {
            let answer = try await harness.send(
                row.method, target, body, raw: body == nil ? [] : nil, bearer: key,
                fields: [("X-Supabase-Api-Version", version)])
            #expect(answer.status == row.status, "\(answer.text)")
            let isNew = version == "2024-01-01"
            #expect((isNew ? answer.code : answer.json["error_code"]?.string) == row.code, "\(answer.text)")
            if !isNew { #expect(answer.json["code"]?.integer == Int64(row.status)) }
            #expect(answer.field("X-Sb-Error-Code") == (row.code == "weak_password" && isNew ? nil : row.code))
        }
        #expect(harness.server.supabaseSessions(of: "ada@example.test").count == 1, "a refusal ended a session")
    }

    @Test("The secret key opens it in apikey, alone or as the bearer too, and without a gateway not at all")
    func keys() async throws {
        let secret = "sb_secret_development"
        let harness = try SupabaseHarness { $0.publishableKey = "sb_publishable_x" }
        harness.user("ada@example.test")
        let person = try await harness.send(
            "POST", "/token?grant_type=password",
            ["email": "ada@example.test", "password": .string(SupabaseHarness.password)],
            fields: [("apikey", "sb_publishable_x")]
        ).accessToken
        let service = try #require(harness.server.supabaseLegacyKey(role: "service_role"))
        let anon = try #require(harness.server.supabaseLegacyKey(role: "anon"))
        let rows: [(key: String, bearer: String?, status: Int, code: String?)] = [
            (secret, nil, 200, nil), (service, service, 200, nil), (anon, service, 200, nil),
            (secret, secret, 200, nil), (secret, person, 403, "not_admin"), (secret, anon, 403, "not_admin"),
            (service, nil, 401, "no_authorization"), ("sb_publishable_x", nil, 403, "not_admin"),
            ("sb_publishable_x", "sb_publishable_x", 403, "not_admin"), ("sb_publishable_x", secret, 403, "bad_jwt"),
            (secret, "sb_publishable_x", 403, "bad_jwt"), (service, secret, 403, "bad_jwt"),
            ("sb_publishable_x", person, 403, "not_admin"), (anon, anon, 403, "not_admin"),
            ("sb_secret_other", nil, 401, nil), ("", service, 401, nil), (service + "x", service, 401, nil),
        ]
        for row in rows {
            for target in ["/admin/users", "/invite"] {
                let answer = try await harness.send(
                    target == "/invite" ? "POST" : "GET", target, target == "/invite" ? ["email": "x"] : nil,
                    bearer: row.bearer, fields: [("apikey", row.key)])
                // An invitation that was let in fails by its address.
                let isLetIn = target == "/invite" && row.status == 200
                #expect(answer.status == (isLetIn ? 400 : row.status), "\(answer.text)")
                #expect(answer.code == (isLetIn ? "validation_failed" : row.code))
            }
        }
        // A service without a gateway looks at the bearer alone.
        let own = try SupabaseHarness()
        #expect(try await own.send("GET", "/admin/users", fields: [("apikey", secret)]).code == "no_authorization")
        #expect(try await own.send("GET", "/admin/users", bearer: secret).code == "bad_jwt")
        // A key is nobody's session.
        let key = own.server.supabaseLegacyKey(role: "service_role")
        #expect(try await own.send("GET", "/user", bearer: key).code == "bad_jwt")
    }

    @Test("Links of a page are paths that keep the query, and name the last page")
    func paging() async throws {
        let harness = try SupabaseHarness()
        let empty = try await harness.admin("GET", "/users?page=1&per_page=2")
        #expect(empty.field("X-Total-Count") == "0" && empty.json["users"] == [])
        #expect(empty.field("Link") == "</admin/users?page=0&per_page=2>; rel=\"last\"")
        for number in 0..<4 { harness.user("user-\(number)@example.test") }
        let first = try await harness.admin("GET", "/users?page=1&per_page=2")
        #expect(
            first.field("Link")
                == "</admin/users?page=2&per_page=2>; rel=\"next\", </admin/users?page=2&per_page=2>; rel=\"last\"")
        let second = try await harness.admin("GET", "/users?per_page=2&page=2")
        #expect(second.field("Link") == "</admin/users?page=2&per_page=2>; rel=\"last\"")
        for target in ["/users?page=3&per_page=2", "/users?page=9223372036854775807&per_page=1000"] {
            let beyond = try await harness.admin("GET", target)
            #expect(beyond.json["users"] == [] && beyond.field("Link")?.contains("next") == false)
        }
        let usual = try await harness.admin("GET", "/users")
        #expect(usual.field("Link") == "</admin/users?page=1>; rel=\"last\"")
    }

    @Test("An account is made with mail and phone, an id of its own and a role, which its token names")
    func creation() async throws {
        let harness = try SupabaseHarness()
        let id = "7B0B6A4E-6A1C-4D57-9A55-0F5C1F0C2A11"
        let made = try await harness.admin(
            "POST", "/users",
            [
                "id": .string(id), "email": "New@example.test", "phone": "+15550100009", "password": "a",
                "email_confirm": true, "role": "editor", "user_metadata": ["a": 1], "app_metadata": ["b": 2],
            ])
        #expect(made.json["id"]?.string == id.lowercased() && made.json["role"] == "editor")
        #expect(made.json["identities"]?.array?.compactMap { $0["provider"]?.string } == ["email", "phone"])
        #expect(made.json["app_metadata"]?["b"] == 2 && made.json["app_metadata"]?["provider"] == "email")
        // No strength is asked of an administrator's first password.
        let session = try await harness.signIn("new@example.test", password: "a")
        #expect(try await harness.admin("GET", "/users/\(id)").json["user_metadata"]?["a"] == 1)
        #expect(RecordedExchange.claims(session.accessToken)?["role"] == "editor")
        let hashed = try await harness.admin(
            "POST", "/users", ["email": "old@example.test", "password_hash": "$2a$10$abc", "email_confirm": true])
        #expect(hashed.status == 200)
    }

    @Test("The log of audits and the list of providers for single sign-on are empty lists")
    func lists() async throws {
        let harness = try SupabaseHarness()
        let audit = try await harness.admin("GET", "/audit?per_page=5")
        #expect(audit.status == 200 && audit.json == [] && audit.field("X-Total-Count") == "0")
        #expect(audit.field("Link") == "</admin/audit?page=0&per_page=5>; rel=\"last\"")
        let providers = try await harness.admin("GET", "/sso/providers")
        #expect(providers.status == 200 && providers.json == ["items": []])
    }

    @Test("A list shows neither identities nor factors, one user shows both")
    func listed() async throws {
        let harness = try SupabaseHarness()
        harness.user("ada@example.test")
        let session = try await harness.signIn("ada@example.test")
        _ = try await harness.send("POST", "/factors", ["factor_type": "totp"], bearer: session.accessToken)
        let user = try #require(try await harness.admin("GET", "/users").json["users"]?.array?.first)
        #expect(user["identities"] == .null && user["factors"] == nil)
        let one = try await harness.admin("GET", "/users/\(user["id"]?.string ?? "")").json
        #expect(one["identities"]?.array?.count == 1 && one["factors"]?.array?.count == 1)
        #expect(one["factors"]?.array?.first?["last_challenged_at"] == .null)
    }

    @Test("An answer that is written from what was stored has no time of a confirmation that it made itself")
    func confirmedAt() async throws {
        let harness = try SupabaseHarness()
        let made = try await harness.admin(
            "POST", "/users", ["email": "new@example.test", "email_confirm": true]
        ).json
        #expect(made["email_confirmed_at"] != nil && made["confirmed_at"] == nil)
        let id = try #require(made["id"]?.string)
        #expect(try await harness.admin("GET", "/users/\(id)").json["confirmed_at"] == made["email_confirmed_at"])
        let plain = try await harness.admin("POST", "/users", ["email": "late@example.test"]).json
        let late = try await harness.admin("PUT", "/users/\(plain["id"]?.string ?? "")", ["email_confirm": true]).json
        #expect(late["email_confirmed_at"] != nil && late["confirmed_at"] == nil)
        let again = try await harness.admin("PUT", "/users/\(id)", ["user_metadata": ["a": 1]]).json
        #expect(again["confirmed_at"] == made["email_confirmed_at"])
    }

    @Test("An invitation says when it was sent")
    func invitation() async throws {
        let harness = try SupabaseHarness()
        let key = harness.server.supabaseLegacyKey(role: "service_role")
        let answer = try await harness.send("POST", "/invite", ["email": "guest@example.test"], bearer: key)
        #expect(answer.json["confirmation_sent_at"] != nil)
        #expect(answer.json["confirmation_sent_at"] == answer.json["invited_at"])
    }

    @Test("A softly deleted user keeps hashes of what named the person, and the address is free again")
    func softlyDeleted() async throws {
        let harness = try SupabaseHarness()
        harness.user("ada@example.test", nickname: "ada")
        let before = try await harness.signIn("ada@example.test").json["user"]
        let id = try #require(before?["id"]?.string)
        #expect(try await harness.admin("DELETE", "/users/\(id)", ["should_soft_delete": true]).status == 200)
        let ghost = try await harness.admin("GET", "/users/\(id)").json
        func hash(_ text: String) -> String { Base64URL.encode(Checksum.sha256(Array("\(id)\(text)".utf8))) }
        #expect(ghost["email"]?.string == hash("ada@example.test"))
        #expect(ghost["phone"]?.string == String(hash("").prefix(15)))
        #expect(ghost["deleted_at"] != nil && ghost["user_metadata"] == [:] && ghost["app_metadata"] == [:])
        #expect(ghost["email_confirmed_at"] == before?["email_confirmed_at"])
        let identity = ghost["identities"]?.array?.first
        #expect(identity?["id"]?.string == hash("email:\(id)") && identity?["identity_data"] == nil)
        #expect(identity?["email"] == nil)
        let gone = try await harness.post(
            "/token?grant_type=password",
            ["email": "ada@example.test", "password": .string(SupabaseHarness.password)])
        #expect(gone.code == "invalid_credentials")
        let anew = try await harness.admin("POST", "/users", ["email": "ada@example.test"])
        #expect(anew.status == 200 && anew.json["id"]?.string != id)
        #expect(try await harness.admin("GET", "/users/\(id)").json["email"] == ghost["email"])
    }

    @Test("A new password ends every session and voids what was sent")
    func password() async throws {
        let harness = try SupabaseHarness()
        harness.user("ada@example.test")
        let session = try await harness.signIn("ada@example.test")
        let id = try #require(session.json["user"]?["id"]?.string)
        _ = try await harness.post("/recover", ["email": "ada@example.test"])
        let code = try harness.newest("ada@example.test").code
        #expect(try await harness.admin("PUT", "/users/\(id)", ["password": "another one"]).status == 200)
        #expect(
            try await harness.refresh(session.json["refresh_token"]?.string ?? "").code == "refresh_token_not_found")
        let late = try await harness.post(
            "/verify", ["type": "recovery", "email": "ada@example.test", "token": .string(code)])
        #expect(late.code == "otp_expired")
        _ = try await harness.signIn("ada@example.test", password: "another one")
    }
}
