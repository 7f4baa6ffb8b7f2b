/// Base64 with the alphabet `+/` and padding, RFC 4648 section 4. Strict: one text per value.
public enum Base64 {
    /// The text of `bytes`, padded with `=`.
    public static func encode(_ bytes: [UInt8]) -> String {
        Base64Alphabet.standard.encode(bytes, padded: true)
    }

    /// The bytes of `text`.
    ///
    /// - Throws: ``CryptoError`` with code `invalidEncoding` for missing padding, white space, a foreign character, or
    ///   trailing bits that are not zero.
    public static func decode(_ text: String) throws(CryptoError) -> [UInt8] {
        let characters = Array(text.utf8)
        guard characters.count % 4 == 0 else { throw Base64Alphabet.refusal }
        let padding = characters.reversed().prefix(2).prefix { $0 == UInt8(ascii: "=") }.count
        return try Base64Alphabet.standard.decode(characters.dropLast(padding))
    }
}

/// Base64 with the alphabet `-_` and no padding, RFC 7515 section 2. Strict: one text per value.
public enum Base64URL {
    /// The text of `bytes`.
    public static func encode(_ bytes: [UInt8]) -> String {
        Base64Alphabet.url.encode(bytes, padded: false)
    }

    /// The bytes of `text`.
    ///
    /// - Throws: ``CryptoError`` with code `invalidEncoding` for padding, white space, a foreign character, or trailing
    ///   bits that are not zero.
    public static func decode(_ text: some StringProtocol) throws(CryptoError) -> [UInt8] {
        try Base64Alphabet.url.decode(Array(text.utf8)[...])
    }
}

/// The two alphabets of RFC 4648, forwards and backwards.
struct Base64Alphabet: Sendable {
    static let standard = Base64Alphabet("+/")
    static let url = Base64Alphabet("-_")
    static let refusal = CryptoError(.invalidEncoding, "the text is not strict base64")

    private let characters: [UInt8]
    /// The value of each byte; 255 where it is no character of the alphabet.
    private let values: [UInt8]

    private init(_ last: String) {
        let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        characters = Array((common + last).utf8)
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        self.values = values
    }

    func encode(_ bytes: [UInt8], padded: Bool) -> String {
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

    func decode(_ text: ArraySlice<UInt8>) throws(CryptoError) -> [UInt8] {
        guard text.count % 4 != 1 else { throw Self.refusal }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var pending: UInt32 = 0
        for character in text {
            let value = values[Int(character)]
            guard value != 255 else { throw Self.refusal }
            bits = bits << 6 | UInt32(value)
            pending += 6
            if pending >= 8 {
                pending -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> pending))
            }
        }
        guard bits & (1 << pending - 1) == 0 else { throw Self.refusal }
        return bytes
    }
}
