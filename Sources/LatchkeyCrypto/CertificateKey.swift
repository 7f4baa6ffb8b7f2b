/// The public key in an X.509 certificate.
public enum CertificateKey {
    /// Returns the SHA-256 digest of a certificate's `SubjectPublicKeyInfo` in DER, 32 bytes: its pin (RFC 7469,
    /// section 2.4).
    ///
    /// Of the certificate nothing is verified, and the key may be of any kind.
    ///
    /// - Parameter pem: A `CERTIFICATE` block, RFC 7468 section 5, of at most 64 KiB. Of several, the first counts.
    /// - Throws: ``CryptoError`` with code `invalidKey` if it is none, or holds no key.
    public static func digest(pem: String) throws(CryptoError) -> [UInt8] {
        guard let key = KeyHandle.certificateKey(pem: pem) else {
            throw CryptoError(.invalidKey, "the text is no certificate with a public key")
        }
        return Hash.digest(key)
    }
}
