/// Base32 of RFC 4648, section 6, without padding.
package enum Base32 {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// Encodes bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var (text, buffer, bits): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for byte in bytes {
            buffer = (buffer << 8 | UInt32(byte)) & 0xFFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(letters[Int(buffer >> bits & 31)])
            }
        }
        if bits > 0 { text.append(letters[Int(buffer << (5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes text, with or without padding and spaces; `nil` if it is no Base32, or empty.
    package static func decode(_ text: String) -> [UInt8]? {
        var (bytes, buffer, bits): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for letter in text.uppercased().utf8 where letter != UInt8(ascii: "=") && letter != UInt8(ascii: " ") {
            guard let value = letters.firstIndex(of: letter) else { return nil }
            buffer = (buffer << 5 | UInt32(value)) & 0xFFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        return bytes.isEmpty ? nil : bytes
    }
}
