public import Latchkey

/// Remembers the newest state of vaults in a key holder that takes 56 bytes, such as the kernel's keyring.
/// Restoring an old copy of the vault does not restore that memory, which lasts until the machine restarts.
public struct HolderAnchor: RollbackAnchor {
    private let holder: any KeyHolder

    /// Creates an anchor that keeps its marks in `holder`.
    public init(_ holder: any KeyHolder) { self.holder = holder }

    /// Returns the mark that the holder has. Anything else under the name counts as no mark.
    public func mark(of vault: VaultID) async throws -> VaultMark? {
        try await holder.key(name(of: vault)).flatMap { VaultMark($0.reveal()) }
    }

    /// Keeps the mark in place of the previous one.
    public func remember(_ mark: VaultMark) async throws {
        try await holder.keep(Secret(mark.bytes), under: name(of: mark.vault))
    }

    private func name(of vault: VaultID) -> String { "vault-\(vault)" }
}
