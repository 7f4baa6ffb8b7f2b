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
        let keys = try root["keys"].array()
        let rows: [(JSONError, () throws -> Void)] = [
            (JSONError(.wrongType, at: "$.keys[1].n"), { _ = try keys[1]["n"].string() }),
            (JSONError(.missing, at: "$.keys[2].n"), { _ = try keys[2]["n"].string() }),
            (JSONError(.missing, at: "$.keys[0].e"), { _ = try keys[0]["e"].string() }),
            (JSONError(.missing, at: "$.keys[3].n"), { _ = try keys[3]["n"].string() }),
            (JSONError(.missing, at: "$.a.b"), { _ = try root["a"]["b"].array() }),
            (JSONError(.wrongType, at: "$.keys"), { _ = try root["keys"].object() }),
            (JSONError(.wrongType, at: "$.o"), { _ = try root["o"].array() }),
            (JSONError(.wrongType, at: "$.d"), { _ = try root["d"].integer() }),
            (JSONError(.wrongType, at: "$.huge"), { _ = try root["huge"].integer() }),
            (JSONError(.wrongType, at: "$.i"), { _ = try root["i"].bool() }),
            (JSONError(.wrongType, at: "$.t"), { _ = try root["t"].number() }),
            (JSONError(.wrongType, at: "$.t"), { _ = try root["t"].optional?.string() }),
        ]
        for (error, read) in rows { #expect(throws: error) { try read() } }
        #expect("\(rows[0].0)" == "$.keys[1].n has the wrong type")
        #expect("\(rows[1].0)" == "$.keys[2].n is missing")
    }
}
