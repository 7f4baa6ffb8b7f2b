public import Latchkey

/// Holds the keys of vaults while they are open, in this process (``LocalKeeper``) or in an agent. A keeper opens
/// and seals vaults itself; it never gives out a key.
///
/// All arguments and results are plain bytes, so that a keeper can be at the other end of a socket.
public protocol VaultKeeper: Sendable {
    /// Returns whether the keeper holds the key of the vault.
    func isOpen(_ vault: VaultID) async -> Bool

    /// Tries `key` on a vault's file, and keeps the vault open if it fits.
    ///
    /// - Returns: The index of the slot that `key` opened.
    /// - Throws: ``/Latchkey/AuthError`` `refused(.wrongInput)` when the key opens none of its slots,
    ///   `store(.tampered)`, `store(.damaged)`, `store(.newerVersion)`.
    @discardableResult
    func open(_ file: [UInt8], with key: UnlockKey) async throws -> UInt16

    /// Forgets the key of the vault, or every key if `vault` is `nil`.
    func close(_ vault: VaultID?) async

    /// Decrypts the records in a vault's file, in their form inside a vault.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `locked` when the vault is not open; `store(.tampered)`,
    ///   `store(.damaged)`, `store(.newerVersion)`.
    func unseal(_ file: [UInt8]) async throws -> Secret

    /// Returns the file of the next generation, with these records.
    ///
    /// - Parameters:
    ///   - records: The records, in their form inside a vault.
    ///   - head: The present file's ``VaultHeader/bytes``. Their code is checked.
    ///   - time: The time of the change, in milliseconds since 1970.
    func seal(_ records: Secret, after head: [UInt8], at time: UInt64) async throws -> [UInt8]

    /// Does the same as ``seal(_:after:at:)`` for a given generation, which must be later than the head's. For
    /// restoring a copy.
    func advance(_ records: Secret, after head: [UInt8], to generation: UInt64, at time: UInt64) async throws -> [UInt8]

    /// Returns the file of the next generation with other slots or another key.
    func change(_ change: VaultChange, of file: [UInt8], at time: UInt64) async throws -> [UInt8]

    /// Returns the file of a new vault, and keeps the vault open.
    func create(_ slots: [NewSlot], suite: VaultSuite, at time: UInt64) async throws -> [UInt8]
}

/// A new way to open a vault.
public struct NewSlot: Sendable {
    /// The key that opens the slot: a passphrase, a recovery code, or a holder's key of 32 bytes.
    public var key: UnlockKey
    /// The name under which the holder keeps the key. Only for ``/Latchkey/UnlockKey/Kind/key(source:)``.
    public var name: String
    /// The cost of each try at a passphrase.
    public var cost: ScryptCost

    /// Creates a slot.
    public init(_ key: UnlockKey, name: String = "", cost: ScryptCost = .standard) {
        self.key = key
        self.name = name
        self.cost = cost
    }
}

/// A change of the ways to open a vault.
public enum VaultChange: Sendable {
    /// Adds a slot.
    case add(NewSlot)
    /// Replaces the slot with that index, such as for a changed passphrase or a higher cost.
    case replace(UInt16, by: NewSlot)
    /// Removes the slot with that index. The last slot cannot be removed.
    case remove(UInt16)
    /// Gives the vault a new key, which earlier copies of the slots do not open. Give the key of each slot that
    /// stays, so that it can be wrapped anew, and the indices of the slots to drop.
    case rekey([UInt16: UnlockKey], dropping: Set<UInt16>)
}
