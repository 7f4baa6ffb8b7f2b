public import Latchkey
import LatchkeyLocked

/// Detection of an older vault in place of a newer one.
extension EncryptedFileStore {
    /// Compares a vault with the newest remembered one, and remembers it if it is newer. Returns the error, and
    /// whether the policy forbids opening the vault. A vault older than one that this process has seen is never
    /// opened.
    func trouble(withAgeOf header: VaultHeader) async -> (error: AuthError, isFatal: Bool)? {
        let mark = VaultMark(header)
        if let own = state.withLock({ $0.mark }), own.vault == mark.vault, Self.isOlder(mark, than: own) {
            return (Self.rolledBack(mark, behind: own), true)
        }
        guard options.rollback != .off else { return nil }
        var found: AuthError?
        for anchor in options.anchors {
            // An anchor that cannot be asked is skipped, and does not keep the vault closed.
            let known = try? await anchor.mark(of: mark.vault)
            if let known = known ?? nil, Self.isOlder(mark, than: known) {
                found = Self.rolledBack(mark, behind: known)
            } else if (known ?? nil) != mark {
                try? await anchor.remember(mark)
            }
        }
        return found.map { ($0, options.rollback == .enforce) }
    }

    /// Remembers the mark of a vault that was written.
    func remember(_ mark: VaultMark) async {
        state.withLock { $0.mark = mark }
        guard options.rollback != .off else { return }
        for anchor in options.anchors { try? await anchor.remember(mark) }
    }

    private static func isOlder(_ mark: VaultMark, than known: VaultMark) -> Bool {
        mark.generation < known.generation || (mark.generation == known.generation && mark.digest != known.digest)
    }

    private static func rolledBack(_ mark: VaultMark, behind known: VaultMark) -> AuthError {
        AuthError(
            .store(.rolledBack),
            "the vault has the generation \(mark.generation), and \(known.generation) was seen before")
    }

    /// The error of the last older vault that was opened under ``RollbackPolicy/warn``; `nil` if there was none.
    public var lastRollback: AuthError? { rollback.withLock { $0 } }

    /// Accepts the present vault as the newest one. Call it after you have restored an older file on purpose.
    ///
    /// - Parameter generation: The vault's present generation, from ``status()``.
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` when the vault has another generation.
    public func acceptRollback(generation: UInt64) async throws {
        let header = try status().header
        guard header.generation == generation else {
            throw AuthError(.configuration(.invalid), "the vault has the generation \(header.generation)")
        }
        await remember(VaultMark(header))
        rollback.withLock { $0 = nil }
    }
}
