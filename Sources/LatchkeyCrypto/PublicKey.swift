/// A key that checks signatures.
///
/// Keep a key that you use again: the first check prepares contexts that later ones reuse, which
/// halves their time. Any number of tasks may use one key.
public final class PublicKey: Sendable {
    let handle: KeyHandle

    /// The kind of the key.
    public var kind: KeyKind { handle.kind }

    init(_ handle: KeyHandle) {
        self.handle = handle
    }

    /// Reads a `PUBLIC KEY` block, RFC 7468 section 13. At most 64 KiB.
    ///
    /// - Throws: ``CryptoError`` with code `invalidKey`, `weakKey` or `unsupportedKey`.
    public convenience init(pem: String) throws(CryptoError) {
        self.init(try KeyHandle(publicPEM: pem))
    }

    /// Creates an RSA key from big-endian numbers, leading zeros allowed.
    ///
    /// - Throws: ``CryptoError`` with code `weakKey` for a modulus under 2048 bits, `invalidKey` for one over 16384 or
    ///   even, and for an exponent that is even, below 3 or longer than 8 bytes.
    public convenience init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        let modulus = Array(modulus.drop { $0 == 0 })
        let exponent = Array(exponent.drop { $0 == 0 })
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard let last = modulus.last, last & 1 == 1, bits <= KeyKind.largestRSA else {
            throw CryptoError(.invalidKey, "the RSA modulus is even or longer than \(KeyKind.largestRSA) bits")
        }
        guard bits >= KeyKind.smallestRSA else {
            throw CryptoError(.weakKey, "the RSA modulus has \(bits) bits and needs \(KeyKind.smallestRSA)")
        }
        guard let low = exponent.last, low & 1 == 1, exponent != [1], exponent.count <= 8 else {
            throw CryptoError(.invalidKey, "the RSA exponent is even, below 3 or longer than 8 bytes")
        }
        self.init(try KeyHandle(rsaModulus: modulus, exponent: exponent))
    }

    /// Creates a key on `curve` from coordinates of exactly its width, RFC 7518 section 6.2.1.
    ///
    /// - Throws: ``CryptoError`` with code `invalidKey` for another length, or a point that is not on the curve.
    public convenience init(ec curve: EllipticCurve, x: [UInt8], y: [UInt8]) throws(CryptoError) {
        guard x.count == curve.width, y.count == curve.width else {
            throw CryptoError(.invalidKey, "a coordinate has another length than \(curve.width) bytes")
        }
        self.init(try KeyHandle(curve: curve, x: x, y: y))
    }

    /// Creates an Ed25519 key from its 32 bytes, RFC 8032 section 5.1.5.
    ///
    /// - Throws: ``CryptoError`` with code `invalidKey` for another length, or for a point of small
    ///   order, with which anybody can sign.
    public convenience init(ed25519 bytes: [UInt8]) throws(CryptoError) {
        self.init(try KeyHandle(ed25519: bytes))
    }

    /// Returns whether the owner of this key made `signature` for `message`.
    ///
    /// An ECDSA signature is r and s, each as wide as the curve, never DER (RFC 7518 section 3.4).
    /// A signature of the wrong length is wrong, not an error.
    ///
    /// - Throws: ``CryptoError`` with code `keyMismatch` if `algorithm` does not fit this kind of
    ///   key, and `unavailable` if the library cannot check at all.
    public func verify(
        signature: [UInt8], of message: [UInt8], algorithm: SignatureAlgorithm
    ) throws(CryptoError) -> Bool {
        try kind.check(algorithm)
        guard signature.count == kind.signatureLength else { return false }
        return try handle.verify(signature, of: message, algorithm)
    }
}

extension PublicKey {
    /// The modulus and the exponent, big-endian without leading zeros; `nil` for other kinds.
    public var rsaComponents: (modulus: [UInt8], exponent: [UInt8])? { handle.rsaComponents }

    /// The point's coordinates, each as wide as the curve; `nil` for other kinds.
    public var ecCoordinates: (x: [UInt8], y: [UInt8])? { handle.ecCoordinates }

    /// The 32 bytes of an Ed25519 key; `nil` for other kinds.
    public var ed25519Bytes: [UInt8]? { handle.ed25519Bytes }

    /// The key as a `PUBLIC KEY` block, RFC 7468 section 13.
    public var pem: String {
        get throws(CryptoError) { try handle.publicPEM() }
    }
}

extension KeyKind {
    func check(_ algorithm: SignatureAlgorithm) throws(CryptoError) {
        guard supports(algorithm) else {
            throw CryptoError(.keyMismatch, "\(algorithm.rawValue) does not go with this kind of key")
        }
    }
}
