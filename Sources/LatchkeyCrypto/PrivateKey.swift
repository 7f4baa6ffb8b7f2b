/// A key that signs. It stays inside the library's own memory unless you read ``pem``.
public final class PrivateKey: Sendable {
    let handle: KeyHandle

    /// The key with which others check signatures.
    public let publicKey: PublicKey

    /// The kind of the key.
    public var kind: KeyKind { handle.kind }

    private init(_ handle: KeyHandle) throws(CryptoError) {
        self.handle = handle
        publicKey = PublicKey(try handle.publicHalf())
    }

    /// Generates a key. This takes 24 µs on P-256, and a second or more for RSA with 4096 bits.
    ///
    /// - Throws: ``CryptoError`` with code `weakKey` or `invalidKey` for an RSA size outside of 2048 to 16384.
    public static func generate(_ kind: KeyKind) throws(CryptoError) -> PrivateKey {
        if case .rsa(let bits) = kind { try KeyKind.check(rsaBits: bits) }
        return try PrivateKey(KeyHandle(generating: kind))
    }

    /// Reads an unencrypted `PRIVATE KEY` block (RFC 7468 section 10), or the older blocks of RSA and EC. At most 64 KiB.
    ///
    /// - Throws: ``CryptoError`` with code `invalidKey`, `weakKey` or `unsupportedKey`.
    public convenience init(pem: String) throws(CryptoError) {
        try self.init(KeyHandle(privatePEM: pem))
    }

    /// The key as an unencrypted `PRIVATE KEY` block. Treat it as a secret.
    public var pem: String {
        get throws(CryptoError) { try handle.privatePEM() }
    }

    /// Signs `message`. Returns the form that ``PublicKey/verify(signature:of:algorithm:)`` takes.
    ///
    /// - Throws: ``CryptoError`` with code `keyMismatch` if `algorithm` does not fit this kind of key.
    public func sign(_ message: [UInt8], algorithm: SignatureAlgorithm) throws(CryptoError) -> [UInt8] {
        try kind.check(algorithm)
        return try handle.sign(message, algorithm)
    }
}

extension PrivateKey: CustomStringConvertible, CustomReflectable {
    /// The kind, never the key.
    public var description: String { "private key (\(kind))" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension KeyKind {
    static func check(rsaBits bits: Int) throws(CryptoError) {
        guard bits >= smallestRSA else {
            throw CryptoError(.weakKey, "an RSA key of \(bits) bits is too small; \(smallestRSA) are needed")
        }
        guard bits <= largestRSA else {
            throw CryptoError(.invalidKey, "an RSA key of \(bits) bits is larger than \(largestRSA)")
        }
    }
}
