extension JSON {
    /// Returns the document as UTF-8 bytes. Members are sorted by the bytes of their names, there
    /// are no spaces, and only what must be escaped is. Doubles have the fewest digits that read
    /// back as the same double, and never look like integers.
    ///
    /// Never fails: a number that is not finite, which no reader produces, is written as null.
    /// U+0000 in a string is written as an escape, which the strict readers refuse.
    public func serialized() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1_024)
        write(to: &bytes)
        return bytes
    }

    func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += String(value).utf8
        case .number(let value): bytes += (value.isFinite ? value.description : "null").utf8
        case .string(let text): JSON.write(text, to: &bytes)
        case .array(let elements): JSON.write(elements, to: &bytes)
        case .object(let members): JSON.write(members, to: &bytes)
        }
    }

    private static func write(_ elements: [JSON], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            element.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private static func write(_ members: [String: JSON], to bytes: inout [UInt8]) {
        // For ASCII, Swift orders strings by their bytes.
        let areASCII = members.keys.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
        let sorted = members.sorted {
            areASCII ? $0.key < $1.key : $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
        }
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in sorted.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(member.key, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            member.value.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    static func write(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { content in
            // Copies a run of characters that stand for themselves at once.
            var start = 0
            while true {
                let end = content.endOfPlainRun(from: start)
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: content[start..<end]))
                guard end < content.count else { break }
                escape(content[end], to: &bytes)
                start = end + 1
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func escape(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): bytes += "\\\"".utf8
        case UInt8(ascii: "\\"): bytes += "\\\\".utf8
        case 0x08: bytes += "\\b".utf8
        case 0x0C: bytes += "\\f".utf8
        case 0x0A: bytes += "\\n".utf8
        case 0x0D: bytes += "\\r".utf8
        case 0x09: bytes += "\\t".utf8
        default: bytes += ((byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16)).utf8
        }
    }
}
