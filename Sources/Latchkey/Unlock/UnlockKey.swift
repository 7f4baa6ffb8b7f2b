/// A key that opens a ``LockableStore``, and what it is.
public struct UnlockKey: Sendable {
    /// What a key is.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// What a person remembers. The store stretches it before use.
        case passphrase
        /// A code that was printed once, and is kept somewhere safe.
        case recoveryCode
        /// 32 random bytes that `source` keeps: ``KeyHolder/source``.
        case key(source: String)
    }

    /// What it is.
    public var kind: Kind
    /// The key itself.
    public var secret: Secret

    /// A key of its parts.
    public init(_ kind: Kind, _ secret: Secret) {
        self.kind = kind
        self.secret = secret
    }
}
