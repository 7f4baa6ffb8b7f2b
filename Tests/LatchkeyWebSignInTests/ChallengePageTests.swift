import Foundation
import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import TaskSettling
import Testing

@testable import LatchkeyWebSignIn

@Suite("Challenges as pages") struct ChallengePageTests {
    /// A browser that was asked something after its form.
    private func asked(_ ask: Ask, _ bench: WebBench) async throws -> TestBrowser {
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in")
        bench.service.script(turns: bench.asked(ask))
        try await browser.submit("/auth/sign-in", ["identifier": "a@example.com", "password": "p"])
        #expect(browser.path == "/auth/challenge")
        return browser
    }

    static let answerable: [(Ask, [String: String])] = [
        (.code(over: .mail, sentTo: "a…@example.com"), ["code": "123 456"]), (.totp, ["code": "123456"]),
        (.backupCode, ["code": "abcd-efgh"]),
        (.enrolment(Ask.Enrolment(key: "JBSWY3DPEHPK3PXP", address: "otpauth://totp/a")), ["code": "123456"]),
        (.password, ["password": " p "]), (.newPassword(rules: ["Six letters"]), ["password": "abcdef"]),
        (.choose([Ask.Option(id: "one", label: "One"), Ask.Option(id: "two", label: "Two")]), ["choice": "two"]),
        (
            .fields([Ask.Field(name: "first_name"), Ask.Field(name: "pin", secret: true)]),
            [
                "field.first_name": "Ada", "field.pin": "9",
            ]
        ),
    ]

    @Test("what can be typed or chosen has a labelled field, and its answer goes on", arguments: answerable)
    func answered(_ ask: Ask, _ fields: [String: String]) async throws {
        let bench = WebBench()
        var browser = try await asked(ask, bench)
        #expect(browser.text.components(between: "<h1>", and: "</h1>").count == 1)
        for name in fields.keys {
            let inputs = browser.text.components(between: "<input ", and: ">").filter {
                $0.contains("name=\"\(name)\"")
            }
            #expect(!inputs.isEmpty)
            for input in inputs {
                let id = input.components(between: "id=\"", and: "\"").first ?? "none"
                #expect(browser.text.contains("<label for=\"\(id)\">"))
            }
        }
        try await browser.submit("/auth/challenge", button: "answer", fields)
        #expect(browser.text.contains("<p id=\"person\">alice</p>"))
        #expect(bench.service.answers.count == 1)
    }

    @Test("an empty answer is not sent, and is complained of", arguments: answerable.filter { $0.1["choice"] == nil })
    func empty(_ ask: Ask, _ fields: [String: String]) async throws {
        let bench = WebBench()
        var browser = try await asked(ask, bench)
        try await browser.submit("/auth/challenge", button: "answer")
        #expect(browser.title.hasPrefix("Error: "))
        #expect(browser.text.contains("aria-invalid=\"true\""))
        #expect(bench.service.answers.isEmpty)
    }

    @Test(
        "what a page cannot do is said, and can be cancelled",
        arguments: [
            Ask.passkey(request: .object([:])), .wallet(message: "sign <b>me</b>"), .captcha(siteKey: "k"),
        ])
    func elsewhere(_ ask: Ask) async throws {
        let bench = WebBench()
        var browser = try await asked(ask, bench)
        #expect(browser.text.contains("needs an app or another device"))
        try await browser.submit("/auth/challenge", button: "cancel")
        #expect(browser.path == "/auth/sign-in")
        try await browser.open("/auth/challenge")
        #expect(browser.path == "/auth/sign-in")
    }

    @Test("an enrolment shows its key as a drawing and as text, and a visit is a link") func shown() async throws {
        let bench = WebBench()
        let enrolment = Ask.Enrolment(key: "JBSWY3DPEHPK3PXP", address: "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP")
        let first = try await asked(.enrolment(enrolment), bench)
        #expect(first.text.contains("<svg class=\"qr\" role=\"img\" aria-label="))
        #expect(first.text.contains("JBSW Y3DP EHPK 3PXP"))
        let visit = Ask.visit(url: "https://id.example.com/in?a=1&b=\"2\"", redirect: "https://x")
        let second = try await asked(visit, bench)
        #expect(second.text.contains("href=\"https://id.example.com/in?a=1&amp;b=&quot;2&quot;\""))
        for url in ["javascript:alert(1)", "http://id.example.com/in", "data:text/html,x"] {
            let third = try await asked(.visit(url: url, redirect: "https://x"), bench)
            #expect(!third.text.contains("href=\"\(url.prefix(5))"))
            #expect(third.text.contains("is not secure"))
        }
    }

    @Test("a wrong code stays on its page, with the complaint at its field and without the code") func wrong()
        async throws
    {
        let bench = WebBench()
        var browser = try await asked(.totp, bench)
        bench.service.script(turns: .failed(StillOpen(AuthError(.refused(.wrongInput), "no"))))
        try await browser.submit("/auth/challenge", button: "answer", ["code": "654321"])
        #expect(browser.title == "Error: Enter the code – Notes")
        #expect(browser.text.contains("aria-describedby=\"field-code-error\" aria-invalid=\"true\""))
        #expect(!browser.text.contains("654321"))
        try await browser.submit("/auth/challenge", button: "answer", ["code": "123456"])
        #expect(browser.text.contains("<p id=\"person\">alice</p>"))
    }

    @Test("a challenge that another window has answered says so, and shows where the browser is now")
    func answeredElsewhere() async throws {
        let bench = WebBench()
        var browser = try await asked(.totp, bench)
        var window = browser
        try await browser.submit("/auth/challenge", button: "answer", ["code": "123456"])
        // The other window still has the page, and by now the browser's new cookie.
        window.cookies = browser.cookies
        let stale = try window.form("/auth/challenge", button: "answer", ["code": "123456"])
        #expect(await window.send(stale).status == 403)
        #expect(bench.service.answers.count == 1)
    }

    @Test("an answer to a challenge that is over sends nothing") func over() async throws {
        let bench = WebBench()
        var browser = try await asked(.totp, bench)
        var window = browser
        try await browser.submit("/auth/challenge", button: "cancel")
        bench.service.script(turns: bench.asked(.backupCode, "another-of-sixteen"))
        try await browser.submit("/auth/sign-in", ["identifier": "a@example.com", "password": "p"])
        let answers = bench.service.answers.count
        try await window.submit("/auth/challenge", button: "answer", ["code": "123456"])
        #expect(window.text.contains("was answered in another window"))
        #expect(window.text.contains("Enter a backup code"))
        #expect(bench.service.answers.count == answers)
    }

    @Test("a code can be sent again once its time has come, and not before") func resend() async throws {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in")
        let challenge = Challenge(
            id: "challenge-of-sixteen", binding: bench.service.rules.binding,
            ask: .code(over: .mail, sentTo: "a…@example.com"), resendAfter: .seconds(60))
        bench.service.script(turns: .turn(.asked(challenge)), .turn(.asked(challenge)))
        try await browser.submit("/auth/sign-in", ["identifier": "a@example.com", "password": "p"])
        #expect(browser.text.contains("Send again in 60 s"))
        #expect(!browser.text.contains("value=\"resend\""))
        try await browser.submit("/auth/challenge", ["do": "resend", "unused": "1"])
        #expect(bench.service.answers.isEmpty)
        bench.clock.advance(by: .seconds(60))
        try await browser.open("/auth/challenge")
        for _ in 0..<1_000 where !browser.text.contains("value=\"resend\"") {
            try await browser.open("/auth/challenge")
        }
        try await browser.submit("/auth/challenge", button: "resend")
        #expect(browser.text.contains("It was sent again"))
    }

    @Test("a return from the service counts for the browser that was sent away, once, and only as it was sent")
    func callback() async throws {
        let bench = WebBench()
        let visit = Ask.visit(
            url: "https://id.example.com/in?state=abc&x=1", redirect: "https://notes.example.com/auth/callback")
        var browser = try await asked(visit, bench)
        let back = "/auth/callback?code=c&state=abc"
        for stray in [
            "/auth/callback", "/auth/callback?code=c", "/auth/callback?code=c&state=abd", back + "&state=abc",
        ] {
            try await browser.open(stray)
            #expect(browser.status == 400)
            #expect(browser.alert.contains("nothing has changed"))
        }
        var stranger = TestBrowser(bench.web)
        try await stranger.open(back)
        #expect(stranger.status == 400)
        var other = try await bench.signedIn("bob")
        try await other.open(back)
        #expect(other.status == 400)
        #expect(bench.service.answers.isEmpty)
        try await browser.open(back)
        #expect(browser.text.contains("<p id=\"person\">alice</p>"))
        guard case .redirected(let address) = bench.service.answers.first else { throw WebBench.Stuck() }
        #expect(address.revealText() == "https://notes.example.com/auth/callback?code=c&state=abc")
        try await browser.open(back)
        #expect(browser.status == 400)
        try await browser.open("/")
        #expect(browser.text.contains("<p id=\"person\">alice</p>"))
    }

    @Test("a return without a state that the service refuses leaves the sign-in waiting for the right one")
    func refusedReturn() async throws {
        let bench = WebBench()
        let visit = Ask.visit(
            url: "https://id.example.com/in?x=1", redirect: "https://notes.example.com/auth/callback")
        var browser = try await asked(visit, bench)
        bench.service.script(turns: .failed(AuthError(.refused(.other), "no")), .granted(to: "alice"))
        try await browser.open("/auth/callback?code=foreign")
        #expect(browser.path == "/auth/challenge")
        #expect(browser.alert.contains("The service refused it"))
        #expect(browser.text.contains("https://id.example.com/in?x=1"))
        try await browser.open("/auth/callback?code=c")
        #expect(browser.text.contains("<p id=\"person\">alice</p>"))
    }

    @Test("a challenge that nobody has answered leaves nothing in the store after its pages can no longer be used")
    func abandoned() async throws {
        let bench = WebBench()
        _ = try await asked(.totp, bench)
        #expect(try bench.store.keys(.credential).count == 1)
        bench.clock.advance(by: .seconds(1_200))
        await settleTasks()
        #expect(try bench.store.keys(.credential).count == 1)
        try await bench.advance(by: .seconds(60)) { ((try? bench.store.keys(.credential)) ?? []).isEmpty }
        #expect(bench.clock.now() >= MonotonicInstant(nanoseconds: 0) + .seconds(4_600))
    }

    @Test("a challenge outlasts the server: the next process shows it, and its answer signs in") func restart()
        async throws
    {
        let bench = WebBench()
        var browser = try await asked(.totp, bench)
        await bench.web.finish()
        let next = WebBench(over: bench.store, service: bench.service)
        var moved = TestBrowser(next.web)
        moved.cookies = browser.cookies
        try await moved.open("/auth/challenge")
        #expect(moved.title == "Enter the code – Notes")
        try await moved.submit("/auth/challenge", button: "answer", ["code": "123456"])
        #expect(moved.text.contains("<p id=\"person\">alice</p>"))
        try await browser.open("/")
        #expect(browser.status != 200 || !browser.text.contains("alice"))
    }
}
