import LatchkeyLocked

/// Changes of the store that must not be shown while the gate is locked.
final class MissedChanges: Sendable {
    private static let limit = 1_024
    private let state = Locked((keys: Set<StoreKey>(), everything: false))

    /// Keeps a change for when the gate opens; `nil`: of every record.
    func note(_ key: StoreKey?) {
        state.withLock { state in
            if let key, state.keys.count < Self.limit {
                state.keys.insert(key)
            } else {
                state.everything = true
            }
        }
    }

    var isEmpty: Bool { state.withLock { $0.keys.isEmpty && !$0.everything } }

    /// What was kept; `everything`: more than could be.
    func take() -> (keys: Set<StoreKey>, everything: Bool) {
        state.withLock { state in
            defer { state = ([], false) }
            return state
        }
    }
}
