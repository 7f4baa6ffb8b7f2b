import LatchkeyCrypto

/// The cipher of a vault or a sealed record. Both ciphers take keys of 32 bytes, and use HKDF and HMAC over
/// SHA-256.
public enum VaultSuite: UInt8, CaseIterable, Hashable, Sendable {
    /// AES-256-GCM (NIST SP 800-38D), the default.
    case aes256GCM = 1
    /// ChaCha20-Poly1305 (RFC 8439), for processors without AES instructions.
    case chaCha20Poly1305 = 2

    var algorithm: AEAD.Algorithm {
        switch self {
        case .aes256GCM: .aes256GCM
        case .chaCha20Poly1305: .chaCha20Poly1305
        }
    }
}
