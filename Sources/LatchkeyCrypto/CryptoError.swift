/// Why a cryptographic operation was refused. Never holds a key, a passphrase, a signature or a message.
public struct CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    @nonexhaustive
    public enum Code: String, Hashable, Sendable {
        /// The algorithm does not go with this kind of key.
        case keyMismatch
        /// The key is none: wrong encoding, wrong length, a point off the curve, an even exponent.
        case invalidKey
        /// The key is well formed and too small to be trusted.
        case weakKey
        /// The key is of a kind that this module does not use.
        case unsupportedKey
        /// A nonce, salt or output has a length that the algorithm does not take.
        case invalidLength
        /// A cost parameter is outside of what the algorithm takes.
        case invalidParameter
        /// The operation would take more memory than the caller allowed.
        case memoryLimit
        /// The ciphertext, its tag, the key, the nonce or the authenticated bytes do not belong together.
        case authentication
        /// Text that is not in the strict form of its encoding.
        case invalidEncoding
        /// The platform's library does not offer the algorithm, or failed inside.
        case unavailable
    }

    /// What is wrong.
    public var code: Code
    /// One sentence for a log, without content.
    public var reason: String

    /// Describes a refusal.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Code and reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}
