import LatchkeyJSON

/// A document that both readers refuse, and how.
struct Refusal: Sendable {
    let bytes: [UInt8]
    let error: JSONError
    let limits: JSONLimits

    init(
        _ text: String, _ code: JSONError.Code, at path: String = "$", byte: Int? = nil,
        limits: JSONLimits = JSONLimits()
    ) {
        self.init(Array(text.utf8), code, at: path, byte: byte, limits: limits)
    }

    init(
        _ bytes: [UInt8], _ code: JSONError.Code, at path: String = "$", byte: Int? = nil,
        limits: JSONLimits = JSONLimits()
    ) {
        self.bytes = bytes
        self.error = JSONError(code, at: path, offset: byte)
        self.limits = limits
    }

    /// A document that holds `text` as bytes inside of a string.
    static func text(_ bytes: [UInt8]) -> Refusal {
        Refusal(Array("[\"".utf8) + bytes + Array("\"]".utf8), .encoding, byte: 2)
    }

    /// An array of one element that breaks the grammar.
    static func element(_ text: String, byte: Int) -> Refusal { Refusal("[\(text)]", .syntax, byte: byte) }
}

let refusals: [Refusal] =
    syntaxRefusals + numberRefusals + textRefusals + placedRefusals
    + [#""a""#, "1", "-1.5", "true", "null", "", " ", "\n"].map {
        // A scalar at the top, or nothing.
        Refusal($0, .syntax, byte: $0.allSatisfy(\.isWhitespace) ? $0.utf8.count : 0)
    }

private let syntaxRefusals: [Refusal] = [
    Refusal("[", .syntax, byte: 1), Refusal("{", .syntax, byte: 1), Refusal("[1", .syntax, byte: 2),
    Refusal("]", .syntax, byte: 0), Refusal("[}", .syntax, byte: 1), Refusal("{]", .syntax, byte: 1),
    Refusal("[1}", .syntax, byte: 2), Refusal(#"{"a":1]"#, .syntax, byte: 6), Refusal("[[]", .syntax, byte: 3),
    Refusal("[1,]", .syntax, byte: 3), Refusal("[,1]", .syntax, byte: 1), Refusal("[1,,2]", .syntax, byte: 3),
    Refusal("[1 2]", .syntax, byte: 3), Refusal("[,]", .syntax, byte: 1), Refusal("{,}", .syntax, byte: 1),
    Refusal(#"{"a":1,}"#, .syntax, byte: 7), Refusal(#"{"a"}"#, .syntax, byte: 4),
    Refusal(#"{"a":}"#, .syntax, byte: 5),
    Refusal(#"{"a" 1}"#, .syntax, byte: 5), Refusal(#"{"a"::1}"#, .syntax, byte: 5), Refusal("{a:1}", .syntax, byte: 1),
    Refusal("{'a':1}", .syntax, byte: 1), Refusal("{1:1}", .syntax, byte: 1), Refusal("{null:1}", .syntax, byte: 1),
    Refusal(#"{"a":1 "b":2}"#, .syntax, byte: 7), Refusal(#"{"a":1"#, .syntax, byte: 6),
    Refusal(#"{"a":"#, .syntax, byte: 5),
    Refusal("[1]//x", .trailing, byte: 3), Refusal("[1/*x*/]", .syntax, byte: 2), Refusal("//x\n[1]", .syntax, byte: 0),
    Refusal("[#\n1]", .syntax, byte: 1), Refusal("\u{FEFF}\u{FEFF}[]", .syntax, byte: 3),
    Refusal(" \u{FEFF}[]", .syntax, byte: 1), Refusal("\u{FEFF}", .syntax, byte: 3),
    Refusal("\u{FEFF}1", .syntax, byte: 3),
    Refusal("[\u{FEFF}]", .syntax, byte: 1), Refusal("{\u{FEFF}}", .syntax, byte: 1),
    Refusal("[1\u{FEFF}]", .syntax, byte: 2),
    Refusal("\u{FEFF}[x]", .syntax, byte: 4),
    Refusal("\u{FEFF}{\"a\":1,\"a\":1}", .duplicateMember, at: "$.a", byte: 10),
    Refusal([0xEF, 0xBB, 0x5B, 0x5D], .encoding, byte: 0), Refusal([0xFE, 0xFF, 0x5B, 0x5D], .encoding, byte: 0),
    Refusal("\u{FEFF}[]", .tooLarge, limits: JSONLimits(bytes: 4)),
    Refusal("[]\u{FEFF}", .trailing, byte: 2),
    Refusal("\u{A0}[]", .syntax, byte: 0), Refusal("\u{C}[]", .syntax, byte: 0), Refusal("[\u{B}]", .syntax, byte: 1),
    Refusal("[] []", .trailing, byte: 3), Refusal("{}x", .trailing, byte: 2), Refusal("[]]", .trailing, byte: 2),
    Refusal("[],", .trailing, byte: 2), Refusal("[]\0", .trailing, byte: 2), Refusal("\0[]", .syntax, byte: 0),
    Refusal("[1\0]", .syntax, byte: 2), Refusal("[true\0]", .syntax, byte: 5), Refusal("[\0]", .syntax, byte: 1),
    Refusal("[1,\0 2]", .syntax, byte: 3), Refusal("[1.5\0]", .syntax, byte: 4), Refusal("[1\u{1}]", .syntax, byte: 2),
    .element("NaN", byte: 1), .element("Infinity", byte: 1), .element("-Infinity", byte: 2), .element("nan", byte: 1),
    .element("True", byte: 1), .element("nul", byte: 1), .element("nulll", byte: 5), .element("undefined", byte: 1),
    .element("truefalse", byte: 5), .element("tru e", byte: 1), .element("'a'", byte: 1), .element("\"a", byte: 4),
]

private let numberRefusals: [Refusal] = [
    .element("01", byte: 2), .element("-01", byte: 3), .element("00", byte: 2), .element("+1", byte: 1),
    .element("-", byte: 2), .element("--1", byte: 2), .element(".5", byte: 1), .element("1.", byte: 3),
    .element("1.e2", byte: 3), .element("1e", byte: 3), .element("1e+", byte: 4), .element("1e2.5", byte: 4),
    .element("0x1", byte: 2), .element("1_000", byte: 2), .element("1f", byte: 2), .element("1.2.3", byte: 4),
    .element("1e1e1", byte: 4), .element("- 1", byte: 2), .element("\u{0661}", byte: 1), .element("0x1p3", byte: 2),
    Refusal("[9223372036854775808]", .numberRange, at: "$[0]", byte: 1),
    Refusal("[-9223372036854775809]", .numberRange, at: "$[0]", byte: 1),
    Refusal("[1,18446744073709551616]", .numberRange, at: "$[1]", byte: 3),
    Refusal("[1e309]", .numberRange, at: "$[0]", byte: 1), Refusal("[-1e309]", .numberRange, at: "$[0]", byte: 1),
    Refusal("[1.8e308]", .numberRange, at: "$[0]", byte: 1),
    Refusal("[1e9999999999]", .numberRange, at: "$[0]", byte: 1),
    Refusal("[\(String(repeating: "9", count: 400)).0]", .numberRange, at: "$[0]", byte: 1),
]

private let textRefusals: [Refusal] = [
    .text([0x80]), .text([0xFF]), .text([0xC0, 0x80]), .text([0xC1, 0xBF]), .text([0xC3]), .text([0xE0, 0x80, 0xAF]),
    .text([0xE2, 0x82]), .text([0xED, 0xA0, 0x80]), .text([0xED, 0xBF, 0xBF]), .text([0xF0, 0x80, 0x80, 0xAF]),
    .text([0xF4, 0x90, 0x80, 0x80]), .text([0xF5, 0x80, 0x80, 0x80]), .text([0xF0, 0x9F, 0x98]), .text([0xC3, 0x28]),
    Refusal([0x5B, 0xFF, 0x5D], .encoding, byte: 1), Refusal([0x5B, 0x5D, 0xC3], .encoding, byte: 2),
    Refusal([0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00], .encoding, byte: 0),
    Refusal(Array("{\"".utf8) + [0xE9] + Array("\":1}".utf8), .encoding, byte: 2),
    Refusal(#"["\u0000"]"#, .encoding, byte: 4), Refusal(#"{"\u0000":1}"#, .encoding, byte: 4),
    Refusal(#"["\uD800"]"#, .encoding, byte: 4), Refusal(#"["\uDC00"]"#, .encoding, byte: 4),
    Refusal(#"["\uDFFF\uD800"]"#, .encoding, byte: 4), Refusal(#"["\uD800\uD800"]"#, .encoding, byte: 4),
    Refusal(#"["\uD800x"]"#, .encoding, byte: 4), Refusal(#"["\uD800\u0041"]"#, .encoding, byte: 4),
    Refusal(#"["\uD800\n"]"#, .encoding, byte: 9), Refusal(#"{"\uD800":1}"#, .encoding, byte: 4),
    Refusal(#"["\x"]"#, .syntax, byte: 3), Refusal(#"["\'"]"#, .syntax, byte: 3),
    Refusal(#"["\u12"]"#, .syntax, byte: 6),
    Refusal(#"["\u12G4"]"#, .syntax, byte: 6), Refusal(#"["\U0041"]"#, .syntax, byte: 3),
    Refusal(#"["\"]"#, .syntax, byte: 5),
    Refusal(#"["\uD800\u12"]"#, .syntax, byte: 12), Refusal("[\"\\", .syntax, byte: 3),
    Refusal("[\"", .syntax, byte: 2),
    Refusal("[\"\n\"]", .syntax, byte: 2), Refusal("[\"\t\"]", .syntax, byte: 2), Refusal("[\"\0\"]", .syntax, byte: 2),
    Refusal("[\"a\u{1F}\"]", .syntax, byte: 3), Refusal("[\"\\\n\"]", .syntax, byte: 3),
    Refusal("{\"\u{1}\":1}", .syntax, byte: 2),
]

private let placedRefusals: [Refusal] = [
    Refusal(#"{"a":1,"a":1}"#, .duplicateMember, at: "$.a", byte: 7),
    Refusal(#"{"a":1,"b":2,"\u0061":3}"#, .duplicateMember, at: "$.a", byte: 13),
    Refusal(#"{"a":[0,{"b":1,"b":2}]}"#, .duplicateMember, at: "$.a[1].b", byte: 15),
    Refusal(#"{"":1,"":2}"#, .duplicateMember, at: "$.?", byte: 6),
    Refusal(#"{"a b":1,"a b":2}"#, .duplicateMember, at: "$.?", byte: 9),
    Refusal(
        #"{"https://a.example/b_c-d":1,"https://a.example/b_c-d":2}"#, .duplicateMember,
        at: "$.https://a.example/b_c-d", byte: 29),
    // One name in two normal forms is one name in Swift.
    Refusal(#"{"\u00e9":1,"e\u0301":2}"#, .duplicateMember, at: "$.?", byte: 12),
    Refusal(#"{"x y":{"a":[1e999]}}"#, .numberRange, at: "$.?.a[0]", byte: 13),
    Refusal(#"{"a":[0,1,{"b":99999999999999999999}]}"#, .numberRange, at: "$.a[2].b", byte: 15),
    Refusal(#"{"a":[0,[[]]]}"#, .tooDeep, at: "$.a[1]", byte: 8, limits: JSONLimits(depth: 2)),
    Refusal("[]", .tooDeep, byte: 0, limits: JSONLimits(depth: 0)),
    Refusal("{}", .tooDeep, byte: 0, limits: JSONLimits(depth: -1)),
    Refusal("[[", .tooDeep, at: "$[0]", byte: 1, limits: JSONLimits(depth: 1)),
    Refusal("[[1]]", .tooLarge, limits: JSONLimits(bytes: 4)), Refusal("", .tooLarge, limits: JSONLimits(bytes: -1)),
    Refusal("[1]     ", .tooLarge, limits: JSONLimits(bytes: 4)),
    Refusal(Array(repeating: 0x20, count: 1 << 20 + 1), .tooLarge),
]
