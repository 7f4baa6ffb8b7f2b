import Latchkey
import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@testable import LatchkeyClerk

/// Each switch of the emulated instance, beside an instance without it.
@Suite("Settings of the emulated instance") struct SettingTests {
    private static let redirect = "http://127.0.0.1:8765/callback"

    private func client(_ settings: DevServer.ClerkSetting...) throws -> RawClient {
        try RawClient { $0.settings = Set(settings) }
    }

    private func claims(_ answer: RawAnswer) throws -> JSON {
        let parts = try #require(answer.json["jwt"]?.string).split(separator: ".")
        return try JSON.parse(Base64URL.decode(parts[1]))
    }

    private func environment(_ settings: DevServer.ClerkSetting...) async throws -> JSON {
        try await RawClient { $0.settings = Set(settings) }.send("GET", "/environment").json
    }

    @Test("single-session refuses a second sign-in and a sign-up, and another client is free")
    func singleSession() async throws {
        let client = try client(.singleSession)
        #expect(try await environment(.singleSession)["auth_config"]?["single_session_mode"] == true)
        #expect(try await environment()["auth_config"]?["single_session_mode"] == false)
        let session = try await client.signIn()
        let grace = try await client.send(
            "POST", "/client/sign_ins", ["identifier": "grace+clerk_test@example.test", "password": "grace-password"])
        #expect(grace.status == 400 && grace.code == "session_exists")
        let signUp = try await client.send("POST", "/client/sign_ups", ["email_address": "new@example.test"])
        #expect(signUp.code == "session_exists")
        try await RawClient(at: client.server).signIn()
        _ = try await client.send("POST", "/client/sessions/\(session)/end")
        try await client.signIn()
        let plain = try self.client()
        try await plain.signIn()
        let second = try await plain.send(
            "POST", "/client/sign_ins", ["identifier": "grace+clerk_test@example.test", "password": "grace-password"])
        #expect(second.content["status"] == "needs_second_factor")
    }

    @Test("session-minter wants a token of the same session, in the form or in the query")
    func sessionMinter() async throws {
        let client = try client(.sessionMinter)
        #expect(try await environment(.sessionMinter)["auth_config"]?["session_minter"] == true)
        let id = try await client.signIn()
        let path = "/client/sessions/\(id)/tokens"
        let last = try #require(try await client.session()["last_active_token"]?["jwt"]?.string)
        let none = try await client.send("POST", path)
        #expect(none.status == 422 && none.code == "missing_expired_token")
        let other = try RawClient(at: client.server)
        try await other.signIn()
        let foreign = try #require(try await other.session()["last_active_token"]?["jwt"]?.string)
        #expect(try await client.send("POST", path, ["token": foreign]).code == "missing_expired_token")
        #expect(try await client.send("POST", path, ["token": "a.b.c"]).code == "missing_expired_token")
        #expect(try await client.send("POST", path, ["token": last]).json["jwt"] != nil)
        #expect(try await client.send("POST", path, query: "expired_token=\(last)").json["jwt"] != nil)
        #expect(try await client.send("POST", "\(path)/backend").json["jwt"] != nil)
        let plain = try self.client()
        #expect(try await plain.send("POST", "/client/sessions/\(plain.signIn())/tokens").json["jwt"] != nil)
    }

    @Test("rotation brings a new client token with every answer, with a session token too")
    func rotation() async throws {
        for settings in [Set([DevServer.ClerkSetting.rotation]), []] {
            let client = try RawClient { $0.settings = settings }
            let id = try await client.signIn()
            var tokens = [client.token]
            for path in ["tokens", "touch", "tokens"] {
                #expect(try await client.send("POST", "/client/sessions/\(id)/\(path)").status == 200)
                tokens.append(client.token)
            }
            #expect(try await client.send("GET", "/me", as: id).status == 200)
            tokens.append(client.token)
            #expect(Set(tokens).count == (settings.isEmpty ? 1 : 5))
        }
    }

    @Test("client-trust asks a new client for a code after the password, and a known one not again")
    func clientTrust() async throws {
        let client = try client(.clientTrust)
        let begun = try await client.send(
            "POST", "/client/sign_ins", ["identifier": RawClient.ada, "password": "ada-password"])
        #expect(begun.content["status"] == "needs_client_trust" && begun.content["client_trust_state"] == "pending")
        let path = "/client/sign_ins/\(try #require(begun.content["id"]?.string))"
        #expect(
            begun.content["supported_second_factors"]?.array?.compactMap { $0["strategy"]?.string } == ["email_code"])
        _ = try await client.send("POST", "\(path)/prepare_second_factor", ["strategy": "email_code"])
        let done = try await client.send(
            "POST", "\(path)/attempt_second_factor", ["strategy": "email_code", "code": "424242"])
        #expect(done.content["status"] == "complete")
        _ = try await client.send("DELETE", "/client/sessions")
        try await client.signIn()
        // A code is proof enough by itself.
        let other = try RawClient(at: client.server)
        let code = try await other.send(
            "POST", "/client/sign_ins", ["identifier": RawClient.ada, "strategy": "email_code"])
        let id = try #require(code.content["id"]?.string)
        let end = try await other.send(
            "POST", "/client/sign_ins/\(id)/attempt_first_factor", ["strategy": "email_code", "code": "424242"])
        #expect(end.content["status"] == "complete")
        try await self.client().signIn()
    }

    @Test("passwordless knows no passwords, for sign-ins and for sign-ups")
    func passwordless() async throws {
        let client = try client(.passwordless)
        let attributes = try await environment(.passwordless)["user_settings"]?["attributes"]
        #expect(attributes?["password"]?["enabled"] == false && attributes?["password"]?["required"] == false)
        let begun = try await client.send("POST", "/client/sign_ins", ["identifier": RawClient.ada])
        let strategies = begun.content["supported_first_factors"]?.array?.compactMap { $0["strategy"]?.string } ?? []
        #expect(!strategies.contains { $0.contains("password") } && strategies.contains("email_code"))
        let password = try await client.send(
            "POST", "/client/sign_ins", ["identifier": RawClient.ada, "password": "ada-password"])
        #expect(password.code == "strategy_for_user_invalid")
        let email = "new+clerk_test@example.test"
        let refused = try await client.send(
            "POST", "/client/sign_ups", ["email_address": email, "password": "long enough"])
        #expect(refused.status == 422 && refused.code == "form_param_unknown")
        let made = try await client.send(
            "POST", "/client/sign_ups", ["email_address": email, "strategy": "email_code"])
        #expect(made.content["required_fields"] == ["email_address"])
        let id = try #require(made.content["id"]?.string)
        let done = try await client.send(
            "POST", "/client/sign_ups/\(id)/attempt_verification", ["strategy": "email_code", "code": "424242"])
        #expect(done.content["status"] == "complete" && done.content["has_password"] == false)
    }

    @Test("legal wants the terms accepted before the account is made")
    func legal() async throws {
        let client = try client(.legal)
        let environment = try await environment(.legal)
        #expect(environment["user_settings"]?["sign_up"]?["legal_consent_enabled"] == true)
        #expect(environment["display_config"]?["terms_url"]?.string?.hasPrefix("https://") == true)
        let begun = try await client.send(
            "POST", "/client/sign_ups",
            ["email_address": "new+clerk_test@example.test", "password": "long enough", "strategy": "email_code"])
        let path = "/client/sign_ups/\(try #require(begun.content["id"]?.string))"
        let verified = try await client.send(
            "POST", "\(path)/attempt_verification", ["strategy": "email_code", "code": "424242"])
        #expect(verified.content["status"] == "missing_requirements")
        #expect(verified.content["missing_fields"] == ["legal_accepted"])
        let declined = try await client.send("PATCH", path, ["legal_accepted": "false"])
        #expect(declined.content["status"] == "missing_requirements")
        let done = try await client.send("PATCH", path, ["legal_accepted": "1"])
        #expect(done.content["status"] == "complete" && done.content["legal_accepted_at"]?.integer != nil)
    }

    @Test(
        "restricted and waitlist make no account, and a waitlist can be joined",
        arguments: [
            (DevServer.ClerkSetting.restricted, "sign_up_mode_restricted"), (.waitlist, "sign_up_restricted_waitlist"),
        ])
    func closed(_ setting: DevServer.ClerkSetting, _ code: String) async throws {
        let client = try RawClient { ($0.settings, $0.visitor) = ([setting], "new@example.test") }
        #expect(try await environment(setting)["user_settings"]?["sign_up"]?["mode"]?.string == setting.rawValue)
        let refused = try await client.send("POST", "/client/sign_ups", ["email_address": "new@example.test"])
        #expect(refused.status == 403 && refused.code == code)
        let begun = try await client.send(
            "POST", "/client/sign_ins", ["strategy": "oauth_github", "redirect_url": Self.redirect])
        let page = begun.content["first_factor_verification"]?["external_verification_redirect_url"]?.string
        _ = try await client.visit(try #require(page))
        #expect(try await client.send("POST", "/client/sign_ups", ["transfer": "true"]).code == code)
        try await client.signIn()
        let joined = try await client.send("POST", "/waitlist", ["email_address": "new@example.test"])
        #expect(joined.content["object"] == "waitlist")
        #expect(try await environment()["user_settings"]?["sign_up"]?["mode"] == "public")
    }

    @Test("sso-only has factors at other services alone, at the company for its own people")
    func ssoOnly() async throws {
        let client = try client(.ssoOnly)
        func strategies(_ who: String) async throws -> [String] {
            let begun = try await client.send("POST", "/client/sign_ins", ["identifier": who])
            return begun.content["supported_first_factors"]?.array?.compactMap { $0["strategy"]?.string } ?? []
        }
        #expect(try await strategies(RawClient.ada) == ["oauth_apple", "oauth_github", "oauth_google"])
        #expect(try await strategies("mae@corp.example.test") == ["enterprise_sso"])
        for form: KeyValuePairs in [
            ["identifier": RawClient.ada, "password": "ada-password"],
            ["identifier": RawClient.ada, "strategy": "email_code"],
            ["identifier": RawClient.ada, "strategy": "email_link", "redirect_url": Self.redirect],
        ] { #expect(try await client.send("POST", "/client/sign_ins", form).code == "strategy_for_user_invalid") }
        #expect(
            try await client.send("POST", "/client/sign_ups", ["email_address": "new@example.test"]).code
                == "form_param_unknown")
        let begun = try await client.send("POST", "/client/sign_ins", ["identifier": "mae@corp.example.test"])
        let path = "/client/sign_ins/\(try #require(begun.content["id"]?.string))"
        let prepared = try await client.send(
            "POST", "\(path)/prepare_first_factor", ["strategy": "enterprise_sso", "redirect_url": Self.redirect])
        let page = prepared.content["first_factor_verification"]?["external_verification_redirect_url"]?.string
        let back = try await client.visit(try #require(page))
        let nonce = try #require(back.split(separator: "rotating_token_nonce=").last)
        let end = try await client.send("GET", path, query: "rotating_token_nonce=\(nonce)")
        #expect(end.content["status"] == "complete")
    }

    @Test("email-link proves addresses by links alone, and the link's opening is seen by who asks again")
    func emailLink() async throws {
        let client = try client(.emailLink)
        let begun = try await client.send("POST", "/client/sign_ins", ["identifier": RawClient.ada])
        let strategies = begun.content["supported_first_factors"]?.array?.compactMap { $0["strategy"]?.string } ?? []
        #expect(strategies.contains("email_link") && !strategies.contains("email_code"))
        let path = "/client/sign_ins/\(try #require(begun.content["id"]?.string))"
        #expect(
            try await client.send("POST", "\(path)/prepare_first_factor", ["strategy": "email_code"]).code
                == "strategy_for_user_invalid")
        _ = try await client.send(
            "POST", "\(path)/prepare_first_factor", ["strategy": "email_link", "redirect_url": Self.redirect])
        #expect(try await client.send("GET", path).content["status"] == "needs_first_factor")
        let link = try #require(client.server.clerkMessages.last?.link)
        let back = try await client.visit(link)
        #expect(back.hasPrefix("\(Self.redirect)?__clerk_status=verified&__clerk_created_session=sess_"))
        #expect(try await client.visit(link) == "\(Self.redirect)?__clerk_status=failed")
        let end = try await client.send("GET", path)
        #expect(
            end.content["status"] == "complete" && end.content["first_factor_verification"]?["status"] == "verified")
    }
}
