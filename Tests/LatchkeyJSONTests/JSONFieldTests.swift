import LatchkeyJSON
import Testing

@Suite("A field")
struct JSONFieldTests {
    private let root = JSONField(
        [
            "keys": [["n": "a"], ["n": 1], ["n": nil], 7], "t": true, "i": 3, "d": 1.5, "w": 2.0, "huge": 1e300,
            "o": [:],
        ])

    @Test("reads a member of the right type")
    func reads() throws {
        #expect(try root["keys"].array().count == 4)
        #expect(try root["keys"].array()[0]["n"].string() == "a")
        #expect(try root["t"].bool())
        #expect(try root["i"].integer() == 3)
        #expect(try root["w"].integer() == 2)
        #expect(try root["i"].number() == 3)
        #expect(try root["d"].number() == 1.5)
        #expect(try root["o"].object().isEmpty)
        #expect(try root["i"].optional?.integer() == 3)
        #expect(try root["absent"].optional?.integer() == nil)
        #expect(try root["keys"].array()[2]["n"].optional?.string() == nil)
    }

    @Test("says where, and whether a member is missing or of another type")
    func refuses() throws {
        let rows =
            try fieldRefusals(root) + [
                (JSONError(.wrongType, at: "$.keys"), { _ = try root["keys"].object() })
            ]
        for (error, read) in rows { #expect(throws: error) { try read() } }
        #expect("\(rows[0].error)" == "$.keys[1].n has the wrong type")
        #expect("\(rows[1].error)" == "$.keys[2].n is missing")
    }
}
