import Latchkey
import LatchkeyCurl
import LatchkeyJSON
import Testing

@Suite("latchkey dev-server --gotrue") struct DevServerProjectTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    /// A running server, and how a program in another language asks it.
    private struct Running {
        let child: Child
        let about: JSON

        var url: String { about["supabase"]?["url"]?.string ?? "" }

        func ask(
            _ method: String, _ path: String, _ body: JSON? = nil, bearer: String? = nil,
            fields: [(String, String)] = []
        ) async throws -> (status: Int, json: JSON) {
            let key = about["supabase"]?["publishableKey"]?.string ?? ""
            var request = TransportRequest(method, url + "/auth/v1" + path)
            request.fields["apikey"] = key
            request.fields["X-Supabase-Api-Version"] = "2024-01-01"
            request.fields["Content-Type"] = "application/json"
            if let bearer { request.fields["Authorization"] = "Bearer \(bearer)" }
            for (name, value) in fields { request.fields[name] = value }
            request.body = body.map { Array($0.serialized()) }
            let answer = try await CurlTransport().send(request, deadline: .seconds(20))
            return (answer.status, (try? JSON.parse(answer.body)) ?? .null)
        }

        func signIn() async throws -> JSON {
            try await ask(
                "POST", "/token?grant_type=password", ["email": "ada@example.test", "password": "ada-password"]
            ).json
        }

        func refresh(_ token: JSON?) async throws -> (status: Int, json: JSON) {
            try await ask("POST", "/token?grant_type=refresh_token", ["refresh_token": token ?? .null])
        }
    }

    private func start(_ settings: String...) async throws -> Running {
        let child = try tool.start(["dev-server", "--json"] + settings.flatMap { ["--gotrue", $0] })
        let line = try await child.find(/(\{.*\})\n/)
        return Running(child: child, about: try JSON.parse(Array(line.utf8)))
    }

    private static let new: JSON = ["email": "new@example.test", "password": "long enough"]

    @Test(
        "a switch changes what the project answers, and nothing else",
        arguments: [
            ("autoconfirm=on", "/signup", new, 200, nil), ("sign-up=off", "/signup", new, 422, "signup_disabled"),
            ("email=off", "/signup", new, 400, "email_provider_disabled"),
            ("phone=off", "/otp", ["phone": "+15550100001"], 400, "phone_provider_disabled"),
            ("anonymous=off", "/signup", [:], 422, "anonymous_provider_disabled"),
            ("captcha=right", "/signup", new, 400, "captcha_failed"),
            ("mails-per-hour=0", "/otp", ["email": "new@example.test"], 429, "over_email_send_rate_limit"),
            ("messages-per-hour=0", "/otp", ["phone": "+15550100001"], 429, "over_sms_send_rate_limit"),
            ("password-length=12", "/signup", new, 422, "weak_password"),
            ("web3=off", "/token?grant_type=web3", ["chain": "solana"], 422, "web3_provider_disabled"),
            ("passkeys=off", "/passkeys/authentication/options", [:], 404, "passkey_disabled"),
            ("sso=on", "/sso", ["domain": "example.test"], 404, "sso_provider_not_found"),
        ] as [(String, String, JSON, Int, String?)])
    func switches(setting: String, path: String, body: JSON, status: Int, code: String?) async throws {
        let answer = try await start(setting).ask("POST", path, body)
        #expect(answer.status == status && answer.json["code"]?.string == code, "\(answer)")
        if setting == "autoconfirm=on" { #expect(answer.json["access_token"] != nil) }
        let usual = try await start().ask("POST", path, body)
        if code != nil { #expect(usual.json["code"]?.string != code, "the setting makes no difference") }
    }

    @Test("the right answer of a captcha is taken")
    func captcha() async throws {
        let server = try await start("captcha=right=1")
        let body: JSON = [
            "email": "new@example.test", "password": "long enough",
            "gotrue_meta_security": ["captcha_token": "right=1"],
        ]
        #expect(try await server.ask("POST", "/signup", body).status == 200)
    }

    @Test("sessions end by time-box, by inactivity, and by the next sign-in")
    func sessions() async throws {
        for setting in ["time-box=0s", "inactivity=0s", "single-session=on"] {
            let server = try await start(setting)
            let first = try await server.signIn()
            if setting == "single-session=on" { _ = try await server.signIn() }
            let ended = try await server.refresh(first["refresh_token"])
            #expect(ended.status == 400 && ended.json["code"] == "session_expired", "\(setting) \(ended)")
        }
        let server = try await start("time-box=24h", "inactivity=8h", "single-session=off")
        let first = try await server.signIn()
        _ = try await server.signIn()
        #expect(try await server.refresh(first["refresh_token"]).status == 200)
    }

    @Test("an old refresh token works for the interval, and ends its session afterwards only with rotation")
    func reuse() async throws {
        for tokens in ["v1", "v2"] {
            for (interval, rotation, status, lives) in [
                ("60s", "on", 200, true), ("0s", "on", 400, false), ("0s", "off", 400, true),
            ] {
                let server = try await start("tokens=\(tokens)", "reuse-interval=\(interval)", "rotation=\(rotation)")
                var held = [try await server.signIn()["refresh_token"]]
                #expect((held[0]?.string?.utf8.count == 12) == (tokens == "v1"))
                for _ in 1...3 { held.append(try await server.refresh(held.last ?? nil).json["refresh_token"]) }
                let old = try await server.refresh(held[0])
                #expect(old.status == status, "\(tokens) \(interval) \(rotation): \(old)")
                if status == 400 { #expect(old.json["code"] == "refresh_token_already_used") }
                let newest = try await server.refresh(held[3])
                #expect((newest.status == 200) == lives, "\(tokens) \(interval) \(rotation): \(newest)")
            }
        }
    }

    @Test("tokens are signed by the shared secret, which is printed, and no key is published then")
    func signing() async throws {
        for (setting, secret) in [
            ("signing=HS256", "a development secret of at least 32 characters"),
            ("secret=of an app in another language, 32+", "of an app in another language, 32+"),
        ] {
            let server = try await start(setting)
            #expect(server.about["supabase"]?["jwtSecret"]?.string == secret)
            #expect(try await server.ask("GET", "/.well-known/jwks.json").json["keys"] == [])
            let token = try await server.signIn()["access_token"]?.string ?? ""
            #expect(try await server.ask("GET", "/user", bearer: token).status == 200)
        }
        let usual = try await start()
        #expect(usual.about["supabase"]?["jwtSecret"] == nil)
        #expect(try await usual.ask("GET", "/.well-known/jwks.json").json["keys"]?.array?.count == 1)
    }

    @Test("providers are on or off, and /settings says so")
    func providers() async throws {
        for (setting, google, github) in [
            ("providers=github", false, true), ("providers=google,github", true, true),
            ("providers=none", false, false),
        ] {
            let server = try await start(setting)
            let external = try await server.ask("GET", "/settings").json["external"]
            #expect(external?["google"]?.bool == google && external?["github"]?.bool == github)
            #expect(try await server.ask("GET", "/authorize?provider=google").status == (google ? 302 : 400))
        }
    }

    @Test("requests of one address are limited by the header field, and mails of one person by the gap")
    func limits() async throws {
        let server = try await start("address-field=X-Forwarded-For", "resend-gap=0s", "anonymous-per-hour=1")
        for status in [200, 429] {
            let guest = try await server.ask("POST", "/signup", [:], fields: [("X-Forwarded-For", "192.0.2.1")])
            #expect(guest.status == status)
        }
        func recover(from address: String) async throws -> (status: Int, json: JSON) {
            try await server.ask("POST", "/recover", [:], fields: [("X-Forwarded-For", address)])
        }
        for _ in 1...30 { _ = try await recover(from: "192.0.2.1") }
        let limited = try await recover(from: "192.0.2.1")
        #expect(limited.status == 429 && limited.json["code"] == "over_request_rate_limit")
        #expect(try await recover(from: "192.0.2.2").status == 400)
        for _ in 1...2 {
            #expect(try await server.ask("POST", "/recover", ["email": "ada@example.test"]).status == 200)
        }
        let inbox = try await CurlTransport().send(
            TransportRequest("GET", server.url + "/inbox.json?to=ada@example.test"), deadline: .seconds(20))
        #expect(try JSON.parse(inbox.body)["messages"]?.array?.count == 2)
    }

    @Test("without a gateway no key is asked for, and the keys that are printed are the service's own tokens")
    func gateway() async throws {
        let server = try await start("gateway=off")
        #expect(try await server.ask("GET", "/settings", fields: [("apikey", "none")]).status == 200)
        let secret = server.about["supabase"]?["secretKey"]?.string
        #expect(try await server.ask("GET", "/admin/users", bearer: secret).status == 200)
        #expect(try await start().ask("GET", "/settings", fields: [("apikey", "none")]).status == 401)
    }

    @Test(
        "a wrong setting is refused by what it takes, and no server starts",
        arguments: [
            ("autoconfirm", "one of autoconfirm"), ("nothing=on", "one of autoconfirm"), ("autoconfirm=yes", "on, off"),
            ("rotation=", "on, off"), ("time-box=10", "a duration"), ("reuse-interval=-1s", "a duration"),
            ("mails-per-hour=many", "a whole number"), ("mails-per-hour=1001", "a whole number"),
            ("tokens=v3", "v1, v2"), ("signing=RS256", "ES256, HS256"), ("secret=marked-secret", "at least 32"),
            ("captcha=", "a value"), ("providers=", "a value"), ("address-field=", "a value"), ("=on", "one of"),
        ])
    func refuses(setting: String, message: String) async throws {
        let result = try await tool.start(["dev-server", "--gotrue", setting]).wait()
        #expect(result.status == 2 && result.errors.contains(message), "\(result.errors)")
        #expect(!result.errors.contains("marked-secret") && result.output.isEmpty)
    }
}
