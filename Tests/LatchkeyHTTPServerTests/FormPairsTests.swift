import LatchkeyHTTPServer
import Proofs
import Testing

@Suite("Form pairs")
struct FormPairsTests {
    @Test("Names and values decode in order, duplicates kept")
    func decode() throws {
        let pairs = try #require(FormPairs.decode(Array("a=1&b=x+y&a=%26%3D%2b&c&=d&&e=f=g".utf8)))
        #expect(pairs.map(\.name) == ["a", "b", "a", "c", "", "e"])
        #expect(pairs.map(\.value) == ["1", "x y", "&=+", "", "d", "f=g"])
    }

    @Test(
        "What does not decode is refused, not repaired",
        arguments: ["a=%", "a=%4", "a=%zz", "a=%C3", "a=%ED%A0%80", "%00=a", "a=\u{7f}", "a=\u{e9}", "a=\t", "a=\n"])
    func refused(text: String) {
        #expect(FormPairs.decode(Array(text.utf8)) == nil)
    }

    @Test("A space in a form is a space, as every reader takes it; in the value of a header it is none")
    func spaces() throws {
        let pairs = try #require(FormPairs.decode(Array("scope=openid offline_access&a = b".utf8)))
        #expect(pairs.map(\.name) == ["scope", "a "] && pairs.map(\.value) == ["openid offline_access", " b"])
        #expect(FormPairs.text("a b".utf8) == nil)
    }

    @Test("There is a bound on the pairs")
    func bound() {
        #expect(FormPairs.decode(Array(String(repeating: "a=b&", count: 200).utf8))?.count == 200)
        #expect(FormPairs.decode(Array(String(repeating: "a=b&", count: 201).utf8)) == nil)
    }

    @Test("What is encoded decodes to itself", arguments: ["", " +%&=~/:?", "grüße 🔑", "a*-._b"])
    func roundTrip(text: String) throws {
        let encoded = FormPairs.encode([(text, text)])
        let pairs = try #require(FormPairs.decode(Array(encoded.utf8)))
        #expect(pairs.first?.name == text && pairs.first?.value == text)
        #expect(!encoded.contains("~") && !encoded.contains(" "))
    }

    @Test("Only loopback names with the right port address this server", .standard(25))
    func host() throws {
        let table: [([String], Bool)] = [
            (["127.0.0.1:80"], true), (["LOCALHOST:80"], true), (["[::1]:80"], true), (["127.0.0.1"], false),
            (["127.0.0.1:81"], false), (["evil.example:80"], false), ([], false), (["127.0.0.1:80", "x"], false),
        ]
        for (hosts, expected) in table {
            let request = try #require(ServerRequest("GET", "/", fields: hosts.map { ("host", $0) }))
            #expect(request.isAddressedToLoopback(port: 80) == expected)
        }
    }
}
