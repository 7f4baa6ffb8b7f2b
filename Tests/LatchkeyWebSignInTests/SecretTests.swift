import Foundation
import Latchkey
import LatchkeyTesting
import Testing

@testable import LatchkeyWebSignIn

@Suite("What pages show, and what they never show") struct SecretTests {
    static let canary = "canary-4711"

    /// A conversation with everything that can be secret in it, and every answer that the browser got.
    private func wholeConversation(_ bench: WebBench) async throws -> TestBrowser {
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in")
        bench.service.script(
            turns: .failed(AuthError(.refused(.wrongInput), Self.canary)), bench.asked(.totp),
            .failed(StillOpen(AuthError(.refused(.wrongInput), Self.canary))),
            bench.asked(.newPassword(rules: ["Six letters"]), "another-of-sixteen"), .granted(to: "alice"))
        let form = ["identifier": "a@example.com", "password": Self.canary]
        try await browser.submit("/auth/sign-in", form)
        try await browser.submit("/auth/sign-in", form)
        for _ in 0..<2 { try await browser.submit("/auth/challenge", button: "answer", ["code": Self.canary]) }
        try await browser.submit("/auth/challenge", button: "answer", ["password": Self.canary])
        #expect(browser.path == "/")
        for page in ["/auth/account", "/auth/sessions", "/auth/sign-in?password=\(Self.canary)"] {
            try await browser.open(page)
        }
        bench.store.fail(AuthError(.store(.unavailable), Self.canary))
        try await browser.open("/auth/account")
        bench.store.fail(nil)
        return browser
    }

    @Test("no page and no field has a password, code, token or cookie in it, but the field that sets the cookie")
    func canary() async throws {
        let bench = WebBench()
        let browser = try await wholeConversation(bench)
        let proofs = Set(
            browser.seen.flatMap(\.fields).filter { $0.name == "Set-Cookie" }
                .map { String($0.value.prefix { $0 != ";" }.split(separator: ".").last ?? "none") })
        #expect(proofs.count > 1)
        for response in browser.seen {
            let text = String(decoding: response.body, as: UTF8.self)
            let fields = response.fields.filter { $0.name != "Set-Cookie" }.map(\.value).joined(separator: "\n")
            for secret in [Self.canary, "access-", "refresh-"] + proofs {
                #expect(!text.contains(secret))
                #expect(!fields.contains(secret))
            }
            #expect("\(response) \(String(reflecting: response))".contains("status"))
            #expect(!"\(response)".contains("Set-Cookie"))
            var dumped = ""
            dump(response, to: &dumped)
            #expect(!dumped.contains("Cookie") && !dumped.contains("html"))
        }
    }

    @Test("a request prints as its method and path, and no cookie opens what the store holds") func printed()
        async throws
    {
        let bench = WebBench()
        let browser = try await wholeConversation(bench)
        let request = WebRequest(
            "POST", "/auth/sign-in?code=\(Self.canary)", fields: [("Cookie", Self.canary)],
            body: Array(Self.canary.utf8))
        var dumped = "\(request)"
        dump(request, to: &dumped)
        #expect(!dumped.contains(Self.canary))
        let proof = browser.session.split(separator: ".").last.map(String.init) ?? "none"
        for kind in StoreKey.Kind.allCases {
            for key in try bench.store.keys(kind) {
                let stored = String(decoding: try bench.store.read(key)?.bytes ?? [], as: UTF8.self)
                #expect(!stored.contains(proof) && !key.name.contains(proof))
            }
        }
    }

    @Test("what the service or a person wrote is text on every page, and never a tag or an attribute")
    func injection() async throws {
        let evil = "\"><script>alert('x')</script>&\u{202E}<b id='"
        let asks: [Ask] = [
            .code(over: .mail, sentTo: evil), .openedLink(sentTo: evil), .newPassword(rules: [evil]),
            .choose([Ask.Option(id: evil, label: evil)]), .fields([Ask.Field(name: evil, rules: [evil])]),
            .visit(url: "https://id.example.com/?\(evil)", redirect: evil),
            .enrolment(Ask.Enrolment(key: evil, address: evil)),
            .device(Ask.Device(userCode: evil, at: evil, complete: evil)), .wallet(message: evil),
            .captcha(siteKey: evil),
        ]
        for (number, ask) in asks.enumerated() {
            let bench = WebBench { $0.name = evil }
            var browser = TestBrowser(bench.web)
            try await browser.open(
                "/auth/sign-in?return=\(FormText.encode("/?" + "%22%3E<script>"))&method=\(FormText.encode(evil))")
            bench.service.script(turns: bench.asked(ask, "challenge-of-sixteen-\(number)"))
            try await browser.submit("/auth/sign-in", ["identifier": evil, "password": evil])
            #expect(browser.path == "/auth/challenge")
            try await browser.submit("/auth/challenge", button: "cancel")
            bench.service.script(turns: .granted(to: evil))
            try await browser.open("/auth/sign-up")
            try await browser.submit("/auth/sign-up", ["identifier": evil, "password": evil])
            for page in ["/", "/auth/account", "/auth/sessions"] { try await browser.open(page) }
            for response in browser.seen {
                let text = String(decoding: response.body, as: UTF8.self)
                #expect(!text.contains("<script") && !text.contains("<b ") && !text.contains("\u{202E}"))
                #expect(!text.contains("\"\"><"))
            }
        }
    }

    @Test("every answer keeps its page to itself: no script, no frame, no foreign resource, no cache, no sniffing")
    func fields() async throws {
        let bench = WebBench()
        var browser = try await bench.signedIn()
        for page in [
            "/auth/account", "/auth/sessions", "/auth/locked", "/auth/nothing", "/auth/callback", "/auth/sign-up",
        ] {
            try await browser.open(page)
        }
        for response in browser.seen {
            let fields = Dictionary(response.fields.map { ($0.name, $0.value) }) { first, _ in first }
            let policy = fields["Content-Security-Policy"] ?? ""
            for part in [
                "default-src 'none'", "style-src 'self'", "form-action 'self'", "frame-ancestors 'none'",
                "base-uri 'none'",
            ] { #expect(policy.contains(part)) }
            #expect(!policy.contains("script") && !policy.contains("unsafe"))
            #expect(fields["Cache-Control"] == "no-store")
            #expect(fields["X-Content-Type-Options"] == "nosniff")
            #expect(fields["Referrer-Policy"] == "same-origin")
            #expect(fields["Cross-Origin-Opener-Policy"] == "same-origin")
            #expect(fields["Permissions-Policy"] != nil)
            let text = String(decoding: response.body, as: UTF8.self)
            #expect(!text.contains("<script") && !text.contains("style=") && !text.contains("onclick"))
        }
    }

    @Test("a page names no provider, in its text, its addresses or its forms") func nameless() async throws {
        let bench = WebBench()
        var browser = try await bench.signedIn()
        for page in ["/auth/account", "/auth/sessions", "/auth/sign-in", "/auth/sign-in?method=1"] {
            try await browser.open(page)
            #expect(!browser.text.contains("scripted") && !browser.text.contains("id.example.com"))
        }
    }

    @Test("a page speaks the browser's language, or the one that was chosen, and says which") func language()
        async throws
    {
        let bench = WebBench()
        var browser = TestBrowser(bench.web)
        browser.language = "fr-FR,fr;q=0.9,en;q=0.1"
        try await browser.open("/auth/sign-in")
        #expect(browser.text.contains("<html lang=\"fr\">"))
        #expect(browser.title == "Connexion – Notes")
        try await browser.submit("/auth/language")
        #expect(browser.text.contains("<html lang=\"en\">"))
        #expect(browser.path == "/auth/sign-in")
        #expect(browser.cookies["__Host-session-language"] == "en")
        try await browser.open("/auth/nothing")
        #expect(browser.title == "Error: There is nothing here – Notes")
    }
}
