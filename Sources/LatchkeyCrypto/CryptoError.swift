/// Why a cryptographic operation was refused. The error never contains a key, a passphrase, a
/// signature or a message.
public struct CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    @nonexhaustive
    public enum Code: String, Hashable, Sendable {
        /// The algorithm does not fit this kind of key.
        case keyMismatch
        /// The key is not valid: wrong encoding, wrong length, a point off the curve, an even exponent.
        case invalidKey
        /// The key is well formed but too small to be trusted.
        case weakKey
        /// This module does not support this kind of key.
        case unsupportedKey
        /// The algorithm does not allow this length of nonce, salt or output.
        case invalidLength
        /// A cost parameter is outside the algorithm's range.
        case invalidParameter
        /// The operation would take more memory than the caller allowed.
        case memoryLimit
        /// The ciphertext, its tag, the key, the nonce or the authenticated bytes do not belong together.
        case authentication
        /// The text is not in the strict form of its encoding.
        case invalidEncoding
        /// The platform's library does not offer the algorithm, or failed.
        case unavailable
    }

    /// What is wrong.
    public var code: Code
    /// One sentence for a log, without secrets.
    public var reason: String

    /// Creates an error.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Code and reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}
