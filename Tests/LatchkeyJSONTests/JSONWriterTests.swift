import LatchkeyJSON
import Testing

@Suite("The writer")
struct JSONWriterTests {
    @Test("writes each value in one way only")
    func spellings() {
        let rows: [(JSON, String)] = [
            ([:], "{}"), ([], "[]"), ([nil, true, false], "[null,true,false]"), ("a", #""a""#), (7, "7"),
            ([1, 1.0, -0.0, 0.1, 1e16, .number(.leastNonzeroMagnitude)], "[1,1.0,-0.0,0.1,1e+16,5e-324]"),
            ([.integer(.min), .integer(.max)], "[-9223372036854775808,9223372036854775807]"),
            ([.number(.infinity), .number(-.infinity), .number(.nan)], "[null,null,null]"),
            (["b": 1, "a": 2, "B": 3, "": 4, "é": 5, "aa": 6], #"{"":4,"B":3,"a":2,"aa":6,"b":1,"é":5}"#),
            // By bytes U+FFFF precedes U+10000; by UTF-16 it would not.
            (["\u{10000}": 1, "\u{FFFF}": 2], "{\"\u{FFFF}\":2,\"\u{10000}\":1}"),
            (["\"\\/\u{8}\u{C}\n\r\t\u{1}\u{1F}\u{7F}é😀"], "[\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\u{7F}é😀\"]"),
            (["\r\n"], #"["\r\n"]"#), (["a": ["b": [["c": nil]]]], #"{"a":{"b":[{"c":null}]}}"#),
        ]
        for (value, text) in rows { #expect(String(decoding: value.serialized(), as: UTF8.self) == text) }
    }

    @Test("what it writes both readers read back, and it writes the same again", arguments: JSONReader.allCases)
    func roundTrip(reader: JSONReader) throws {
        var random = SeededGenerator(seed: 6)
        for _ in 0..<2000 {
            let value = JSON.array([Self.value(depth: 4, using: &random)])
            let written = value.serialized()
            let read = try JSON.parse(written, reader: reader)
            #expect(read == value)
            #expect(read.serialized() == written)
        }
    }

    @Test("what the readers refuse it cannot smuggle through", arguments: JSONReader.allCases)
    func noNul(reader: JSONReader) {
        for value in [["a\0"], ["a\0": 1]] as [JSON] {
            #expect { try JSON.parse(value.serialized(), reader: reader) } throws: {
                ($0 as? JSONError)?.code == .encoding
            }
        }
    }

    private static func value(depth: Int, using random: inout SeededGenerator) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: return nil
        case 1: return .bool(.random(using: &random))
        case 2: return .integer(Int64(truncatingIfNeeded: random.next()) >> Int.random(in: 0..<64, using: &random))
        case 3:
            let number = Double(bitPattern: random.next())
            return .number(number.isFinite ? number : 1)
        case 4, 5: return .string(text(using: &random))
        case 6:
            return .array(
                (0..<Int.random(in: 0..<5, using: &random)).map { _ in value(depth: depth - 1, using: &random) })
        default:
            let members = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                (text(using: &random), value(depth: depth - 1, using: &random))
            }
            return .object(Dictionary(members) { $1 })
        }
    }

    /// Text of scalars from all of Unicode but U+0000, the low ones more often.
    private static func text(using random: inout SeededGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<12, using: &random) {
            let bound = ([0x7F, 0x7FF, 0xFFFF, 0x10FFFF] as [UInt32]).randomElement(using: &random) ?? 0x7F
            Unicode.Scalar(UInt32.random(in: 1...bound, using: &random)).map { scalars.append($0) }
        }
        return String(scalars)
    }
}
