/// A curve of FIPS 186-4 that JOSE signs on, RFC 7518 section 3.4.
public enum EllipticCurve: Hashable, Sendable, CaseIterable {
    case p256
    case p384
    case p521

    /// The length of a coordinate, and of each half of a signature, in bytes.
    public var width: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }
}

/// The kind of a key, which decides what it can sign with.
public enum KeyKind: Hashable, Sendable {
    /// RSA with a modulus of `bits`: 2048 to 16384.
    case rsa(bits: Int)
    case p256
    case p384
    case p521
    case ed25519

    /// The fewest bits of an RSA modulus, RFC 7518 section 3.3.
    public static let smallestRSA = 2048
    /// The most bits of an RSA modulus: libcrypto's limit, and a bound on the time of one verification.
    public static let largestRSA = 16384

    /// The curve, for the three kinds on a NIST curve; `nil` for the others.
    public var curve: EllipticCurve? {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        case .rsa, .ed25519: nil
        }
    }

    /// Creates the kind of key on `curve`.
    public init(_ curve: EllipticCurve) {
        self =
            switch curve {
            case .p256: .p256
            case .p384: .p384
            case .p521: .p521
            }
    }

    /// Returns whether a key of this kind can sign with `algorithm`.
    public func supports(_ algorithm: SignatureAlgorithm) -> Bool {
        switch (self, algorithm) {
        case (.rsa, .rs256), (.rsa, .rs384), (.rsa, .rs512), (.rsa, .ps256), (.rsa, .ps384), (.rsa, .ps512): true
        case (.p256, .es256), (.p384, .es384), (.p521, .es512), (.ed25519, .edDSA): true
        default: false
        }
    }

    /// The length of every signature of this kind, in bytes.
    public var signatureLength: Int {
        switch self {
        case .rsa(let bits): (bits + 7) / 8
        case .p256, .p384, .p521: 2 * (curve?.width ?? 0)
        case .ed25519: 64
        }
    }
}
