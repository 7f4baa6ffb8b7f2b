/// What a vault tells without its key: who it is, how often it was written, what opens it. Only the key shows whether it
/// is true.
public struct VaultHeader: Hashable, Sendable {
    /// What it is encrypted with.
    public let suite: VaultSuite
    /// Its name for life.
    public let id: VaultID
    /// How often it was written, from 1.
    public let generation: UInt64
    /// How often its key was changed, from 1.
    public let epoch: UInt32
    /// When it was written, in milliseconds since 1970: for people.
    public let writtenAt: UInt64
    /// What opens it, 1 to 16.
    public let slots: [VaultSlot]
    /// The size of the encrypted part, in bytes.
    public let bodySize: Int
    /// The code of the header under the vault's key.
    let code: [UInt8]
    /// Prefix and slots, as they stand in the file.
    let authenticated: [UInt8]

    /// Prefix, slots and code, as they stand in the file: enough to write the next generation.
    public var bytes: [UInt8] { authenticated + code }
}
