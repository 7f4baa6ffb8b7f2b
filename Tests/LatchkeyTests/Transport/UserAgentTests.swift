import Latchkey
import Testing

@Suite("the User-Agent") struct UserAgentTests {
    @Test("without a product it is latchkey and its version")
    func plain() {
        #expect(UserAgent.latchkey.text.wholeMatch(of: /latchkey\/\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?/) != nil)
    }

    @Test(
        "an app's own products and comments stand before it",
        arguments: ["Notes", "Notes/1.2", "Notes/1.2 (linux; x86_64 (a b)) Sync/3", "a!b/1+2", "x (y)"])
    func products(_ products: String) throws {
        #expect(try UserAgent(products: products).text == "\(products) \(UserAgent.latchkey.text)")
    }

    @Test(
        "what is no list of products is refused, so that no other line hides in it",
        arguments: [
            "", " ", "Notes ", " Notes", "Notes/", "/1", "Notes/1/2", "Notes  b", "Notes/1.2\r\nX: y", "Notes\n",
            "Notes\0", "Notes\u{7F}", "Nötes", "Notes/1,2", "(only a comment)", "Notes (open", "Notes (a\\)b)",
            "Notes (a\tb)", "Notes)", "Notes (a)(b)", "Notes:1", String(repeating: "n", count: 257),
            "Notes (" + String(repeating: "(", count: 200),
        ])
    func refuses(_ products: String) {
        let error = #expect(throws: AuthError.self) { try UserAgent(products: products) }
        #expect(error?.code == .configuration(.invalid))
        #expect(error?.message.contains("\n") == false)
    }
}
