public import Latchkey
import LatchkeySystem
import LatchkeyPluginKit

/// The ways to open a vault, and changes of them. Each change writes the vault anew.
extension EncryptedFileStore {
    /// Adds a way to open the vault, which must be open.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `locked`, `configuration(.invalid)`, a `store` code.
    public func addSlot(_ slot: NewSlot) async throws {
        try check(slot)
        try await change { _ in .add(slot) }
    }

    /// Removes the slot with that index. The slot still opens copies of the vault that were made before. If that
    /// matters, give the vault a new key with ``rekey(with:dropping:)``.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` for the last slot, and for the last passphrase
    ///   or recovery code, unless the vault is ephemeral.
    public func removeSlot(_ index: UInt16) async throws {
        try await change { [options] header in
            let rest = header.slots.filter { $0.index != index }
            guard rest.contains(where: \.survivesMachine) || options.isEphemeral || rest.isEmpty else {
                throw AuthError(
                    .configuration(.invalid),
                    "nobody could open the vault without this machine: add a passphrase or a recovery code first")
            }
            return .remove(index)
        }
    }

    /// Replaces the slot with that index, such as for a changed passphrase.
    public func replaceSlot(_ index: UInt16, by slot: NewSlot) async throws {
        try check(slot)
        try await change { _ in .replace(index, by: slot) }
    }

    /// Gives the vault a new key, after a leak or to lock out a removed slot for good. Wraps every slot anew.
    ///
    /// - Parameters:
    ///   - keys: The key of each slot that stays.
    ///   - dropping: The indices of the slots to remove.
    /// - Throws: ``/Latchkey/AuthError`` `refused(.other)`, naming the slots that are in neither argument; then
    ///   nothing has changed.
    public func rekey(with keys: [UInt16: UnlockKey], dropping: Set<UInt16> = []) async throws {
        try await change { _ in .rekey(keys, dropping: dropping) }
    }

    /// Refuses a PIN, or a passphrase as short as one: someone who copies the file would guess it.
    func check(_ slot: NewSlot) throws {
        guard slot.key.kind == .passphrase else { return }
        // Count characters: continuation bytes of UTF-8 begin none.
        let count = slot.key.secret.withBytes { bytes in bytes.count { $0 & 0xC0 != 0x80 } }
        guard count >= options.shortestPassphrase else {
            throw AuthError(
                .configuration(.invalid),
                "the passphrase has \(count) characters, and a vault takes \(options.shortestPassphrase) or more")
        }
    }

    private func change(_ change: @Sendable (VaultHeader) throws -> VaultChange) async throws {
        try await commits.run(in: try existing(), making: existing) { place, lock in
            try prepare(place)
            let cache = try await loaded(in: place)
            guard let bytes = try file(in: place) else { throw Self.absent(directory) }
            let sealed = try await keeper.change(try change(cache.header), of: bytes, at: now)
            try await put(sealed, cache.body, in: place, under: lock)
        }
    }

    /// Renews the slot that a passphrase has opened, if its cost is below the present one. A failure changes
    /// nothing and is ignored.
    func raiseCost(of slot: UInt16, _ key: UnlockKey, _ header: VaultHeader) async {
        guard key.kind == .passphrase, let found = header.slots.first(where: { $0.index == slot }),
            case .passphrase(let cost) = found.kind, cost.logN < options.cost.logN
        else { return }
        try? await change { [options] _ in .replace(slot, by: NewSlot(key, cost: options.cost)) }
    }
}
