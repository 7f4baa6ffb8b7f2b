/// Key derivation from a secret that is already strong, RFC 5869. For a passphrase use ``Scrypt``.
public enum KeyDerivation {
    /// Extracts and expands `key` into `length` bytes.
    ///
    /// - Parameters:
    ///   - key: The key material, at least one byte.
    ///   - salt: A salt, which need not be secret. Empty stands for zeros (RFC 5869 section 2.2).
    ///   - info: The purpose of the result. A different purpose gives an unrelated key.
    ///   - length: The number of bytes, at most 255 times the digest's length.
    ///   - algorithm: The hash of HMAC.
    /// - Throws: ``CryptoError`` with code `invalidLength` for another `length`, or an empty `key`.
    public static func derive(
        from key: [UInt8], salt: [UInt8], info: [UInt8], length: Int, algorithm: HashAlgorithm = .sha256
    ) throws(CryptoError) -> [UInt8] {
        guard !key.isEmpty else { throw CryptoError(.invalidLength, "the key to derive from is empty") }
        guard length > 0, length <= 255 * algorithm.length else {
            throw CryptoError(.invalidLength, "HKDF gives 1 to \(255 * algorithm.length) bytes, not \(length)")
        }
        let extracted = KeyedHash.code(for: key, key: salt, algorithm: algorithm)
        var result: [UInt8] = []
        var block: [UInt8] = []
        var counter: UInt8 = 0
        while result.count < length {
            counter += 1
            block = KeyedHash.code(for: block + info + [counter], key: extracted, algorithm: algorithm)
            result += block
        }
        return Array(result.prefix(length))
    }
}
