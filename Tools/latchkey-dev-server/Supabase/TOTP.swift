extension DevServer {
    /// The codes of authenticator apps, RFC 6238 with SHA-1, six digits and 30 seconds.
    public enum TOTP {
        /// Returns the code of a Base32 secret at a time in seconds since 1970; `nil` if the secret is invalid.
        public static func code(secret: String, at time: Double) -> String? {
            guard let key = Base32.decode(secret), time >= 0, time < 1e15 else { return nil }
            let counter = UInt64(time) / 30
            let message = (0..<8).map { UInt8(truncatingIfNeeded: counter >> UInt64(56 - 8 * $0)) }
            let digest = SHA1.code(for: message, key: key)
            let offset = Int(digest[19] & 15)
            let number = digest[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
            return String(String(1_000_000 + number % 1_000_000).dropFirst())
        }
    }
}

/// Base32 of RFC 4648 without padding.
enum Base32 {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// Encodes bytes. Their count must be a multiple of five.
    static func encode(_ bytes: [UInt8]) -> String {
        var (text, buffer, bits): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for byte in bytes {
            buffer = (buffer << 8 | UInt32(byte)) & 0xFFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(letters[Int(buffer >> bits & 31)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func decode(_ text: String) -> [UInt8]? {
        var (bytes, buffer, bits): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for letter in text.uppercased().utf8 where letter != UInt8(ascii: "=") {
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
