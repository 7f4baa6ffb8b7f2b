import LatchkeySystem

/// Base64 with the alphabet `+/` and padding, RFC 4648 section 4. Decoding is strict: each value has one text.
public enum Base64 {
    /// Encodes `bytes`, padded with `=`.
    public static func encode(_ bytes: [UInt8]) -> String {
        Base64Alphabet.standard.encode(bytes, padded: true)
    }

    /// Decodes `text`.
    ///
    /// - Throws: ``CryptoError`` with code `invalidEncoding` for missing padding, white space, a foreign character, or
    ///   trailing bits that are not zero.
    public static func decode(_ text: String) throws(CryptoError) -> [UInt8] {
        let characters = Array(text.utf8)
        guard characters.count % 4 == 0 else { throw CryptoError.notBase64 }
        let padding = characters.reversed().prefix(2).prefix { $0 == UInt8(ascii: "=") }.count
        guard let bytes = Base64Alphabet.standard.decode(characters.dropLast(padding)) else {
            throw CryptoError.notBase64
        }
        return bytes
    }
}

/// Base64 with the alphabet `-_` and no padding, RFC 7515 section 2. Decoding is strict: each value has one text.
public enum Base64URL {
    /// Encodes `bytes`.
    public static func encode(_ bytes: [UInt8]) -> String {
        Base64Alphabet.url.encode(bytes, padded: false)
    }

    /// Decodes `text`.
    ///
    /// - Throws: ``CryptoError`` with code `invalidEncoding` for padding, white space, a foreign character, or trailing
    ///   bits that are not zero.
    public static func decode(_ text: some StringProtocol) throws(CryptoError) -> [UInt8] {
        try decode(Array(text.utf8)[...])
    }

    /// Decodes `text`, which must be ASCII.
    package static func decode(_ text: ArraySlice<UInt8>) throws(CryptoError) -> [UInt8] {
        guard let bytes = Base64Alphabet.url.decode(text) else { throw CryptoError.notBase64 }
        return bytes
    }
}

extension CryptoError {
    fileprivate static let notBase64 = CryptoError(.invalidEncoding, "the text is not strict base64")
}
