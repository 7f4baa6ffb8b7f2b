import Latchkey
import LatchkeyTesting
import Testing

@testable import LatchkeyWebSignIn

@Suite("Requests that are not what they seem") struct ForeignRequestTests {
    @Test("a form without its token, or with another's, does nothing", arguments: ["", "x", nil] as [String?])
    func token(_ token: String?) async throws {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in")
        var other = TestBrowser(bench.web)
        try await other.open("/auth/sign-in")
        let foreign = other.text.components(between: "name=\"token\" value=\"", and: "\"").first ?? ""
        for token in [token, foreign] {
            var pairs = [("identifier", "a@example.com"), ("password", "p"), ("method", "0")]
            if let token { pairs.append(("token", token)) }
            #expect(await browser.send(browser.post("/auth/sign-in", pairs)).status == 403)
        }
        #expect(bench.service.beginCount == 0)
    }

    @Test("a token twice in a form is none") func tokenTwice() async throws {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in")
        var form = try browser.form("/auth/sign-in", ["identifier": "a@example.com", "password": "p"])
        form.body += Array("&token=x".utf8)
        #expect(await browser.send(form).status == 403)
    }

    @Test(
        "a form that another site has sent does nothing, even with the right token",
        arguments: [
            ("Origin", "https://evil.test"), ("Origin", "null"), ("Origin", "http://notes.example.com"),
            ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"),
        ])
    func origin(_ name: String, _ value: String) async throws {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in")
        var form = try browser.form("/auth/sign-in", ["identifier": "a@example.com", "password": "p"])
        form.fields.append((name, value))
        #expect(await browser.send(form).status == 403)
        #expect(bench.service.beginCount == 0)
        let person = try await bench.signedIn()
        var note = person.post("/", [("token", "x"), ("notice", "hello")])
        #expect(await person.send(note).status == 403)
        note.fields.append((name, value))
        #expect(await person.send(note).status == 403)
    }

    @Test("a form without a cookie is refused, and its sender gets a page to begin with") func noCookie() async throws {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in")
        let form = try browser.form("/auth/sign-in", ["identifier": "a@example.com", "password": "p"])
        var blank = TestBrowser(bench.web)
        try await blank.go(form)
        #expect(blank.status == 403)
        #expect(!blank.session.isEmpty)
        #expect(bench.service.beginCount == 0)
    }

    @Test("a cookie that this server has not given is worth nothing, whatever it looks like")
    func forged() async throws {
        let bench = WebBench()
        let alice = try await bench.signedIn("alice")
        let bob = try await bench.signedIn("bob")
        let (mine, theirs) = (alice.session.split(separator: "."), bob.session.split(separator: "."))
        let last = mine[2].last == "A" ? "B" : "A"
        let guests = ["g.\(mine[1]).99999999999.\(mine[2])", "g.\(mine[1]).1.\(mine[2])", "g.\(mine[1])..\(mine[2])"]
        for text in [
            "", "s", "s..", "s.\(mine[1]).", "s.\(mine[1]).\(theirs[2])", "s.\(theirs[1]).\(mine[2])", "s.\(mine[1])",
            "s.\(mine[1]).\(mine[2].dropLast())\(last)", "s.\(mine[1]).\(mine[2])A", "t.\(mine[1]).\(mine[2])",
            "s.\(mine[1]).\(mine[2]).x", String(repeating: "s", count: 4_000), "s.%00.%00", "s.../web.x",
        ] + guests {
            var thief = TestBrowser(bench.web)
            thief.cookies["__Host-session"] = text
            try await thief.open("/auth/account")
            #expect(thief.path.hasPrefix("/auth/sign-in"), "\(text.prefix(4))")
            #expect(!thief.text.contains("alice") && !thief.text.contains("bob"))
        }
    }

    @Test("a cookie that comes twice in one header, or in two, is none") func cookieTwice() async throws {
        let bench = WebBench()
        let alice = try await bench.signedIn("alice")
        let bob = try await bench.signedIn("bob")
        for cookies in [
            ["__Host-session=\(alice.session); __Host-session=\(bob.session)"],
            ["__Host-session=\(alice.session)", "__Host-session=\(bob.session)"],
            ["__Host-session=\(alice.session); __Host-session=\(alice.session)"],
        ] {
            let request = WebRequest("GET", "/", fields: cookies.map { ("Cookie", $0) })
            #expect(await TestBrowser(bench.web).send(request).status == 303)
        }
        let request = WebRequest("GET", "/", fields: [("Cookie", "other=1;  __Host-session=\(alice.session)")])
        #expect(await TestBrowser(bench.web).send(request).status == 200)
    }

    @Test("a session ends when nobody used it for too long, and after its longest time however it is used")
    func limits() async throws {
        let bench = WebBench { $0.limits.idle = .seconds(86_400) }
        var idle = try await bench.signedIn("alice")
        var used = try await bench.signedIn("bob")
        for _ in 0..<29 {
            bench.clock.advance(by: .seconds(86_400 - 60))
            try await used.open("/")
            #expect(used.text.contains("bob"))
        }
        try await idle.open("/auth/account")
        #expect(idle.text.contains("Your session has ended") || idle.path.hasPrefix("/auth/sign-in"))
        bench.clock.advance(by: .seconds(86_400 - 60))
        bench.clock.advance(by: .seconds(86_400))
        try await used.open("/")
        #expect(used.path.hasPrefix("/auth/sign-in"))
        try await bench.advance(by: .zero) { bench.service.revokeCount == 2 }
    }

    @Test("a sign-in of another account, or of the same one again beside it, makes a browser's session no younger")
    func renewedByAnother() async throws {
        let bench = WebBench { $0.limits.idle = .seconds(40 * 86_400) }
        var browser = try await bench.signedIn("alice")
        for subject in ["bob", "carol"] {
            bench.clock.advance(by: .seconds(14 * 86_400))
            try await browser.open("/auth/sign-in")
            bench.service.script(turns: .granted(to: subject))
            try await browser.submit(
                "/auth/sign-in", ["identifier": "\(subject)@example.com", "password": "correct horse"])
            #expect(browser.path == "/" && browser.text.contains(subject))
        }
        bench.clock.advance(by: .seconds(2 * 86_400 - 60))
        try await browser.open("/")
        #expect(browser.path == "/")
        bench.clock.advance(by: .seconds(61))
        try await browser.open("/")
        #expect(browser.path.hasPrefix("/auth/sign-in"))
    }

    @Test("a browser's record keeps when each account signed in, and reads records that have one time for all")
    func times() throws {
        let first = VisitorRecord(hash: [0x61], at: 100, person: "a")
        let second = VisitorRecord(hash: [0x62], at: 200, person: "b", beside: ["a", "b"], of: first)
        #expect(second.begun == ["a": 100, "b": 200] && second.since == 100 && second.seen == 200)
        let again = VisitorRecord(hash: [0x63], at: 300, person: "a", beside: ["a", "b"], of: second)
        #expect(again.since == 200 && again.accounts == ["a", "b"])
        #expect(try VisitorRecord(again.bytes) == again)
        var left = again
        left.keep(["a"])
        #expect(left.since == 300)
        let old = #"{"hash":"h","since":5,"seen":9,"accounts":["a","b"]}"#
        #expect(try VisitorRecord(Array(old.utf8)).begun == ["a": 5, "b": 5])
    }

    @Test("a page of a visitor that was open for too long sends nothing, and says so") func oldPage() async throws {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in")
        bench.clock.advance(by: .seconds(3_600))
        try await browser.submit("/auth/sign-in", ["identifier": "a@example.com", "password": "p"])
        #expect(browser.status == 403)
        #expect(browser.alert.contains("was open for too long"))
        #expect(bench.service.beginCount == 0)
    }

    @Test(
        "what no browser sends is refused by its own status",
        arguments: [
            (WebRequest("GET", "/auth/nothing"), 404), (WebRequest("GET", "/auth/"), 404),
            (WebRequest("GET", "/auth/sign-in/"), 404), (WebRequest("GET", "/auth/%2e%2e/"), 404),
            (WebRequest("PUT", "/auth/sign-in"), 405), (WebRequest("POST", "/auth/callback"), 405),
            (WebRequest("GET", "/auth/language"), 405), (WebRequest("POST", "/auth/style.css"), 405),
            (WebRequest("GET", "/auth/sign-in?a=%GG"), 400),
            (WebRequest("POST", "/auth/sign-in", body: Array("a=b".utf8)), 400),
            (
                WebRequest(
                    "POST", "/auth/sign-in", fields: [("Content-Type", "application/x-www-form-urlencoded")],
                    body: [0xFF]), 400
            ),
            (
                WebRequest(
                    "POST", "/auth/sign-in", fields: [("Content-Type", "application/x-www-form-urlencoded")],
                    body: Array(repeating: 0x61, count: WebRequest.bodyLimit + 1)), 413
            ),
            (WebRequest("GET", "/auth/sign-in?a=" + String(repeating: "a", count: WebRequest.headLimit)), 414),
            (
                WebRequest(
                    "GET", "/auth/sign-in",
                    fields: [("Cookie", String(repeating: "a", count: WebRequest.headLimit))]), 431
            ),
        ])
    func status(_ request: WebRequest, _ status: Int) async throws {
        let bench = WebBench()
        let response = await bench.web.respond(to: request)
        #expect(response.status == status)
        #expect(response.fields.contains { $0.name == "Content-Security-Policy" })
        #expect((response.fields.first { $0.name == "Allow" } != nil) == (status == 405))
        #expect(await bench.web.openVisitors == 0)
    }

    @Test(
        "nobody is led elsewhere after signing in, whatever the link says",
        arguments: [
            "//evil.test", "/\\evil.test", "https://evil.test/", "javascript:alert(1)", "/%0d%0aSet-Cookie:x",
            "/a\r\nb",
        ])
    func openRedirect(_ place: String) async throws {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in?return=\(FormText.encode(place))")
        #expect(!browser.text.contains("evil.test"))
        var form = try browser.form("/auth/sign-in", ["identifier": "a@example.com", "password": "p"])
        form.body += Array("&return=\(FormText.encode(place))".utf8)
        let response = await browser.send(form)
        let location = response.fields.first { $0.name == "Location" }?.value ?? ""
        #expect(location == "/" || location == "/%0d%0aSet-Cookie:x")
    }

    @Test("asking for pages costs the store nothing: a thousand visitors leave no record but the server's key")
    func visitors() async throws {
        let bench = WebBench()
        for _ in 0..<1_000 {
            var browser = TestBrowser(bench.web)
            try await browser.open("/auth/sign-in")
        }
        #expect(await bench.web.openVisitors == 0)
        for kind in StoreKey.Kind.allCases where kind != .settings { #expect(try bench.store.keys(kind).isEmpty) }
        // The lease of the clean-up is one record, however many come.
        let names = Set(try bench.store.keys(.settings).map(\.name))
        #expect(names.subtracting(["web/sweep"]) == ["web/key"])
    }
}
