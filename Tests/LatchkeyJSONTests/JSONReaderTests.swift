import LatchkeyJSON
import Testing

@Suite("Both strict readers")
struct JSONReaderTests {
    @Test("accept what is valid, and read the same value", arguments: JSONReader.allCases)
    func accepts(reader: JSONReader) throws {
        for (text, value) in Self.accepted {
            #expect(try JSON.parse(Array(text.utf8), reader: reader) == value, "\(text)")
        }
    }

    static let accepted: [(String, JSON)] = [
        ("{}", [:]), ("[]", []), (" \t\r\n[ ] \n", []), ("[null]", [nil]), ("[true,false]", [true, false]),
        (#"{"a":{"b":[1,{"c":null}]}}"#, ["a": ["b": [1, ["c": nil]]]]), (#"{"":""}"#, ["": ""]),
        ("[0,-0,-1]", [0, 0, -1]), ("[1.0,1e2,1E+2,1e-2]", [1.0, 100.0, 100.0, 0.01]),
        ("[9223372036854775807,-9223372036854775808]", [.integer(.max), .integer(.min)]),
        ("[1e-400,-0.0,1.7976931348623157e308]", [0.0, 0.0, .number(.greatestFiniteMagnitude)]),
        (#"["\"\\\/\b\f\n\r\t"]"#, ["\"\\/\u{8}\u{C}\n\r\t"]), (#"["\u00e9\uD83D\uDE00"]"#, ["é😀"]),
        ("[\"é😀\u{FFFF}\u{7F}\"]", ["é😀\u{FFFF}\u{7F}"]), (#"{"a":1,"A":2}"#, ["a": 1, "A": 2]),
    ]
}
