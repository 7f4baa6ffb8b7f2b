import LatchkeyJSON
import Testing

@Suite("Differences between the readers")
struct JSONAgreementTests {
    @Test("20,000 damaged documents: one verdict, one value", arguments: [1, 2, 3, 4] as [UInt64])
    func damagedDocuments(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let limits = JSONLimits(bytes: 400, depth: 6)
        var accepted = 0
        for _ in 0..<5000 {
            var bytes = Self.documents.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...3, using: &random) { Self.damage(&bytes, using: &random) }
            let verdicts = JSONReader.allCases.map { Verdict(bytes, limits: limits, reader: $0) }
            #expect(verdicts.allSatisfy { $0 == verdicts.first }, "\(bytes)")
            if case .accepted = verdicts.first { accepted += 1 }
        }
        // Neither verdict may be rare, or the comparison says little.
        #expect((500...4500).contains(accepted))
    }

    @Test("every single byte, at every place of a small document")
    func everyByte() {
        for base in [#"[1,true]"#, #"{"a":"é\n"}"#, "[-1.5e3 ]"] {
            for place in 0...base.utf8.count {
                for byte in UInt8.min...UInt8.max {
                    var bytes = Array(base.utf8)
                    bytes.insert(byte, at: place)
                    let verdicts = JSONReader.allCases.map { Verdict(bytes, limits: JSONLimits(), reader: $0) }
                    #expect(verdicts.allSatisfy { $0 == verdicts.first }, "\(bytes)")
                }
            }
        }
    }

    @Test("random spellings of numbers read as the same number")
    func numbers() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<5000 {
            let bytes = Array("[\(Self.numberSpelling(using: &random))]".utf8)
            let verdicts = JSONReader.allCases.map { Verdict(bytes, limits: JSONLimits(), reader: $0) }
            #expect(verdicts.allSatisfy { $0 == verdicts.first }, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    private static func numberSpelling(using random: inout SeededGenerator) -> String {
        func digits(_ count: Int) -> String {
            (0..<count).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
        }
        let whole =
            Bool.random(using: &random)
            ? "0" : "\(Int.random(in: 1...9, using: &random))" + digits(Int.random(in: 0...24, using: &random))
        let fraction = Bool.random(using: &random) ? "" : "." + digits(Int.random(in: 1...24, using: &random))
        let exponent = Bool.random(using: &random) ? "" : "e\(Int.random(in: -345...320, using: &random))"
        return (Bool.random(using: &random) ? "-" : "") + whole + fraction + exponent
    }

    private static func damage(_ bytes: inout [UInt8], using random: inout SeededGenerator) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        let end = Int.random(in: place...min(place + 8, bytes.count), using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes.removeSubrange(place..<end)
        case 1: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
        case 2: bytes.insert(contentsOf: fragments.randomElement(using: &random) ?? [], at: place)
        case 3: bytes.replaceSubrange(place..<end, with: fragments.randomElement(using: &random) ?? [])
        case 4 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        }
    }

    private static let documents: [[UInt8]] = [
        "[]", "{}", "[[[[[[1]]]]]]", #"["", " ", "\u0041\uD83D\uDE00\n", "é😀"]"#,
        #"{"access_token":"a.b.c","expires_in":3600,"token_type":"Bearer","scope":null}"#,
        #"{"keys":[{"kty":"RSA","e":"AQAB","n":"0vx7"},{"kty":"EC","crv":"P-256","x":"f83O","y":"x_FE"}]}"#,
        #"{ "iss" : "https:\/\/id.example" , "aud" : [ "a" , "b" ] , "exp" : 1.7e9 , "iat":-0 , "v":true,"w":false }"#,
        "[0,-1,1.5,-2.5e-3,1E5,9223372036854775807,-9223372036854775808,1.7976931348623157e308,5e-324]",
        #"{"a":{"b":{"c":{"d":{"e":1,"f":2}}}},"A":[],"b":{}}"#,
    ].map { Array($0.utf8) }

    private static let fragments: [[UInt8]] =
        [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "0", "-", "e", ".", "9", "1e309", "null", "true", "NaN", "/**/",
            #"\u0000"#, #"\uD800"#, #"\uDC00"#, #"\u00e9"#, #""a":1,"#, #","a":1"#, "[]", "{}", " ", "\n", "\u{FEFF}",
            "\0",
        ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xA9], [0xED, 0xA0, 0x80], [0xF0, 0x9F]]
}

/// What a reader said, compared byte by byte.
private enum Verdict: Equatable {
    case accepted([UInt8])
    case refused(JSONError)

    init(_ bytes: [UInt8], limits: JSONLimits, reader: JSONReader) {
        do throws(JSONError) {
            self = .accepted(try JSON.parse(bytes, limits: limits, reader: reader).serialized())
        } catch { self = .refused(error) }
    }
}
