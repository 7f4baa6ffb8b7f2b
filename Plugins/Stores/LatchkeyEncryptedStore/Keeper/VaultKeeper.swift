public import Latchkey

/// Holds the keys of vaults while they are open: in this process (``LocalKeeper``), or in an agent. It opens and seals;
/// the keys never leave it.
///
/// Everything that goes in and out is plain bytes, so that a keeper may be at the other end of a socket.
public protocol VaultKeeper: Sendable {
    /// Whether it holds the key of the vault.
    func isOpen(_ vault: VaultID) async -> Bool

    /// Tries `key` at a vault's file; from then on the vault is open.
    ///
    /// - Returns: The index of the slot that it opened.
    /// - Throws: ``/Latchkey/AuthError`` `refused(.wrongInput)` when the key opens none of its slots,
    ///   `store(.tampered)`, `store(.damaged)`, `store(.newerVersion)`.
    @discardableResult
    func open(_ file: [UInt8], with key: UnlockKey) async throws -> UInt16

    /// Forgets the key of the vault; `nil`: every key.
    func close(_ vault: VaultID?) async

    /// The records in a vault's file, in their form inside of it.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `locked` when it is not open; `store(.tampered)`, `store(.damaged)`,
    ///   `store(.newerVersion)`.
    func unseal(_ file: [UInt8]) async throws -> Secret

    /// The file of the next generation, with these records.
    ///
    /// - Parameters:
    ///   - records: Their form inside of a vault.
    ///   - head: The present file's ``VaultHeader/bytes``, whose code is checked.
    ///   - time: Milliseconds since 1970.
    func seal(_ records: Secret, after head: [UInt8], at time: UInt64) async throws -> [UInt8]

    /// The same as the given generation, which must be later than the head's: for a copy that is put back.
    func advance(_ records: Secret, after head: [UInt8], to generation: UInt64, at time: UInt64) async throws -> [UInt8]

    /// The file of the next generation with other slots, or another key.
    func change(_ change: VaultChange, of file: [UInt8], at time: UInt64) async throws -> [UInt8]

    /// The file of a new vault, which is open from then on.
    func create(_ slots: [NewSlot], suite: VaultSuite, at time: UInt64) async throws -> [UInt8]
}

/// A way to a vault's key that is to be added.
public struct NewSlot: Sendable {
    /// What shall open it: a passphrase, a recovery code, or a holder's key of 32 bytes.
    public var key: UnlockKey
    /// Under which name the holder keeps the key; for ``/Latchkey/UnlockKey/Kind/key(source:)`` alone.
    public var name: String
    /// What trying a passphrase costs.
    public var cost: ScryptCost

    /// A slot of its parts.
    public init(_ key: UnlockKey, name: String = "", cost: ScryptCost = .standard) {
        self.key = key
        self.name = name
        self.cost = cost
    }
}

/// What is changed about the ways to a vault's key.
public enum VaultChange: Sendable {
    /// One more.
    case add(NewSlot)
    /// Another one in place of the slot of that index: a changed passphrase, a higher cost.
    case replace(UInt16, by: NewSlot)
    /// The slot of that index goes. The last one stays.
    case remove(UInt16)
    /// The vault gets a new key, which former copies of slots do not open. Each slot is wrapped anew, for which its key is
    /// needed, or is dropped.
    case rekey([UInt16: UnlockKey], dropping: Set<UInt16>)
}
