import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import Testing

@Suite("Pages for people")
struct PagesTests {
    /// A browser that holds one cookie and reads hidden fields.
    struct Browser {
        var harness: Harness
        var cookie: String?

        mutating func get(_ target: String) async throws -> Answer {
            let answer = try await harness.send("GET", target, fields: fields)
            if let set = answer.field("Set-Cookie") { cookie = set.split(separator: ";").first.map(String.init) }
            return answer
        }

        func post(_ target: String, _ form: Harness.Pairs, site: String? = nil) async throws -> Answer {
            try await harness.post(
                target, form, fields: fields + (site.map { [("Sec-Fetch-Site", $0)] } ?? []))
        }

        private var fields: Harness.Pairs { cookie.map { [("Cookie", "other=1; \($0)")] } ?? [] }
    }

    static func transaction(_ page: Answer) throws -> String {
        let rest = try #require(page.text.split(separator: "name=\"transaction\" value=\"").dropFirst().first)
        return String(rest.prefix { $0 != "\"" })
    }

    static func decision(
        _ page: Answer, _ decision: String = "approve", user: String = "grace", password: String = "grace-password"
    ) throws -> Harness.Pairs {
        [
            ("transaction", try transaction(page)), ("username", user), ("password", password),
            ("decision", decision),
        ]
    }

    static let target = "/authorize?\(FormPairs.encode(Harness.authorization()))"

    @Test("A person signs in with the password and approves")
    func approve() async throws {
        let harness = try Harness(autoApprove: false)
        var browser = Browser(harness: harness)
        let page = try await browser.get(Self.target)
        #expect(page.status == 200)
        #expect(page.field("Set-Cookie")?.contains("HttpOnly; SameSite=Strict") == true)
        #expect(page.field("Content-Security-Policy")?.contains("default-src 'none'") == true)
        #expect(!page.text.contains("<script"))
        let answer = try await browser.post("/authorize/decision", try Self.decision(page), site: "same-origin")
        #expect(answer.redirectParameter("state") == "s+t/1")
        let code = try #require(answer.redirectParameter("code"))
        let tokens = try await harness.post("/token", Harness.exchange(code))
        #expect(try await harness.get("/userinfo", bearer: tokens.accessToken).json["name"]?.string == "Grace Hopper")
        let again = try await browser.post("/authorize/decision", try Self.decision(page))
        #expect(again.status == 400)
    }

    @Test("A person says no, and the client hears it")
    func deny() async throws {
        var browser = Browser(harness: try Harness(autoApprove: false))
        let page = try await browser.get(Self.target)
        let answer = try await browser.post("/authorize/decision", try Self.decision(page, "deny", password: ""))
        #expect(answer.redirectParameter("error") == "access_denied")
        #expect(answer.redirectParameter("state") == "s+t/1")
    }

    @Test("A wrong password is asked for again, five times at most")
    func password() async throws {
        var browser = Browser(harness: try Harness(autoApprove: false))
        let page = try await browser.get(Self.target)
        for _ in 0..<4 {
            let answer = try await browser.post("/authorize/decision", try Self.decision(page, password: "wrong"))
            #expect(answer.status == 403)
            #expect(answer.field("Location") == nil)
        }
        let last = try await browser.post("/authorize/decision", try Self.decision(page, password: "wrong"))
        #expect(last.redirectParameter("error") == "access_denied")
    }

    @Test("What was wrong is tied to the field that it is about, and what was typed stays")
    func problems() async throws {
        var browser = Browser(harness: try Harness(autoApprove: false))
        let tie = "aria-invalid=\"true\" aria-describedby=\"problem\""
        let consent = try await browser.get(Self.target)
        #expect(!consent.text.contains("problem"))
        let wrong = try await browser.post("/authorize/decision", try Self.decision(consent, password: "wrong"))
        #expect(wrong.text.contains("name=\"password\" \(tie)") && wrong.text.contains("role=\"alert\" id=\"problem\""))
        let device = try await browser.get("/device")
        let unknown = try await browser.post("/device", try Self.decision(device) + [("user_code", "BBBB-BBBB")])
        #expect(unknown.text.contains("value=\"BBBB-BBBB\"") && unknown.text.contains("spellcheck=\"false\" \(tie)"))
        #expect(!unknown.text.contains("name=\"password\" \(tie)"))
    }

    @Test("A scope is shown in words that a person knows, with its own name beside them")
    func scopes() async throws {
        var browser = Browser(harness: try Harness(autoApprove: false))
        let page = try await browser.get(Self.target)
        #expect(page.text.contains("who you are <span class=\"dim\">(<code>openid</code>)</span>"))
    }

    @Test("A decision from another site, another browser, or too late is refused")
    func forged() async throws {
        let harness = try Harness(autoApprove: false)
        var browser = Browser(harness: harness)
        let page = try await browser.get(Self.target)
        let decision = try Self.decision(page)
        for site in ["cross-site", "same-site"] {
            #expect(try await browser.post("/authorize/decision", decision, site: site).status == 400)
        }
        let stranger = Browser(harness: harness)
        #expect(try await stranger.post("/authorize/decision", decision).status == 400)
        let other = Browser(harness: harness, cookie: "latchkey_dev=\(String(repeating: "a", count: 43))")
        #expect(try await other.post("/authorize/decision", decision).status == 400)
        #expect(try await browser.post("/authorize/decision", Array(decision.dropFirst())).status == 400)
        harness.advance(601)
        #expect(try await browser.post("/authorize/decision", decision).status == 400)
    }

    @Test("Two pages in one browser both work")
    func twoPages() async throws {
        var browser = Browser(harness: try Harness(autoApprove: false))
        let first = try await browser.get(Self.target)
        let second = try await browser.get(Self.target)
        for page in [second, first] {
            let answer = try await browser.post("/authorize/decision", try Self.decision(page))
            #expect(answer.redirectParameter("code") != nil)
        }
    }

    @Test("A person enters the code of a device")
    func device() async throws {
        let harness = try Harness(autoApprove: false)
        var browser = Browser(harness: harness)
        let device = try await DeviceTests.begin(harness)
        let page = try await browser.get("/device?user_code=\(device.userCode)")
        #expect(page.text.contains("value=\"\(device.userCode)\""))
        let code: Harness.Pairs = [("user_code", device.userCode)]
        let wrong = try await browser.post("/device", try Self.decision(page, password: "wrong") + code)
        #expect(wrong.status == 403)
        let unknown = try await browser.post("/device", try Self.decision(page) + [("user_code", "BBBB-BBBB")])
        #expect(unknown.status == 404)
        let stranger = Browser(harness: harness)
        #expect(try await stranger.post("/device", try Self.decision(page) + code).status == 400)
        #expect(try await DeviceTests.poll(harness, device.code).error == "authorization_pending")
        #expect(try await browser.post("/device", try Self.decision(page) + code).status == 200)
        harness.advance(5)
        #expect(try await DeviceTests.poll(harness, device.code).status == 200)
    }

    @Test("A device is denied on the page, or by five wrong passwords")
    func deviceDenied() async throws {
        let harness = try Harness(autoApprove: false)
        var browser = Browser(harness: harness)
        let page = try await browser.get("/device")
        let first = try await DeviceTests.begin(harness)
        let denial = try Self.decision(page, "deny") + [("user_code", first.userCode)]
        #expect(try await browser.post("/device", denial).status == 200)
        #expect(try await DeviceTests.poll(harness, first.code).error == "access_denied")
        let second = try await DeviceTests.begin(harness)
        let guess = try Self.decision(page, password: "wrong") + [("user_code", second.userCode)]
        for _ in 0..<5 { #expect(try await browser.post("/device", guess).status == 403) }
        #expect(try await DeviceTests.poll(harness, second.code).error == "access_denied")
    }

    @Test("What a request brings is shown as text, never as markup")
    func escaping() async throws {
        let harness = try Harness(autoApprove: false)
        let page = try await harness.get("/device?user_code=%22%3E%3Cscript%3Ealert(1)%3C/script%3E%27")
        #expect(!page.text.contains("<script"))
        #expect(page.text.contains("&quot;&gt;&lt;script&gt;"))
    }

    @Test("The home page says that this is for development, and shows the accounts")
    func home() async throws {
        let harness = try Harness()
        let page = try await harness.get("/")
        #expect(page.text.contains("For development only"))
        #expect(page.text.contains("ada-password"))
        #expect(harness.server.banner.contains("For development only"))
        #expect(try await harness.get("/nothing").status == 404)
    }
}
