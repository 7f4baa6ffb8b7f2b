import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON
import Testing

@testable import LatchkeyDevServer

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
        let tie = "aria-invalid=\"true\" aria-describedby=\"problem\" autofocus"
        let consent = try await browser.get(Self.target)
        #expect(!consent.text.contains("problem") && !consent.text.contains("Error"))
        let wrong = try await browser.post("/authorize/decision", try Self.decision(consent, password: "wrong"))
        #expect(wrong.text.contains("name=\"password\" \(tie)"))
        #expect(wrong.text.contains("role=\"alert\"><a href=\"#password\">The password is wrong.</a>"))
        #expect(wrong.text.contains("id=\"problem\">The password is wrong.</p>"))
        #expect(wrong.text.contains("<title>Error: Sign in</title>") && wrong.text.contains("value=\"grace\" selected"))
        let device = try await browser.get("/device")
        let unknown = try await browser.post("/device", try Self.decision(device) + [("user_code", "BBBB-BBBB")])
        #expect(unknown.text.contains("name=\"user_code\" \(tie)") && unknown.text.contains("value=\"BBBB-BBBB\""))
        #expect(!unknown.text.contains("name=\"password\""))
    }

    @Test("A scope is shown in words that a person knows, with its own name beside them; one of no words by its name")
    func scopes() async throws {
        let scopes = ["openid", "offline_access", "<b>odd</b>"]
        let list = Page(in: .english).scopes(scopes)
        #expect(list.contains("<li>know who you are <span class=\"dim\"><code>openid</code></span></li>"))
        #expect(list.contains("stay signed in while you are away"))
        #expect(list.contains("<li><code>&lt;b&gt;odd&lt;/b&gt;</code></li>"))
        for client in DevServer.Configuration().clients {
            for scope in client.scopes { #expect(PageTexts.table["scope.\(scope)"] != nil, "\(scope) has no words") }
        }
    }

    @Test("The page says who asks, and where the person goes back to")
    func asks() async throws {
        var browser = Browser(harness: try Harness(autoApprove: false))
        let page = try await browser.get(Self.target)
        #expect(page.text.contains("<strong>dev-native</strong> asks you to sign in"))
        #expect(
            page.text.wholeMatch(of: /(?s).*Afterwards you go back to <strong>127\.0\.0\.1:\d+<\/strong>\..*/) != nil)
    }

    @Test("Every page is in the person's language, and allows its own style and no other")
    func languages() async throws {
        let harness = try Harness(autoApprove: false)
        let targets = [
            "/", "/inbox", "/inbox?paused=1", "/device", "/device?user_code=x", "/authorize", "/no", Self.target,
        ]
        for target in targets {
            for (header, language) in [("fr-CH, en;q=0.5", "fr"), ("de, en;q=0.3", "en"), ("", "en")] {
                let page = try await harness.send("GET", target, fields: [("Accept-Language", header)])
                #expect(page.text.contains("<html lang=\"\(language)\">"))
                #expect(page.text.contains(language == "fr" ? "Un serveur de développement" : "A development server"))
                let policy = try #require(page.field("Content-Security-Policy"))
                let digest = Base64.encode(Hash.digest(Array(PageStyle.sheet.utf8), .sha256))
                #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-\(digest)';"))
                #expect(page.text.contains("<style>\(PageStyle.sheet)</style>") && !page.text.contains(" style="))
            }
        }
    }

    @Test("No text of a page is empty, or has other places for values in one language than in the other")
    func texts() {
        func places(_ text: String) -> Set<Substring> { Set(text.matches(of: /\{(\w+)\}/).map(\.1)) }
        for (key, text) in PageTexts.table {
            #expect(!text.english.isEmpty && !text.french.isEmpty, "\(key)")
            #expect(places(text.english) == places(text.french), "\(key)")
        }
        let french = Page(in: .french)
        #expect(
            [0, 4.9, 5, 59, 60, 119, 120, 3_600, 7_300, 90_000, -3].map { french.ago($0) } == [
                "à l’instant", "à l’instant", "il y a 5 secondes", "il y a 59 secondes", "il y a une minute",
                "il y a une minute", "il y a 2 minutes", "il y a une heure", "il y a 2 heures", "il y a un jour",
                "à l’instant",
            ])
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

    @Test("A device that waits is shown before it is decided on: its code, what asks, since when, and what for")
    func confirms() async throws {
        let harness = try Harness(autoApprove: false)
        var browser = Browser(harness: harness)
        let form: Harness.Pairs = DeviceTests.client
        let answer = try await harness.post("/device_authorization", form, fields: [("User-Agent", "tv<b>/1")])
        let code = try #require(answer.json["user_code"]?.string)
        harness.advance(90)
        let entry = try await browser.get("/device")
        #expect(entry.text.contains("Code shown by the device") && !entry.text.contains("name=\"password\""))
        let sent: Harness.Pairs = [("transaction", try Self.transaction(entry)), ("user_code", code.lowercased())]
        let asked = try await browser.post("/device", sent)
        for words in [
            "Is this your device?", "<code>\(code)</code>", "dev-device", "a minute ago, from this machine",
            "tv&lt;b&gt;/1", "know who you are", "only if you began this sign-in yourself",
        ] { #expect(asked.status == 200 && asked.text.contains(words), "\(words)") }
        // An address that has the code leads to the same question, and decides nothing.
        #expect(try await browser.get("/device?user_code=\(code)").text.contains("Is this your device?"))
        let late = try await browser.get("/device?user_code=BBBB-BBBB")
        #expect(late.text.contains("No device waits with this code.") && !late.text.contains("Is this your device?"))
        let device = try #require(answer.json["device_code"]?.string)
        #expect(try await DeviceTests.poll(harness, device).error == "authorization_pending")
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
        for number in 1...5 {
            let answer = try await browser.post("/device", guess)
            #expect(answer.status == 403)
            #expect(answer.text.contains(number < 5 ? "The password is wrong." : "Too many wrong passwords"))
        }
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
