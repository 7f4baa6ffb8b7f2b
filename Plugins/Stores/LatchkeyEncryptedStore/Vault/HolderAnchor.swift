public import Latchkey

/// Remembers the newest state of vaults with a holder of keys that takes 56 bytes, such as the kernel's keyring: until the
/// machine is started anew, an old copy of the vault does not bring that back.
public struct HolderAnchor: RollbackAnchor {
    private let holder: any KeyHolder

    /// An anchor at `holder`.
    public init(_ holder: any KeyHolder) { self.holder = holder }

    /// What the holder has. Something else under the name counts as nothing.
    public func mark(of vault: VaultID) async throws -> VaultMark? {
        try await holder.key(name(of: vault)).flatMap { VaultMark($0.reveal()) }
    }

    /// Keeps the mark in place of the former one.
    public func remember(_ mark: VaultMark) async throws {
        try await holder.keep(Secret(mark.bytes), under: name(of: mark.vault))
    }

    private func name(of vault: VaultID) -> String { "vault-\(vault)" }
}
