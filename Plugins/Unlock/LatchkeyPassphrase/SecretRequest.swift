public import Latchkey

/// A request for something secret that a person types.
public struct SecretRequest: Hashable, Sendable {
    /// The kind of secret.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable {
        /// A passphrase.
        case passphrase
        /// A recovery code, which was printed once.
        case recoveryCode
        /// A few digits, checked by a key that cannot be copied.
        case pin
    }

    /// The kind of secret.
    public var kind: Kind
    /// The reason, to show to the person: one sentence in their language, without a full stop.
    public var reason: String
    /// Whether the person chooses it now, and should type it twice.
    public var isNew: Bool

    /// Creates a request.
    public init(_ kind: Kind, reason: String, isNew: Bool = false) {
        self.kind = kind
        self.reason = reason
        self.isNew = isNew
    }
}

/// Shows a request and returns what the person types; `nil` if they say no. When its task is cancelled, it throws
/// `CancellationError` and shows nothing more.
public typealias SecretAsking = @Sendable (SecretRequest) async throws -> Secret?
