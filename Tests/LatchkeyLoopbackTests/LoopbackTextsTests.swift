import Latchkey
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
}
