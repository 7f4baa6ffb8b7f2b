/// Authenticated encryption: opening fails if one bit of the message, or of the bytes beside it, was changed.
public struct AEAD: Sendable {
    /// A cipher with a 32-byte key, a 12-byte nonce and a 16-byte tag.
    public enum Algorithm: Hashable, Sendable, CaseIterable {
        /// NIST SP 800-38D.
        case aes256GCM
        /// RFC 8439.
        case chaCha20Poly1305
    }

    /// The length of a key, in bytes.
    public static let keyLength = 32
    /// The length of a nonce, in bytes.
    public static let nonceLength = 12
    /// The length of the tag at the end of a sealed message, in bytes.
    public static let tagLength = 16

    /// The cipher of this value.
    public let algorithm: Algorithm

    /// Creates an encryption with `algorithm`.
    public init(_ algorithm: Algorithm = .aes256GCM) {
        self.algorithm = algorithm
    }

    /// Encrypts `plain`.
    ///
    /// - Parameters:
    ///   - plain: The bytes to encrypt.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes that were never used before with this key: two messages with the same nonce
    ///     reveal both.
    ///   - context: Bytes that are protected against change but not encrypted.
    /// - Returns: The ciphertext followed by the 16-byte tag.
    /// - Throws: ``CryptoError`` with code `invalidKey` or `invalidLength` for wrong lengths.
    public func seal(
        _ plain: [UInt8], key: [UInt8], nonce: [UInt8], authenticating context: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        try Self.check(key: key, nonce: nonce, bytes: plain.count, context: context.count)
        return try Backend.seal(plain, key: key, nonce: nonce, context: context, algorithm)
    }

    /// Decrypts what ``seal(_:key:nonce:authenticating:)`` returned. Nothing is returned unless all
    /// of it is genuine.
    ///
    /// - Throws: ``CryptoError`` with code `authentication` when key, nonce, context and bytes do not belong together,
    ///   `invalidKey` or `invalidLength` for wrong lengths.
    public func open(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating context: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        try Self.check(key: key, nonce: nonce, bytes: sealed.count, context: context.count)
        guard sealed.count >= Self.tagLength else {
            throw CryptoError(.authentication, "the sealed message is shorter than its tag")
        }
        return try Backend.open(sealed, key: key, nonce: nonce, context: context, algorithm)
    }

    /// Encrypts with `algorithm`, as ``seal(_:key:nonce:authenticating:)`` does.
    public static func seal(
        _ plain: [UInt8], key: [UInt8], nonce: [UInt8], authenticating context: [UInt8] = [],
        _ algorithm: Algorithm = .aes256GCM
    ) throws(CryptoError) -> [UInt8] {
        try AEAD(algorithm).seal(plain, key: key, nonce: nonce, authenticating: context)
    }

    /// Decrypts with `algorithm`, as ``open(_:key:nonce:authenticating:)`` does.
    public static func open(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating context: [UInt8] = [],
        _ algorithm: Algorithm = .aes256GCM
    ) throws(CryptoError) -> [UInt8] {
        try AEAD(algorithm).open(sealed, key: key, nonce: nonce, authenticating: context)
    }

    private static func check(key: [UInt8], nonce: [UInt8], bytes: Int, context: Int) throws(CryptoError) {
        guard key.count == keyLength else {
            throw CryptoError(.invalidKey, "the key has \(key.count) bytes and needs \(keyLength)")
        }
        guard nonce.count == nonceLength else {
            throw CryptoError(.invalidLength, "the nonce has \(nonce.count) bytes and needs \(nonceLength)")
        }
        guard bytes <= Int(Int32.max) - tagLength, context <= Int(Int32.max) else {
            throw CryptoError(.invalidLength, "the message is larger than 2 GiB")
        }
    }
}
