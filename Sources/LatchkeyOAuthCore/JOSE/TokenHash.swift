public import Latchkey
public import LatchkeyCrypto

/// The hash by which an ID token refers to another token, OpenID Connect Core 1.0 section 3.1.3.6 (`at_hash`) and
/// section 3.3.2.11 (`c_hash`).
public enum TokenHash {
    /// The left half of the hash of `token`, as base64url.
    ///
    /// The hash is the one of the ID token's algorithm; for EdDSA, of which the specification does not speak, SHA-512,
    /// which Ed25519 hashes with and which servers use.
    public static func leftHalf(of token: Secret, algorithm: SignatureAlgorithm) -> String {
        let digest = Hash.digest(token.reveal(), algorithm.hash ?? .sha512)
        return Base64URL.encode(Array(digest.prefix(digest.count / 2)))
    }
}
