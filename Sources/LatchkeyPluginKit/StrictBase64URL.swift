/// Base64 with the alphabet `-_` and no padding (RFC 7515, section 2). Strict: each value has one
/// text. Decoding only.
enum StrictBase64URL {
    /// Returns the bytes of `text`; `nil` for padding, white space, a foreign character, an
    /// impossible length, or leftover bits that are not zero.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var (bits, pending): (UInt32, UInt32) = (0, 0)
        for character in text {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | value
            pending += 6
            guard pending >= 8 else { continue }
            pending -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> pending))
            bits &= 1 << pending - 1
        }
        return bits == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case 0x41...0x5A: UInt32(character) - 0x41
        case 0x61...0x7A: UInt32(character) - 0x61 + 26
        case 0x30...0x39: UInt32(character) - 0x30 + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
