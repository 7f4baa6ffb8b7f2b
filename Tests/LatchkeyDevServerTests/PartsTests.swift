@testable import LatchkeyDevServer
import Testing

@Suite("Parts of the development server")
struct PartsTests {
    @Test("A bounded table forgets its oldest entry, and only that")
    func bounded() {
        var table = BoundedTable<Int, String>(capacity: 3)
        for key in 1...4 { table[key] = "\(key)" }
        #expect(table[1] == nil && table[2] == "2" && table.count == 3)
        table[2] = "two"
        table[3] = nil
        table[5] = "5"
        #expect(table[2] == "two" && table[4] == "4" && table[5] == "5")
        table[6] = "6"
        #expect(table[2] == nil && table[4] == "4" && table.count == 3)
        for key in 7...10_000 {
            table[key] = "x"
            if key.isMultiple(of: 2) { table[key] = nil }
            #expect(table.count <= 3)
        }
        #expect(table[9_999] == "x" && table[9_997] == "x" && table.count == 2)
    }

    @Test(
        "Dates are written as HTTP wants them",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"), (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ] as [(Int64, String)])
    func dates(seconds: Int64, text: String) {
        #expect(HTTPDate.string(seconds) == text)
    }

    @Test("Discovery and RFC 8414 share one endpoint; every other path is exact")
    func paths() {
        #expect(DevServer.Endpoint(path: "/.well-known/oauth-authorization-server") == .discovery)
        for endpoint in DevServer.Endpoint.allCases { #expect(DevServer.Endpoint(path: endpoint.path) == endpoint) }
        for path in ["", "//", "/token/", "/Token", "/%74oken", "/.well-known/", "/control"] {
            #expect(DevServer.Endpoint(path: path) == nil)
        }
    }
}
