/// What can be read of a vault without its key: its ID, how often it was written, what opens it. Only the key can
/// prove that it is genuine.
public struct VaultHeader: Hashable, Sendable {
    /// The cipher of the vault.
    public let suite: VaultSuite
    /// The vault's ID, which never changes.
    public let id: VaultID
    /// How many times the vault was written, from 1.
    public let generation: UInt64
    /// The number of the vault's key, from 1. Each ``VaultChange/rekey(_:dropping:)`` adds one.
    public let epoch: UInt32
    /// When the vault was written, in milliseconds since 1970. For display only.
    public let writtenAt: UInt64
    /// The ways to open the vault, 1 to 16.
    public let slots: [VaultSlot]
    /// The size of the encrypted part, in bytes.
    public let bodySize: Int
    /// The header's HMAC under the vault's key.
    let code: [UInt8]
    /// The prefix and slots, as they stand in the file.
    let authenticated: [UInt8]

    /// The prefix, slots and code, as they stand in the file: enough to write the next generation.
    public var bytes: [UInt8] { authenticated + code }
}
