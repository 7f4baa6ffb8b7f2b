public import Latchkey
import LatchkeySystem

/// Detection of an older vault in place of a newer one.
extension EncryptedFileStore {
    /// Compares a vault with the newest remembered one, and remembers it if it is newer. Returns the error, and
    /// whether the policy forbids opening the vault. A vault older than one that this process has seen, and another one
    /// than was remembered, is never opened: who made it may have its key.
    func trouble(withAgeOf header: VaultHeader) async -> (error: AuthError, isFatal: Bool)? {
        let mark = VaultMark(header)
        if let own = state.withLock({ $0.mark }), own.vault == mark.vault, Self.isOlder(mark, than: own) {
            return (Self.rolledBack(mark, behind: own), true)
        }
        guard options.rollback != .off else { return nil }
        var found: (error: AuthError, isFatal: Bool)?
        for anchor in options.anchors {
            switch await comparison(of: mark, with: anchor) {
            case .same, .unasked: break
            case .newer: try? await anchor.remember(mark, of: directory)
            case .older(let known):
                found = found ?? (Self.rolledBack(mark, behind: known), options.rollback == .enforce)
            case .other: found = (otherVault, true)
            case .untold(let error): found = found ?? (Self.untold(error), options.rollback == .enforce)
            }
        }
        return found
    }

    /// Remembers the mark of a vault that was written.
    ///
    /// - Parameter isIntended: Whether a person, or the app, has put this vault in the place of any other. If not, a mark
    ///   is never replaced by an older one, by another vault's, or while it is damaged: the next reading warns again.
    func remember(_ mark: VaultMark, isIntended: Bool) async {
        state.withLock { $0.mark = mark }
        guard options.rollback != .off else { return }
        for anchor in options.anchors {
            if !isIntended, await !comparison(of: mark, with: anchor).isNewer { continue }
            try? await anchor.remember(mark, of: directory)
        }
    }

    /// How a vault stands to what an anchor remembers.
    private enum Comparison {
        case same, newer, older(VaultMark), other
        /// The anchor cannot be asked, and does not keep the vault closed.
        case unasked
        /// What the anchor remembers is damaged, or somebody else's.
        case untold(AuthError)

        var isNewer: Bool { if case .newer = self { true } else { false } }
    }

    private func comparison(of mark: VaultMark, with anchor: any RollbackAnchor) async -> Comparison {
        do {
            guard let known = try await anchor.mark(of: directory) else { return .newer }
            if known.vault != mark.vault { return .other }
            if Self.isOlder(mark, than: known) { return .older(known) }
            return known == mark ? .same : .newer
        } catch {
            let error = AuthError(error)
            return error.isAlarm ? .untold(error) : .unasked
        }
    }

    private static func isOlder(_ mark: VaultMark, than known: VaultMark) -> Bool {
        mark.generation < known.generation || (mark.generation == known.generation && mark.digest != known.digest)
    }

    private static func rolledBack(_ mark: VaultMark, behind known: VaultMark) -> AuthError {
        AuthError(
            .store(.rolledBack),
            "the vault has the generation \(mark.generation), and \(known.generation) was seen before")
    }

    private var otherVault: AuthError {
        AuthError(.store(.rolledBack), "\(path(Self.vaultName)) is another vault than the one that was there before")
    }

    private static func untold(_ error: AuthError) -> AuthError {
        AuthError(
            .store(.rolledBack), "whether the vault is the newest one cannot be told: \(error.message)")
    }

    /// The error of the last vault that was opened under ``RollbackPolicy/warn`` though it is older, or may be; `nil` if
    /// there was none.
    public var lastRollback: AuthError? { rollback.withLock { $0 } }

    /// Accepts the present vault as the newest one, whatever was remembered. Call it after you have restored an older file
    /// on purpose.
    ///
    /// - Parameter generation: The vault's present generation, from ``status()``.
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` when the vault has another generation.
    public func acceptRollback(generation: UInt64) async throws {
        let header = try status().header
        guard header.generation == generation else {
            throw AuthError(.configuration(.invalid), "the vault has the generation \(header.generation)")
        }
        let mark = VaultMark(header)
        state.withLock { $0.mark = mark }
        for anchor in options.anchors { try await anchor.remember(mark, of: directory) }
        rollback.withLock { $0 = nil }
    }
}

extension AuthError {
    /// Whether somebody may have changed what an anchor remembers. If not, the anchor cannot be asked just now.
    fileprivate var isAlarm: Bool { code == .store(.damaged) || code == .store(.insecurePermissions) }
}
