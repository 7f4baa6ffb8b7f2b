import Latchkey
import LatchkeyModel
import LatchkeyTesting
import Testing

@testable import LatchkeyWebSignIn

@Suite("Sessions of browsers") struct SessionTests {
    @Test("a person sees where they are signed in, ends one browser, and it is signed out at once") func endOne()
        async throws
    {
        let bench = WebBench()
        var first = try await bench.signedIn()
        var second = try await bench.signedIn()
        let stranger = try await bench.signedIn("bob")
        try await first.open("/auth/sessions")
        #expect(first.text.components(between: "Another browser", and: "<").count == 1)
        #expect(first.text.components(between: "This browser", and: "<").count == 1)
        let page = first.text
        let others = page.components(between: "<li>", and: "</li>").filter { $0.contains("Another browser") }
        let named = others.first?.components(between: "name=\"session\" value=\"", and: "\"").first ?? ""
        let token = page.components(between: "name=\"token\" value=\"", and: "\"").first ?? ""
        try await first.go(first.post("/auth/sessions", [("token", token), ("do", "end"), ("session", named)]))
        #expect(first.text.contains("That browser is signed out"))
        try await second.open("/")
        #expect(second.path.hasPrefix("/auth/sign-in"))
        try await first.open("/")
        #expect(first.text.contains("<p id=\"person\">alice</p>"))
        #expect(await stranger.send(WebRequest("GET", "/")).status == 200)
        try await bench.advance(by: .zero) { bench.service.revokeCount == 1 }
    }

    @Test("signing out everywhere ends every browser of the person at once, and nobody else's") func endAll()
        async throws
    {
        let bench = WebBench()
        var browsers: [TestBrowser] = []
        for _ in 0..<4 { browsers.append(try await bench.signedIn()) }
        let stranger = try await bench.signedIn("bob")
        var first = browsers[0]
        try await first.open("/auth/sessions")
        try await first.submit("/auth/sessions", button: "end-all")
        for browser in browsers { #expect(await browser.send(WebRequest("GET", "/")).status == 303) }
        #expect(await stranger.send(WebRequest("GET", "/")).status == 200)
        try await bench.advance(by: .zero) { bench.service.revokeCount == 4 }
    }

    @Test("a session that another person names in a form is not ended") func foreignSession() async throws {
        let bench = WebBench()
        let alice = try await bench.signedIn("alice")
        var bob = try await bench.signedIn("bob")
        try await bob.open("/auth/sessions")
        let id = alice.session.split(separator: ".")[1]
        let token = bob.text.components(between: "name=\"token\" value=\"", and: "\"").first ?? ""
        let name = FormVisit.name(of: String(id))
        try await bob.go(bob.post("/auth/sessions", [("token", token), ("do", "end"), ("session", name)]))
        #expect(await alice.send(WebRequest("GET", "/")).status == 200)
    }

    @Test("the oldest browser makes room when one person has too many") func tooMany() async throws {
        let bench = WebBench()
        let first = try await bench.signedIn()
        let second = try await bench.signedIn()
        for _ in 0..<(PersonRecord.limit - 1) { _ = try await bench.signedIn() }
        #expect(await first.send(WebRequest("GET", "/")).status == 303)
        #expect(await second.send(WebRequest("GET", "/")).status == 200)
    }

    @Test("a client that nobody uses is closed after its time, and comes back from the store") func idle() async throws
    {
        let bench = WebBench()
        let browser = try await bench.signedIn()
        #expect(await bench.web.openVisitors == 1)
        try await bench.advance(by: .seconds(60)) { await bench.web.openVisitors == 0 }
        #expect(await browser.send(WebRequest("GET", "/")).status == 200)
        #expect(bench.service.beginCount == 1)
        #expect(await bench.web.openVisitors == 1)
    }

    @Test("a client is not closed while a request uses it, however long that takes") func inUse() async throws {
        let bench = WebBench { ($0.openLimit, $0.openTime) = (2, .seconds(60)) }
        let browser = try await bench.signedIn()
        let (entered, release) = (Latch(), Latch())
        var request = WebRequest("GET", "/")
        request.fields.append(("Cookie", "__Host-session=\(browser.session)"))
        let (web, sent) = (bench.web, request)
        async let answer = web.respond(to: sent) { person in
            entered.open()
            try? await release.wait()
            return WebResponse(status: (try? await person.client.accessToken()) == nil ? 500 : 204)
        }
        try await entered.wait()
        for name in ["b", "c", "d", "e"] { _ = try await bench.signedIn(name) }
        for _ in 0..<50 {
            bench.clock.advance(by: .seconds(60))
            for _ in 0..<50 { await Task.yield() }
        }
        #expect(await bench.web.openVisitors >= 1)
        release.open()
        #expect(await answer.status == 204)
    }

    @Test("no more clients are kept in memory than the app allows, and all of them come back") func bounded()
        async throws
    {
        let bench = WebBench { $0.openLimit = 5 }
        var browsers: [TestBrowser] = []
        for number in 0..<20 { browsers.append(try await bench.signedIn("person\(number)")) }
        #expect(await bench.web.openVisitors <= 5)
        for (number, browser) in browsers.enumerated() {
            var browser = browser
            try await browser.open("/")
            #expect(browser.text.contains("<p id=\"person\">person\(number)</p>"))
        }
        #expect(bench.service.beginCount == 20)
    }

    @Test("a session outlasts the server, and forms of before are still good") func restart() async throws {
        let bench = WebBench()
        var browser = try await bench.signedIn()
        try await browser.open("/auth/account")
        let signOut = try browser.form("/auth/account", button: "sign-out")
        await bench.web.finish()
        let next = WebBench(over: bench.store, service: bench.service)
        var moved = TestBrowser(next.web)
        moved.cookies = browser.cookies
        try await moved.open("/")
        #expect(moved.text.contains("<p id=\"person\">alice</p>"))
        try await moved.go(signOut)
        #expect(moved.text.contains("You are signed out"))
    }

    @Test("a sign-in that was granted and not finished is undone: the cookie of before gets no session")
    func interrupted() async throws {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in")
        let id = String(browser.session.split(separator: ".")[1])
        // What a server leaves that stops after the session was stored, and before the browser's record was.
        _ = try await bench.web.hub.with(id, asGuest: true) { visitor in
            try await visitor.client.signIn(with: "scripted", .password(identifier: "a@example.com", Secret("p")))
        }
        await bench.web.finish()
        let next = WebBench(over: bench.store, service: bench.service)
        var moved = TestBrowser(next.web)
        moved.cookies = browser.cookies
        for page in ["/", "/auth/account", "/auth/sign-in"] {
            try await moved.open(page)
            #expect(moved.path.hasPrefix("/auth/sign-in"))
            #expect(!moved.text.contains("alice"))
        }
        #expect(bench.service.revokeCount == 1)
    }

    @Test("a session that the service has ended leads to the form, and signing in again goes on in the same browser")
    func endedByService() async throws {
        let bench = WebBench()
        var browser = try await bench.signedIn()
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "gone", reason: .refused)))
        var request = WebRequest("GET", "/")
        request.fields.append(("Cookie", "__Host-session=\(browser.session)"))
        let refreshed = await bench.web.respond(to: request) { person in
            WebResponse(status: (try? await person.client.refresh()) == nil ? 401 : 200)
        }
        #expect(refreshed.status == 401)
        try await browser.open("/")
        #expect(browser.path.hasPrefix("/auth/sign-in?return="))
        try await browser.submit("/auth/sign-in", ["identifier": "a@example.com", "password": "p"])
        #expect(browser.text.contains("<p id=\"person\">alice</p>"))
    }

    @Test("a locked browser shows the lock and nothing else, wrong proofs are said, and the right one goes on")
    func locked() async throws {
        let bench = WebBench(policy: UnlockPolicy(atLaunch: false, enrolment: .offered))
        var browser = try await bench.signedIn()
        try await browser.open("/auth/account")
        try await browser.submit("/auth/account", button: "unlock-on", ["proof": "1234"])
        try await browser.submit("/auth/account", button: "lock")
        #expect(browser.path == "/auth/locked")
        for page in ["/", "/auth/account", "/auth/sessions"] {
            try await browser.open(page)
            #expect(browser.path.hasPrefix("/auth/locked"))
            #expect(!browser.text.contains("alice"))
        }
        try await browser.submit("/auth/locked", button: "unlock", ["proof": "9999"])
        #expect(browser.alert.contains("What was entered is wrong"))
        #expect(!browser.text.contains("9999"))
        try await browser.submit("/auth/locked", button: "unlock", ["proof": "1234"])
        #expect(browser.text.contains("<p id=\"person\">alice</p>"))
    }

    @Test("whoever has lost the proof starts over: the sessions end, and the form is there") func startOver()
        async throws
    {
        let bench = WebBench(policy: UnlockPolicy(atLaunch: false, enrolment: .offered))
        var browser = try await bench.signedIn()
        try await browser.open("/auth/account")
        try await browser.submit("/auth/account", button: "unlock-on", ["proof": "1234"])
        try await browser.submit("/auth/account", button: "lock")
        try await browser.submit("/auth/locked", button: "start-over")
        #expect(browser.path.hasPrefix("/auth/sign-in"))
        #expect(bench.service.revokeCount == 1)
    }
}
