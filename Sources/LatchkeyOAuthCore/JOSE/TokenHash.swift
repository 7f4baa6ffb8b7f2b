public import Latchkey
public import LatchkeyCrypto

/// The hash by which an ID token refers to another token, OpenID Connect Core 1.0 section 3.1.3.6 (`at_hash`) and
/// section 3.3.2.11 (`c_hash`).
public enum TokenHash {
    /// Returns the left half of the hash of `token`, as base64url.
    ///
    /// The hash function is that of the ID token's algorithm. The specification does not mention
    /// EdDSA; for it, the hash is SHA-512, which Ed25519 uses and which servers use.
    public static func leftHalf(of token: Secret, algorithm: SignatureAlgorithm) -> String {
        let digest = Hash.digest(token.reveal(), algorithm.hash ?? .sha512)
        return Base64URL.encode(Array(digest.prefix(digest.count / 2)))
    }
}
