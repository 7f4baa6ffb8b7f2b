import LatchkeyJSON
import Proofs
import Testing

@Suite("Both strict readers")
struct JSONReaderTests {
    @Test("accept what is valid, and read the same value", arguments: JSONReader.allCases)
    func accepts(reader: JSONReader) {
        for (text, value) in Self.accepted {
            let read = Result { () throws(JSONError) in try JSON.parse(Array(text.utf8), reader: reader) }
            #expect(read == .success(value), "\(text)")
        }
    }

    @Test("refuse what is not, with the same code, path and byte", arguments: JSONReader.allCases)
    func refuses(reader: JSONReader) {
        for row in refusals {
            let read = Result { () throws(JSONError) in try JSON.parse(row.bytes, limits: row.limits, reader: reader) }
            #expect(read == .failure(row.error), "\(String(decoding: row.bytes.prefix(60), as: UTF8.self))")
        }
    }

    @Test("tell integers from numbers by how they are written", arguments: JSONReader.allCases)
    func numberKinds(reader: JSONReader) throws {
        let elements = try JSON.parse(Array("[1,1.0,1e2,-0,-0.0]".utf8), reader: reader).array
        #expect(elements == [.integer(1), .number(1), .number(100), .integer(0), .number(0)])
        #expect(elements?.last?.number?.sign == .minus)
    }

    @Test("accept a document of exactly the allowed size and depth", arguments: JSONReader.allCases)
    func limits(reader: JSONReader) throws {
        _ = try JSON.parse(Array("[[1]]".utf8), limits: JSONLimits(bytes: 5, depth: 2), reader: reader)
        _ = try JSON.parse(nested(64), reader: reader)
        _ = try JSON.parse(nested(512), limits: JSONLimits(depth: .max), reader: reader)
    }

    @Test(
        "refuse 200,000 levels without a crash, whatever the limit", .law(14), arguments: JSONReader.allCases,
        [64, Int.max])
    func deepNesting(reader: JSONReader, depth: Int) async {
        let limits = JSONLimits(bytes: .max, depth: depth)
        let member = Array(#"{"a":"#.utf8)
        let documents = [
            nested(200_000), Array(repeating: UInt8(ascii: "["), count: 200_000),
            (0..<200_000).flatMap { _ in member },
        ]
        for document in documents {
            let code = await Task { () -> JSONError.Code? in
                do throws(JSONError) {
                    _ = try JSON.parse(document, limits: limits, reader: reader)
                    return nil
                } catch { return error.code }
            }.value
            #expect(code == .tooDeep)
        }
    }

    @Test("show no content in an error, and only plain names", .law(10), arguments: JSONReader.allCases)
    func errorsHideContent(reader: JSONReader) {
        let long = String(repeating: "s3cr3t", count: 11)
        for text in [
            #"["s3cr3t",]"#, #"{"s3cr3t x":"s3cr3t","s3cr3t x":1}"#, #"{"\#(long)":1,"\#(long)":1}"#,
            #"{"s3cr3t é":1e999}"#, "[s3cr3t]", #"["s3cr3t"] s3cr3t"#, #"["s3cr3t\u0000"]"#,
        ] {
            #expect {
                try JSON.parse(Array(text.utf8), reader: reader)
            } throws: {
                var dumped = ""
                dump($0, to: &dumped)
                return !"\($0) \(String(reflecting: $0)) \(dumped)".contains("s3cr3t")
            }
        }
    }

    static let accepted: [(String, JSON)] = [
        ("{}", [:]), ("[]", []), ("\u{FEFF}[]", []), ("\u{FEFF} {\"a\":1}\n", ["a": 1]),
        ("\u{FEFF}[\"\u{FEFF}\"]", ["\u{FEFF}"]), ("\u{FEFF}{\"é\":[1.5,{}]}", ["é": [1.5, [:]]]),
        (" \t\r\n[ ] \n", []), ("[null]", [nil]), ("[true,false]", [true, false]),
        (#"{"a":{"b":[1,{"c":null}]}}"#, ["a": ["b": [1, ["c": nil]]]]), (#"{"":""}"#, ["": ""]),
        ("[ 1 , 2 ]", [1, 2]), (#"{ "a" : 1 , "b" : [ ] }"#, ["a": 1, "b": []]),
        ("[0,-0,-1]", [0, 0, -1]), ("[1.0,1e2,1E+2,1e-2]", [1.0, 100.0, 100.0, 0.01]),
        ("[9223372036854775807,-9223372036854775808]", [.integer(.max), .integer(.min)]),
        (
            "[1e-400,5e-324,1.7976931348623157e308]",
            [0.0, .number(.leastNonzeroMagnitude), .number(.greatestFiniteMagnitude)]
        ),
        ("[9223372036854775808.0,0e999]", [.number(0x1p63), 0.0]),
        ("[0.1000000000000000055511151231257827021181583404541015625]", [0.1]),
        (#"["\"\\\/\b\f\n\r\t"]"#, ["\"\\/\u{8}\u{C}\n\r\t"]), (#"["\u00e9\u00E9\uD83D\uDE00"]"#, ["éé😀"]),
        ("[\"é😀\u{FFFF}\u{7F}\"]", ["é😀\u{FFFF}\u{7F}"]), (#"["\uFFFF\uDBFF\uDFFF"]"#, ["\u{FFFF}\u{10FFFF}"]),
        (#"["\u0001"]"#, ["\u{1}"]), (#"{"a":1,"A":2}"#, ["a": 1, "A": 2]),
        (#"{"a":{"a":1},"b":{"a":1}}"#, ["a": ["a": 1], "b": ["a": 1]]),
    ]

    private func nested(_ levels: Int) -> [UInt8] {
        Array(repeating: UInt8(ascii: "["), count: levels) + Array(repeating: UInt8(ascii: "]"), count: levels)
    }
}
