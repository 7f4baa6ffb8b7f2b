/// Reads the tokens of RFC 8259 from bytes that are known to be UTF-8.
struct JSONScanner {
    private let bytes: [UInt8]
    let isASCII: Bool
    /// The offset of the next byte.
    private(set) var offset: Int

    init(_ bytes: [UInt8], isASCII: Bool, at offset: Int = 0) {
        self.bytes = bytes
        self.isASCII = isASCII
        self.offset = offset
    }

    /// The next byte; `nil` at the end.
    var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Returns an error at the next byte.
    func error(_ code: JSONError.Code) -> JSONError { JSONError(code, at: "$", offset: offset) }

    mutating func advance() { offset += 1 }

    /// Skips `byte` if it is the next one.
    mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        offset += 1
        return true
    }

    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
    }

    mutating func literal(_ word: StaticString) throws(JSONError) {
        let spelling = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard bytes[offset...].starts(with: spelling) else { throw error(.syntax) }
        offset += spelling.count
    }

    // MARK: Numbers (RFC 8259, section 6)

    enum Number {
        case integer(Int64)
        case number(Double)
    }

    /// Reads the number that starts here; `nil` if it is out of range.
    mutating func number() throws(JSONError) -> Number? {
        let start = offset
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        var isWhole = true
        if take(UInt8(ascii: ".")) {
            isWhole = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        if isWhole, offset - start < 19 { return .integer(shortInteger(start..<offset)) }
        let spelling = String(decoding: bytes[start..<offset], as: UTF8.self)
        if isWhole { return Int64(spelling).map(Number.integer) }
        guard let value = Double(spelling), value.isFinite else { return nil }
        return .number(value)
    }

    /// Returns the value of up to 18 characters, which cannot overflow.
    private func shortInteger(_ place: Range<Int>) -> Int64 {
        var value: Int64 = 0
        for byte in bytes[place] where byte != UInt8(ascii: "-") { value = value * 10 + Int64(byte & 15) }
        return bytes[place.lowerBound] == UInt8(ascii: "-") ? -value : value
    }

    private mutating func digits() throws(JSONError) {
        let start = offset
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { offset += 1 }
        guard offset > start else { throw error(.syntax) }
    }

    // MARK: Strings (RFC 8259, section 7)

    /// The place of a string's content.
    struct Span {
        var start: Int
        var end: Int
        /// Whether it contains no escapes.
        var isPlain: Bool
    }

    /// Skips the string whose opening quote is next.
    mutating func span() throws(JSONError) -> Span {
        let start = offset
        advance()
        let run = plainRun()
        if take(UInt8(ascii: "\"")) {
            if !isASCII { _ = try checked(String(decoding: bytes[run], as: UTF8.self), from: start) }
            return Span(start: run.lowerBound, end: run.upperBound, isPlain: true)
        }
        offset = start
        _ = try string()
        return Span(start: start + 1, end: offset - 1, isPlain: false)
    }

    /// Returns the text of a string that was skipped.
    func text(_ span: Span) -> String {
        if span.isPlain { return String(decoding: bytes[span.start..<span.end], as: UTF8.self) }
        var again = JSONScanner(bytes, isASCII: isASCII, at: span.start - 1)
        return (try? again.string()) ?? ""
    }

    /// Whether two spans stand for the same bytes.
    func isSame(_ one: Span, _ other: Span) -> Bool {
        one.end - one.start == other.end - other.start
            && bytes[one.start..<one.end].elementsEqual(bytes[other.start..<other.end])
    }

    /// Reads the string whose opening quote is next.
    mutating func string() throws(JSONError) -> String {
        let start = offset
        advance()
        var run = plainRun()
        if take(UInt8(ascii: "\"")) {
            let text = String(decoding: bytes[run], as: UTF8.self)
            return isASCII ? text : try checked(text, from: start)
        }
        var text: [UInt8] = []
        while true {
            text += bytes[run]
            if take(UInt8(ascii: "\"")) { return try checked(String(decoding: text, as: UTF8.self), from: start) }
            guard take(UInt8(ascii: "\\")) else { throw error(.syntax) }
            text += try escaped().utf8
            run = plainRun()
        }
    }

    private func checked(_ text: String, from start: Int) throws(JSONError) -> String {
        guard !text.hasEndlessMarks else { throw JSONError(.encoding, at: "$", offset: start) }
        return text
    }

    /// Skips characters of a string that stand for themselves.
    private mutating func plainRun() -> Range<Int> {
        let start = offset
        offset = bytes.withUnsafeBufferPointer { $0.endOfPlainRun(from: start) }
        return start..<offset
    }

    /// Reads the character after a backslash.
    private mutating func escaped() throws(JSONError) -> String {
        let byte = next
        advance()
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return String(try escapedScalar())
        default:
            offset -= 1
            throw error(.syntax)
        }
    }

    /// Reads the character after `\u`. A character beyond U+FFFF takes two escapes.
    private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
        let start = offset
        var code = UInt32(try codeUnit())
        if UTF16.isLeadSurrogate(UInt16(code)), take(UInt8(ascii: "\\")) {
            guard take(UInt8(ascii: "u")) else { throw error(.encoding) }
            let trail = try codeUnit()
            guard UTF16.isTrailSurrogate(trail) else { throw JSONError(.encoding, at: "$", offset: start) }
            code = 0x10000 + (code - 0xD800) << 10 + UInt32(trail) - 0xDC00
        }
        guard code != 0, let scalar = Unicode.Scalar(code) else { throw JSONError(.encoding, at: "$", offset: start) }
        return scalar
    }

    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        var code: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error(.syntax)
            }
            code = code << 4 | UInt16(digit)
            offset += 1
        }
        return code
    }
}
