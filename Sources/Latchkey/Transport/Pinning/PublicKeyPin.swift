import FoundationEssentials

/// The SHA-256 digest of a server's public key: of the `SubjectPublicKeyInfo` of its certificate, in DER
/// ([RFC 7469, section 2.4](https://www.rfc-editor.org/rfc/rfc7469#section-2.4)).
///
/// It stays the same when a certificate is renewed for the same key. It is public, not a secret.
public struct PublicKeyPin: Hashable, Sendable {
    /// The length of a digest, in bytes.
    public static let length = 32

    /// The digest.
    public let digest: [UInt8]

    /// Creates a pin of a digest.
    ///
    /// - Throws: `configuration(.invalid)` if `digest` does not have ``length`` bytes.
    public init(digest: [UInt8]) throws(AuthError) {
        guard digest.count == Self.length else {
            throw AuthError(
                .configuration(.invalid),
                "A pin is a SHA-256 digest of \(Self.length) bytes; this one has \(digest.count).")
        }
        self.digest = digest
    }

    /// Reads a pin in base64 with padding: 44 characters, as `latchkey doctor` and `openssl dgst -binary | base64`
    /// write it.
    ///
    /// - Throws: `configuration(.invalid)`; the message says what is wrong: libcurl's `sha256//` before it, a PEM
    ///   block, hexadecimal digits, another alphabet, or another length.
    public init(base64 text: String) throws(AuthError) {
        // Before decoding, because these are base64 too, of other lengths.
        if let complaint = Self.complaint(text) { throw AuthError(.configuration(.invalid), complaint) }
        // Encoding it again finds white space and bits that are set beyond the end: each digest has one text.
        guard let bytes = Data(base64Encoded: text), bytes.base64EncodedString() == text else {
            throw AuthError(
                .configuration(.invalid),
                "A pin is written in base64 with \"+\", \"/\" and padding, without white space.")
        }
        try self.init(digest: [UInt8](bytes))
    }

    /// Returns what is wrong with a text that is something else than a pin.
    private static func complaint(_ text: String) -> String? {
        if text.hasPrefix("sha256/") || text.hasPrefix("sha256=") {
            return "A pin is written without the name of its hash: leave out \"sha256/\"."
        }
        if text.hasPrefix("-----BEGIN") { return "A pin is the digest of a key, not a PEM block." }
        if text.utf8.count == 2 * length, text.allSatisfy(\.isHexDigit) {
            return "A pin is written in base64, not in hexadecimal digits."
        }
        return nil
    }
}

extension PublicKeyPin: CustomStringConvertible {
    /// The digest in base64, 44 characters.
    public var base64: String { Data(digest).base64EncodedString() }

    /// The digest in base64.
    public var description: String { base64 }
}
