public import Latchkey
import LatchkeyCrypto

/// Remembers the newest state of vaults in a key holder that takes 56 bytes, such as the kernel's keyring.
/// Restoring an old copy of the vault does not restore that memory, which lasts until the machine restarts.
public struct HolderAnchor: RollbackAnchor {
    private let holder: any KeyHolder

    /// Creates an anchor that keeps its marks in `holder`.
    public init(_ holder: any KeyHolder) { self.holder = holder }

    /// Returns the mark that the holder has.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)` for anything else under its name; what the holder throws.
    public func mark(of directory: String) async throws -> VaultMark? {
        guard let kept = try await holder.key(name(of: directory)) else { return nil }
        guard let mark = VaultMark(kept.reveal()) else {
            throw AuthError(.store(.damaged), "the mark of the vault in \(directory) is damaged")
        }
        return mark
    }

    /// Keeps the mark in place of the previous one.
    public func remember(_ mark: VaultMark, of directory: String) async throws {
        try await holder.keep(Secret(mark.bytes), under: name(of: directory))
    }

    private func name(of directory: String) -> String {
        "vault-\(VaultID(Array(Checksum.sha256(Array(directory.utf8)).prefix(16))))"
    }
}
