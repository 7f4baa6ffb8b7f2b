import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyOAuthCore
import Testing

@testable import LatchkeyJSON

/// Finds what a fuzzer of small inputs cannot: work that grows faster than the input.
@Suite("Hostile input: as large as it may be")
struct LargeInputTests {
    /// A thousand times the time of the slowest of these, and a fraction of the time of work that grows with the
    /// square.
    private static let limit = Duration.seconds(20)

    @Test(
        "a document of a megabyte is read or refused in time, by every reader",
        arguments: [
            ("open arrays", "", "[", ""), ("open objects", "", #"{"a":"#, ""), ("numbers", "[", "1,", "1]"),
            ("digits", "[", "1", "]"), ("digits of a fraction", "[1.", "1", "]"), ("an exponent", "[1e", "0", "1]"),
            ("escapes", #"[""#, #"\u00e9"#, #""]"#), ("quotes", "[", #""","#, "1]"), ("a text", #"[""#, "x", #""]"#),
            ("spaces", "[", " ", "]"), ("names", #"{"a":1"#, #","a":1"#, "}"), ("marks", #"["e"#, "\u{301}", #""]"#),
            ("empty objects", "[", "{},", "{}]"), ("a name of marks", #"{"a"#, "\u{301}\u{323}", #"":1}"#),
            ("an escaped name", #"{"a"#, #"\u0301\u0323"#, #"":1}"#), ("jamo", #"{"a"#, "\u{1161}", #"":1}"#),
            ("Tibetan", #"{"a"#, "\u{F73}", #"":1}"#), ("backslashes", #"[""#, #"\\"#, #""]"#),
        ])
    func documents(name: String, head: String, part: String, tail: String) throws {
        let count = ((1 << 20) - head.utf8.count - tail.utf8.count) / part.utf8.count
        let bytes = Array((head + String(repeating: part, count: count) + tail).utf8)
        for reader in JSONReader.allCases {
            let time = ContinuousClock().measure { _ = try? JSON.parse(bytes, reader: reader) }
            #expect(time < Self.limit, "\(name): \(time)")
        }
    }

    @Test("a thousand different names that Swift compares by their marks are told apart in time")
    func names() throws {
        let marks = (0..<1_000).map { number in
            (0..<200).map { number >> ($0 % 10) & 1 == 1 ? "\u{301}" : "\u{323}" }.joined() + "\(number)"
        }
        let bytes = Array(("{" + marks.map { "\"a\($0)\":1" }.joined(separator: ",") + "}").utf8)
        for reader in JSONReader.allCases {
            let time = ContinuousClock().measure { _ = try? JSON.parse(bytes, reader: reader) }
            #expect(time < Self.limit, "\(time)")
        }
    }

    @Test("a set of a hundred keys of the largest size is read in time, and so is a token as large as one may be")
    func keys() throws {
        let modulus = Base64URL.encode([UInt8](repeating: 0xFF, count: 2_048))
        let key: JSON = ["kty": "RSA", "kid": "r", "n": .string(modulus), "e": "______8"]
        var keys = JSONWebKeySet()
        var time = try ContinuousClock().measure {
            keys = try JSONWebKeySet(parsing: ["keys": .array(Array(repeating: key, count: 100))])
        }
        #expect(time < Self.limit, "keys: \(time)")
        let one = try JSONWebKeySet(parsing: ["keys": [key]])
        #expect(keys.keys.count == 100)
        let header = Base64URL.encode(Array(#"{"alg":"RS256","kid":"r"}"#.utf8))
        let signature = Base64URL.encode([UInt8](repeating: 0x7F, count: 2_048))
        let rest = JSONWebSignature.sizeLimit - header.utf8.count - signature.utf8.count - 2
        for payload in [
            Base64URL.encode([UInt8](repeating: 0x20, count: rest * 3 / 4 - 3)), String(repeating: ".", count: rest),
        ] {
            time = ContinuousClock().measure {
                for keys in [one, keys] {
                    _ = try? JSONWebSignature.verify(
                        compact: "\(header).\(payload).\(signature)", keys: keys,
                        allowed: Set(SignatureAlgorithm.allCases))
                }
            }
            #expect(time < Self.limit, "token: \(time)")
        }
    }

    @Test("headers, forms and addresses as large as a transport lets them be are read in time")
    func texts() throws {
        for part in [
            "a b=c,", "Bearer ", "a=\"", "\\", "a", "=", ",", " ", "&", "%41", "a=b&", "/", ":", "?", "\u{301}", "1",
        ] {
            let text = String(repeating: part, count: 8_192 / part.utf8.count)
            let fields = HeaderFields(Array(repeating: (name: "WWW-Authenticate", value: text), count: 32))
            let long = String(repeating: part, count: 65_536 / part.utf8.count)
            let time = ContinuousClock().measure {
                _ = AuthenticationChallenge.all(in: fields)
                _ = Freshness.of(["Cache-Control": long, "Age": long])
                _ = RetryAfter.read(["Retry-After": long, "Date": long], now: .distantPast)
                _ = FormEncoding.decode(long)
                _ = WebAddress("https://a/" + long)
                _ = WebAddress("https://" + long)
            }
            #expect(time < Self.limit, "\(part): \(time)")
        }
    }
}
