public import Latchkey

/// What a person is asked for.
public struct SecretRequest: Hashable, Sendable {
    /// What it is.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable {
        /// A passphrase.
        case passphrase
        /// A code that was printed once.
        case recoveryCode
        /// A few digits, which a key that cannot be copied checks.
        case pin
    }

    /// What is asked for.
    public var kind: Kind
    /// Why: one sentence in the person's language, without a full stop.
    public var reason: String

    /// A request of its parts.
    public init(_ kind: Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }
}

/// Shows a request and brings what the person types; `nil` when they say no. It ends with `CancellationError` when its task
/// is cancelled, and shows nothing then.
public typealias SecretAsking = @Sendable (SecretRequest) async throws -> Secret?
