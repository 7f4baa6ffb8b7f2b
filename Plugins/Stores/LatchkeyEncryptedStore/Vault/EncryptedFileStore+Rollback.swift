public import Latchkey
import LatchkeyLocked

/// An older vault in place of a newer one.
extension EncryptedFileStore {
    /// Compares a vault with the newest that is remembered, and remembers it where it is newer. What is wrong with it, and
    /// whether it is not to be opened, by the policy; what this process has seen itself counts in any case.
    func trouble(withAgeOf header: VaultHeader) async -> (error: AuthError, isFatal: Bool)? {
        let mark = VaultMark(header)
        if let own = state.withLock({ $0.mark }), own.vault == mark.vault, Self.isOlder(mark, than: own) {
            return (Self.rolledBack(mark, behind: own), true)
        }
        guard options.rollback != .off else { return nil }
        var found: AuthError?
        for anchor in options.anchors {
            // One that cannot be asked says nothing, and keeps nobody out.
            let known = try? await anchor.mark(of: mark.vault)
            if let known = known ?? nil, Self.isOlder(mark, than: known) {
                found = Self.rolledBack(mark, behind: known)
            } else if (known ?? nil) != mark {
                try? await anchor.remember(mark)
            }
        }
        return found.map { ($0, options.rollback == .enforce) }
    }

    /// Remembers what was written.
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

    /// The last time that an older vault was opened, under ``RollbackPolicy/warn``; `nil`: none.
    public var lastRollback: AuthError? { rollback.withLock { $0 } }

    /// Takes the vault as it is for the newest one, as somebody does who has put a copy back on purpose.
    ///
    /// - Parameter generation: The one that the vault has now, as ``status()`` says it.
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` when it has another one.
    public func acceptRollback(generation: UInt64) async throws {
        let header = try status().header
        guard header.generation == generation else {
            throw AuthError(.configuration(.invalid), "the vault has the generation \(header.generation)")
        }
        await remember(VaultMark(header))
        rollback.withLock { $0 = nil }
    }
}
