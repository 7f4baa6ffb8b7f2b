/// A hash function of FIPS 180-4.
public enum HashAlgorithm: Hashable, Sendable, CaseIterable {
    case sha256
    case sha384
    case sha512

    /// The length of a digest, in bytes.
    public var length: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}

/// Digests of bytes in memory, FIPS 180-4.
public enum Hash {
    /// Returns the digest of `bytes`, ``HashAlgorithm/length`` bytes long.
    public static func digest(_ bytes: [UInt8], _ algorithm: HashAlgorithm = .sha256) -> [UInt8] {
        Backend.digest(bytes, algorithm)
    }
}
