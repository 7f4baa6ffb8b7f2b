/// The options of an ``EncryptedFileStore``.
public struct VaultOptions: Sendable {
    /// The cipher of new vaults.
    public var suite: VaultSuite
    /// The cost of each try at a passphrase. A slot with a lower cost is renewed when its passphrase opens it.
    public var cost: ScryptCost
    /// The fewest characters of a new passphrase, at least 1. Do not allow a few digits: someone who copies the
    /// file can try them all.
    public var shortestPassphrase: Int
    /// Whether the first key that opens the store makes the vault. If not, call
    /// ``EncryptedFileStore/initialise(with:)``, for example to give the person a recovery code from the start.
    public var isMadeWhenFirstOpened: Bool
    /// What the store does when it finds an older vault in place of a newer one.
    public var rollback: RollbackPolicy
    /// The places that remember the newest generation in addition to this process's memory.
    public var anchors: [any RollbackAnchor]
    /// Whether the vault may be lost with this machine. Then it needs neither a passphrase nor a recovery code.
    public var isEphemeral: Bool

    /// Creates options.
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
