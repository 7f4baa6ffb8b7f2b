import Latchkey
import LatchkeyModel
import LatchkeyTesting
import Testing

@testable import LatchkeyWebSignIn

@Suite("Pages when something does not work") struct FaultTests {
    @Test(
        "a store that is locked, gone or full is said on a page of its own, and nobody counts as signed out",
        arguments: [
            AuthError(.locked, "x"), AuthError(.store(.unavailable), "x"), AuthError(.store(.insecurePermissions), "x"),
            AuthError(.store(.damaged), "x"),
        ])
    func store(_ error: AuthError) async throws {
        let bench = WebBench()
        var browser = try await bench.signedIn()
        let cookies = browser.cookies
        for page in ["/", "/auth/account", "/auth/sign-in"] {
            bench.store.fail(error)
            try await browser.open(page)
            bench.store.fail(nil)
            #expect(browser.status == 503)
            #expect(browser.alert.contains(WebHTML.text(error.text(in: .english))))
            #expect(browser.seen.last?.fields.contains { $0.name == "Retry-After" } == true)
        }
        #expect(browser.cookies == cookies)
        try await browser.open("/")
        #expect(browser.text.contains("<p id=\"person\">alice</p>"))
    }

    @Test("a store that cannot be read at launch is read again at the next request") func lockedAtLaunch() async throws
    {
        let bench = WebBench()
        let browser = try await bench.signedIn()
        await bench.web.finish()
        let next = WebBench(over: bench.store, service: bench.service)
        var moved = TestBrowser(next.web)
        moved.cookies = browser.cookies
        bench.store.fail(AuthError(.locked, "x"))
        try await moved.open("/auth/sign-in")
        bench.store.fail(nil)
        #expect(moved.status == 503)
        try await moved.open("/")
        #expect(moved.text.contains("<p id=\"person\">alice</p>"))
    }

    @Test("a disk that takes no session signs nobody in by the cookie, and says why") func full() async throws {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in")
        bench.store.fail(AuthError(.store(.full), "x"), commitsOnly: true)
        try await browser.submit("/auth/sign-in", ["identifier": "a@example.com", "password": "p"])
        #expect(browser.status == 503)
        #expect(browser.alert.contains("No space is left"))
        bench.store.fail(nil)
        try await browser.open("/")
        #expect(!browser.text.contains("alice"))
    }

    @Test(
        "each error of the service has its sentence and its guidance on the form",
        arguments: [
            AuthError(.offline(.unreachable), "x"), AuthError(.serviceTrouble, "x"), AuthError(.refused(.denied), "x"),
            AuthError(.signInRequired(.banned), "x"), AuthError(.untrusted(.signature), "x"),
        ])
    func service(_ error: AuthError) async throws {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in")
        bench.service.script(turns: .failed(error))
        try await browser.submit("/auth/sign-in", ["identifier": "a@example.com", "password": "p"])
        #expect(browser.path.hasPrefix("/auth/sign-in"))
        var shown = error
        if shown.code == .offline(.unreachable) { shown.code = .offline(.signIn) }
        #expect(browser.alert.contains(WebHTML.text(shown.text(in: .english))))
        #expect(browser.title.hasPrefix("Error: "))
    }

    @Test("a pause that the service demands is counted on the page, and nothing is sent meanwhile") func pause()
        async throws
    {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in")
        bench.service.script(turns: .failed(AuthError(.rateLimited, "x", retryAfter: .seconds(30))))
        try await browser.submit("/auth/sign-in", ["identifier": "a@example.com", "password": "p"])
        #expect(browser.text.contains("Try again in 30 s"))
        try await browser.submit("/auth/sign-in", ["identifier": "a@example.com", "password": "q"])
        #expect(bench.service.beginCount == 1)
    }

    @Test("a client that cannot be built is a page that says so, and the next request tries again") func build()
        async throws
    {
        var options = WebSignInOptions(name: "Notes", origin: WebBench.origin)
        options.model.methods = [.password]
        let web = WebSignIn(store: MemoryStore(), options: options, context: .testing()) { store, _ in
            try AuthClient.Builder().store(store).build()
        }
        var browser = TestBrowser(web)
        for _ in 0..<2 {
            try await browser.open("/auth/sign-in")
            #expect(browser.status == 503)
            #expect(browser.alert.contains("The configuration is wrong"))
        }
    }
}
