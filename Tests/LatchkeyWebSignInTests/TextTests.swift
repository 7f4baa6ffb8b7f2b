import Latchkey
import Testing

@testable import LatchkeyWebSignIn

@Suite("Texts and addresses of the pages") struct TextTests {
    @Test("every text is there in every language") func complete() { #expect(WebTexts.table.gaps.isEmpty) }

    @Test(
        "only a path of this origin is gone on to",
        arguments: [
            ("/", true), ("/notes?id=1", true), ("/a//b", true), ("", false), ("notes", false), ("//evil.test", false),
            ("/\\evil.test", false), ("\\/evil.test", false), ("https://evil.test", false), ("/a\tb", false),
            ("/\n/evil.test", false), ("javascript:alert(1)", false), ("/é", false), (" /", false), ("/a b", false),
        ])
    func local(_ text: String, _ isLocal: Bool) { #expect((LocalPath(text) != nil) == isLocal) }

    @Test(
        "the language is the browser's first that there is, and English otherwise",
        arguments: [
            ("fr", TextLanguage.french), ("fr-CA,en;q=0.5", .french), ("en;q=0.5,fr;q=0.4", .english),
            ("de,fr;q=0.1", .french), ("de", .english), ("", .english), ("fr;q=0", .english), ("fr;q=x", .english),
        ])
    func language(_ field: String, _ language: TextLanguage) { #expect(AcceptedLanguage.best([field]) == language) }

    @Test("what others wrote is text on a page, in one direction and without control characters") func escaped() {
        #expect(
            WebHTML.text("<a href=\"x\" id='y'>&\u{0}\u{1B}\u{202E}é")
                == "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;é")
        #expect(WebHTML.attributes(["a": "\"b", "c": nil]) == " a=\"&quot;b\"")
        #expect(WebHTML.qrCode(String(repeating: "a", count: 2_000), title: "t") == nil)
    }
}
