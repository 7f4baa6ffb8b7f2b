/// Reads and writes `application/x-www-form-urlencoded`, in bodies and in queries (RFC 6749 appendix B).
package enum FormPairs {
    /// Returns the pairs in order, duplicates included. Returns `nil` if a percent sign is not followed by two hex
    /// digits, a byte is neither printable ASCII nor a space, the decoded text is not UTF-8 or has U+0000, or there
    /// are more than `limit` pairs. Skips empty pairs (`a=1&&b=2`).
    ///
    /// A plain space is accepted, though it should be a plus: other readers accept it too (URL Standard, section
    /// 5.1), and some clients send scopes that way.
    package static func decode(_ bytes: [UInt8], limit: Int = 200) -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        for piece in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = piece.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = text(parts[0], allowsSpaces: true),
                let value = parts.count > 1 ? text(parts[1], allowsSpaces: true) : ""
            else { return nil }
            pairs.append((name, value))
            guard pairs.count <= limit else { return nil }
        }
        return pairs
    }

    /// Decodes one name or value under the same rules, except for spaces.
    package static func text(_ encoded: some Sequence<UInt8>, allowsSpaces: Bool = false) -> String? {
        var decoded: [UInt8] = []
        var iterator = encoded.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(0x20)
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit) else {
                    return nil
                }
                decoded.append(high << 4 | low)
            case 0x20 where allowsSpaces, 0x21...0x7E: decoded.append(byte)
            default: return nil
            }
        }
        guard !decoded.contains(0) else { return nil }
        return String(validating: decoded, as: UTF8.self)
    }

    /// Encodes pairs so that any decoder reads the same back: only `*-._0-9A-Za-z` stay as they are.
    package static func encode(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    /// Encodes one name or value.
    package static func encode(_ text: String) -> String {
        let hex = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                encoded.append(byte)
            case 0x20: encoded.append(UInt8(ascii: "+"))
            default: encoded += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
