// Declarations in the shape of CryptoKit's and swift-crypto's, as far as Beside.swift uses them.

/// In the shape of CryptoKit's.
public protocol HashFunction {}

/// In the shape of CryptoKit's.
public struct SHA256: HashFunction {}

/// In the shape of CryptoKit's.
public struct SymmetricKey {
    /// A key of these bytes.
    public init(data: [UInt8]) {}
}

/// In the shape of CryptoKit's.
public struct HMAC<H: HashFunction> {
    /// An HMAC under a key.
    public init(key: SymmetricKey) {}
}

/// In the shape of CryptoKit's.
public struct HKDF<H: HashFunction> {
    /// A key derived from another.
    public static func expand(pseudoRandomKey key: [UInt8], outputByteCount: Int) -> SymmetricKey {
        SymmetricKey(data: key)
    }
}
