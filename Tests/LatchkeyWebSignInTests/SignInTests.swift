import Latchkey
import LatchkeyModel
import LatchkeyTesting
import Testing

@testable import LatchkeyWebSignIn

@Suite("Signing in by pages") struct SignInTests {
    @Test("a password leads to the page that asked for it, with a new cookie that only this browser keeps")
    func password() async throws {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        try await browser.open("/notes?id=7")
        #expect(browser.title == "Sign in – Notes")
        let before = browser.session
        try await browser.submit("/auth/sign-in", ["identifier": " a@example.com ", "password": " p w "])
        #expect(browser.path == "/notes?id=7")
        #expect(browser.text.contains("<p id=\"person\">alice</p>"))
        #expect(browser.session != before)
        guard case .signIn(.password("a@example.com", let password)) = bench.service.requests.first else {
            throw WebBench.Stuck()
        }
        #expect(password.revealText() == " p w ")
        let field = browser.seen.flatMap(\.fields).last { $0.name == "Set-Cookie" }?.value ?? ""
        for part in ["__Host-session=s.", "; Path=/;", "; Secure", "; HttpOnly", "; SameSite=Lax", "Max-Age=2592000"] {
            #expect(field.contains(part))
        }
        #expect(!field.contains("Domain"))
    }

    @Test("the cookie of before a sign-in is worth nothing after it, and neither is the one of before the next")
    func rotation() async throws {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in")
        var fixed = browser
        try await browser.submit("/auth/sign-in", ["identifier": "a@example.com", "password": "p"])
        try await fixed.open("/")
        #expect(fixed.path.hasPrefix("/auth/sign-in"))
        var old = browser
        try await browser.open("/auth/sign-in")
        bench.service.script(turns: .granted(to: "bob"))
        try await browser.submit("/auth/sign-in", ["identifier": "b@example.com", "password": "p"])
        #expect(browser.text.contains("bob"))
        try await old.open("/auth/account")
        #expect(old.path.hasPrefix("/auth/sign-in"))
        #expect(!old.text.contains("alice") && !old.text.contains("bob"))
    }

    @Test("what is missing is named at its field, and nothing is sent", arguments: [("", "p"), ("a@example.com", "")])
    func missing(_ identifier: String, _ password: String) async throws {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in")
        try await browser.submit("/auth/sign-in", ["identifier": identifier, "password": password])
        let name = identifier.isEmpty ? "identifier" : "password"
        #expect(browser.title == "Error: Sign in – Notes")
        #expect(browser.alert.contains("href=\"#field-\(name)\""))
        #expect(browser.text.contains("aria-describedby=\"field-\(name)-error\" aria-invalid=\"true\""))
        #expect(bench.service.beginCount == 0)
    }

    @Test("a wrong password keeps the address and not the password; a service out of reach keeps both for the button")
    func refused() async throws {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in")
        bench.service.script(
            turns: .failed(AuthError(.refused(.wrongInput), "no")), .failed(AuthError(.offline(.unreachable), "x")))
        try await browser.submit("/auth/sign-in", ["identifier": "a@example.com", "password": "hunter2"])
        #expect(browser.alert.contains("What was entered is wrong"))
        #expect(browser.text.contains("value=\"a@example.com\""))
        #expect(!browser.text.contains("hunter2"))
        try await browser.submit("/auth/sign-in", ["identifier": "a@example.com", "password": "hunter3"])
        #expect(browser.alert.contains("Signing in needs a connection"))
        #expect(!browser.text.contains("hunter3"))
        let again = try browser.form("/auth/sign-in", ["press": "tryAgain"])
        try await browser.go(again)
        #expect(browser.text.contains("<p id=\"person\">alice</p>"))
        guard case .signIn(.password(_, let sent)) = bench.service.requests.last else { throw WebBench.Stuck() }
        #expect(sent.revealText() == "hunter3")
    }

    @Test("a form that is sent twice signs in once, and both answers are the same", arguments: [false, true])
    func twice(_ atOnce: Bool) async throws {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in")
        let form = try browser.form("/auth/sign-in", ["identifier": "a@example.com", "password": "p"])
        let sender = browser
        let answers: [WebResponse]
        if atOnce {
            async let first = sender.send(form)
            async let second = sender.send(form)
            answers = await [first, second]
        } else {
            answers = [await sender.send(form), await sender.send(form)]
        }
        #expect(bench.service.beginCount == 1)
        #expect(answers.map(\.status) == [303, 303])
        let cookies = answers.map { $0.fields.first { $0.name == "Set-Cookie" }?.value }
        #expect(cookies[0] != nil && cookies[0] == cookies[1])
        // What the answer was is forgotten, so that the old cookie gets nothing any more.
        bench.clock.advance(by: RepeatedForms.time)
        #expect(await sender.send(form).status == 403)
        #expect(bench.service.beginCount == 1)
    }

    @Test("signing out takes the cookie, the client and the stored session away, and tells the service")
    func signOut() async throws {
        let bench = WebBench()
        var browser = try await bench.signedIn()
        let old = browser
        try await browser.open("/auth/account")
        try await browser.submit("/auth/account", button: "sign-out")
        #expect(browser.text.contains("You are signed out"))
        #expect(bench.service.revokeCount == 1)
        #expect(await old.send(WebRequest("GET", "/")).status == 303)
        try await bench.advance(by: .zero) { ((try? bench.store.keys(.credential)) ?? []).isEmpty }
        #expect(Set(try bench.store.keys(.settings).map(\.name)).subtracting(["web/sweep"]) == ["web/key"])
    }

    @Test("every person has an own client: what one does is seen by nobody else") func people() async throws {
        let bench = WebBench()
        var (alice, bob) = (try await bench.signedIn("alice"), try await bench.signedIn("bob"))
        try await alice.open("/auth/account")
        #expect(alice.text.contains("as alice.") && !alice.text.contains("bob"))
        try await bob.open("/auth/account")
        try await bob.submit("/auth/account", button: "sign-out")
        try await alice.open("/")
        #expect(alice.text.contains("<p id=\"person\">alice</p>"))
        #expect(bob.path.hasPrefix("/auth/sign-in"))
    }

    @Test("several accounts of one browser: the newest is shown, the others can be switched to and signed out")
    func accounts() async throws {
        let bench = WebBench()
        var browser = try await bench.signedIn("alice")
        try await browser.open("/auth/sign-in")
        bench.service.script(turns: .granted(to: "bob"))
        try await browser.submit("/auth/sign-in", ["identifier": "b@example.com", "password": "p"])
        try await browser.open("/auth/account")
        #expect(browser.text.contains("as bob."))
        try await browser.submit("/auth/account", button: "switch")
        #expect(browser.text.contains("as alice."))
        try await browser.submit("/auth/account", button: "sign-out")
        #expect(browser.path == "/auth/account")
        #expect(browser.text.contains("as bob.") && !browser.text.contains("alice"))
    }
}
