import Latchkey
import LatchkeyCrypto
import LatchkeyHTTPServer
import Testing

@testable import LatchkeyLoopback

@Suite("The browser's pages in every language") struct LoopbackTextsTests {
    @Test("no language lacks a text")
    func whole() { #expect(LoopbackTexts.table.gaps == []) }

    static let errors: [AuthError.Code] = [
        .signInRequired(.refused), .offline(.signIn), .locked, .refused(.denied), .refused(.expired), .declined,
        .store(.full), .configuration(.invalid), .untrusted(.state), .cancelled,
    ]
    static let everyPage: [Page] =
        [.signedIn("ada@example.test"), .signedIn(nil), .goesOn, .doubtful, .finishing("/x"), .over]
        + StrayRedirect.allCases.flatMap { kind in
            kind.isRefusal ? [true, false].map { .refused(kind, canPaste: $0) } : [.stray(kind)]
        } + errors.map { .failed(AuthError($0, "SECRET-MESSAGE")) }

    @Test("each page has words of its own, for an app with a name and for one without", arguments: everyPage)
    func pages(_ page: Page) throws {
        for (language, app) in [(PageLanguage.english, "Notes"), (.french, "Notes"), (.english, nil), (.french, nil)] {
            let body = String(decoding: page.response(in: language, app: app).body, as: UTF8.self)
            let words = try #require(body.split(separator: "<body>").last)
            #expect(!words.contains("{") && !words.contains("SECRET") && !words.contains("  "))
            #expect(words.wholeMatch(of: /.*[a-z]\.[a-z]+\.title.*/) == nil && !words.contains(">next."))
            #expect(body.contains("lang=\"\(language.rawValue)\"") && body.contains("width=device-width"))
            #expect(words.contains("Notes") == (app != nil))
        }
    }

    @Test("every way to recover has its sentence")
    func recoveries() {
        let keys = Set(LoopbackTexts.table.keys)
        for error in Self.errors.map({ AuthError($0, "") }) {
            #expect(keys.contains("next.\(error.recovery.rawValue)"))
        }
        #expect(Set(Self.errors.map { AuthError($0, "").recovery }).count == 8)
    }

    @Test("what a service calls an account, and an app itself, is text, never markup, and of bounded length")
    func escapes() {
        let evil = "<script>alert(1)</script>\u{202E}\"'&\u{7}" + String(repeating: "x", count: 1_000)
        let body = String(decoding: Page.signedIn(evil).response(in: .english, app: evil).body, as: UTF8.self)
        #expect(!body.contains("<script") && !body.contains("\u{202E}") && !body.contains("\u{7}"))
        #expect(body.contains("<bdi>&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;xxx"))
        #expect(!body.contains(String(repeating: "x", count: 200)))
        // A name like a place in the text is a name.
        let place = String(
            decoding: Page.signedIn("{app}").response(in: .english, app: "{account}").body, as: UTF8.self)
        #expect(place.contains("<bdi>{app}</bdi>"))
    }

    @Test("the policy allows the page's own style and no other")
    func style() throws {
        let response = Page.over.response(in: .english, app: nil)
        let policy = try #require(response.fields.last { $0.name == "Content-Security-Policy" }?.value)
        let digest = Base64.encode(Hash.digest(Array(PageStyle.sheet.utf8), .sha256))
        #expect(policy.contains("style-src 'sha256-\(digest)';") && !policy.contains("unsafe-inline"))
        #expect(String(decoding: response.body, as: UTF8.self).contains("<style>\(PageStyle.sheet)</style>"))
    }
}
