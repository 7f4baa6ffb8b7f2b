/// The two alphabets of RFC 4648, for encoding and decoding.
package struct Base64Alphabet: Sendable {
    /// The one of section 4.
    package static let standard = Base64Alphabet("+/")
    /// The one of section 5, which RFC 7515 uses without padding.
    package static let url = Base64Alphabet("-_")

    private let characters: [UInt8]
    /// The value of each byte; 255 if it is not in the alphabet.
    private let values: [UInt8]

    private init(_ last: String) {
        let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        characters = Array((common + last).utf8)
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        self.values = values
    }

    package func encode(_ bytes: [UInt8], padded: Bool) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var bits: UInt32 = 0
        var pending = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            pending += 8
            while pending >= 6 {
                pending -= 6
                text.append(characters[Int(bits >> UInt32(pending) & 63)])
            }
        }
        if pending > 0 { text.append(characters[Int(bits << UInt32(6 - pending) & 63)]) }
        while padded, text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of `text`, which has no padding; `nil` for white space, a foreign character, an impossible
    /// length, or trailing bits that are not zero, so that each value has one text.
    package func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let rest = text.count % 4
        guard rest != 1 else { return nil }
        var isWrong = false
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + max(0, rest - 1)) { bytes, count in
            count = text.withUnsafeBufferPointer { text in
                values.withUnsafeBufferPointer { values in
                    Self.decode(text, values, into: bytes, isWrong: &isWrong)
                }
            }
        }
        return isWrong ? nil : bytes
    }

    /// Decodes four characters at a time. The length has been checked, and `bytes` has room for the
    /// result; returns the result's length.
    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, _ values: UnsafeBufferPointer<UInt8>,
        into bytes: UnsafeMutableBufferPointer<UInt8>, isWrong: inout Bool
    ) -> Int {
        func value(_ index: Int) -> UInt32 { UInt32(values[Int(text[index])]) }
        // No value has the two highest bits set; a foreign character has both.
        var seen: UInt32 = 0
        var read = 0
        var written = 0
        while read + 4 <= text.count {
            let (a, b, c, d) = (value(read), value(read + 1), value(read + 2), value(read + 3))
            seen |= a | b | c | d
            let bits = a << 18 | b << 12 | c << 6 | d
            bytes[written] = UInt8(truncatingIfNeeded: bits >> 16)
            bytes[written + 1] = UInt8(truncatingIfNeeded: bits >> 8)
            bytes[written + 2] = UInt8(truncatingIfNeeded: bits)
            (read, written) = (read + 4, written + 3)
        }
        if read < text.count {
            let (a, b) = (value(read), value(read + 1))
            let c = read + 2 < text.count ? value(read + 2) : 0
            seen |= a | b | c
            let bits = a << 18 | b << 12 | c << 6
            bytes[written] = UInt8(truncatingIfNeeded: bits >> 16)
            written += 1
            if read + 2 < text.count {
                bytes[written] = UInt8(truncatingIfNeeded: bits >> 8)
                written += 1
                // The unused bits of the last character must be zero, so that each value has one text.
                seen |= bits & 0xFF == 0 ? 0 : 0xC0
            } else {
                seen |= bits & 0xFFFF == 0 ? 0 : 0xC0
            }
        }
        isWrong = seen & 0xC0 != 0
        return written
    }
}
