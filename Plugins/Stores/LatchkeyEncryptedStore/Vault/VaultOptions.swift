/// What an ``EncryptedFileStore`` does by itself.
public struct VaultOptions: Sendable {
    /// What a new vault is encrypted with.
    public var suite: VaultSuite
    /// What trying a passphrase costs. A slot that costs less is renewed when its passphrase has opened it.
    public var cost: ScryptCost
    /// The fewest characters of a new passphrase, at least 1. A few digits are none: whoever copies the file tries them all.
    public var shortestPassphrase: Int
    /// Whether a vault is made with the first key that opens it. Without, ``EncryptedFileStore/initialise(with:)`` has to
    /// be called, which an app does that gives its user a recovery code.
    public var isMadeWhenFirstOpened: Bool
    /// What becomes of an older vault in place of a newer one.
    public var rollback: RollbackPolicy
    /// Where else the newest generation is remembered, beside this process's memory.
    public var anchors: [any RollbackAnchor]
    /// Whether the vault may end with this machine: then it needs no passphrase and no recovery code.
    public var isEphemeral: Bool

    /// Options.
    public init(
        suite: VaultSuite = .aes256GCM, cost: ScryptCost = .standard, shortestPassphrase: Int = 8,
        isMadeWhenFirstOpened: Bool = false, rollback: RollbackPolicy = .warn, anchors: [any RollbackAnchor] = [],
        isEphemeral: Bool = false
    ) {
        self.suite = suite
        self.cost = cost
        self.shortestPassphrase = max(1, shortestPassphrase)
        self.isMadeWhenFirstOpened = isMadeWhenFirstOpened
        self.rollback = rollback
        self.anchors = anchors
        self.isEphemeral = isEphemeral
    }
}
