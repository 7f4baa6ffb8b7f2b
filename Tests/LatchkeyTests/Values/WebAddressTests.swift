import Latchkey
import Proofs
import Testing

@Suite struct WebAddressTests {
    @Test(
        "what is not plainly a URL is refused",
        arguments: [
            "", "id.example.com", "//id.example.com", "https:", "https:/x", "https://", "https:///path", "https://:80",
            "https://a b", "https://a\tb", "https://a\u{0}b", "https://a\\b", "https://user@host", "https://u:p@host",
            "https://host:0", "https://host:65536", "https://host:-1", "https://host:8a", "https://host:",
            "https://[::1", "https://[::1]x", "https://[]", "https://[zz]", "1http://host", "ht tp://host",
            "https://host@evil.example", "https://host:80@evil.example", "https://\u{212A}ey.example",
            "https://\u{E9}.example", "\u{212A}ey:/callback",
        ])
    func refusals(text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test("the parts of a URL are found, and its origin is told without them")
    func parts() throws {
        let address = try #require(WebAddress("HTTPS://ID.Example.com:8443/a/b?x=1&y=2#frag"))
        #expect(address.scheme == "https")
        #expect(address.host == "id.example.com")
        #expect(address.port == 8443)
        #expect(address.path == "/a/b")
        #expect(address.query == "x=1&y=2")
        #expect(address.fragment == "frag")
        #expect(address.origin == "https://id.example.com:8443")
        #expect(WebAddress("https://id.example.com:443/")?.origin == "https://id.example.com")
        #expect(WebAddress("http://[::1]:80/x")?.origin == "http://[::1]")
        #expect(WebAddress("com.example.app:/callback")?.path == "/callback")
    }

    @Test("secrets go to https, and over plain http to this machine only", .law(11))
    func security() {
        let rows: [(String, Bool)] = [
            ("https://id.example.com", true), ("http://127.0.0.1:80", true), ("http://localhost", true),
            ("http://[::1]/", true), ("http://id.example.com", false), ("http://127.0.0.1.example.com", false),
            ("http://localhost.example.com", false), ("http://0.0.0.0", false), ("ftp://127.0.0.1", false),
            ("http://127.1", false), ("http://127.8.9.10", true), ("http://127.0.0.01", false),
            ("http://127.0.0.256", false), ("http://127.0.0.+1", false), ("http://127.0.0.1.", false),
            ("http://localhost.", false), ("http://.localhost", false), ("http://a..localhost", false),
            ("http://notlocalhost", false), ("http://id.example.com%2f.localhost", false),
            ("http://a%2elocalhost", false),
        ]
        // An address that is no address is not secure either.
        for (text, isSecure) in rows { #expect((WebAddress(text)?.isSecure ?? false) == isSecure, "\(text)") }
        #if canImport(Darwin)
            let isBelow = false
        #else
            let isBelow = true
        #endif
        for text in ["http://auth.localhost:8080/x", "http://a.b-1.localhost", "http://AUTH.LOCALHOST"] {
            #expect(WebAddress(text)?.isSecure == isBelow, "\(text)")
        }
    }
}
