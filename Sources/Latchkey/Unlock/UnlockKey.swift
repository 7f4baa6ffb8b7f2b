/// A key that opens a ``LockableStore``, and its kind.
public struct UnlockKey: Sendable {
    /// The kind of a key.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// A passphrase that a person remembers. The store stretches it before use.
        case passphrase
        /// A code that was printed once and is kept somewhere safe.
        case recoveryCode
        /// 32 random bytes kept by `source`: ``KeyHolder/source``.
        case key(source: String)
    }

    /// The kind of key.
    public var kind: Kind
    /// The key itself.
    public var secret: Secret

    /// Creates a key.
    public init(_ kind: Kind, _ secret: Secret) {
        self.kind = kind
        self.secret = secret
    }
}
