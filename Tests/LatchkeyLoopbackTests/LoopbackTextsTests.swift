import Latchkey
import LatchkeyCrypto
import LatchkeyHTTPServer
import Testing

@testable import LatchkeyLoopback

@Suite("The browser's pages in every language") struct LoopbackTextsTests {
    @Test("no language lacks a text")
    func whole() { #expect(LoopbackTexts.table.gaps == []) }

    @Test("each page has words of its own", arguments: [Page.arrived, .failed, .doubtful, .over])
    func pages(_ page: Page) throws {
        for language in [PageLanguage.english, .french] {
            let body = String(decoding: page.response(in: language).body, as: UTF8.self)
            #expect(!body.contains("<p>\(page)</p>") && !body.contains("\(page).title"))
            #expect(body.contains("lang=\"\(language.rawValue)\""))
        }
    }

    @Test("the policy allows the page's own style and no other")
    func style() throws {
        let response = Page.arrived.response(in: .english)
        let policy = try #require(response.fields.last { $0.name == "Content-Security-Policy" }?.value)
        let digest = Base64.encode(Hash.digest(Array(PageStyle.sheet.utf8), .sha256))
        #expect(policy.contains("style-src 'sha256-\(digest)';") && !policy.contains("unsafe-inline"))
        #expect(String(decoding: response.body, as: UTF8.self).contains("<style>\(PageStyle.sheet)</style>"))
    }
}
