import LatchkeySystem

/// Changes of the store that must not be shown while the gate is locked.
final class MissedChanges: Sendable {
    private static let limit = 1_024
    private let state = Locked((keys: Set<StoreKey>(), everything: false))

    /// Keeps a change until the gate opens. `nil` means that any record may have changed.
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

    /// Takes what was kept. `everything` means that any record may have changed.
    func take() -> (keys: Set<StoreKey>, everything: Bool) {
        state.withLock { state in
            defer { state = ([], false) }
            return state
        }
    }
}
