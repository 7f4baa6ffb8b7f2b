import LatchkeySystem

/// The line of the refreshes that the engine does by itself, so that a process with many accounts
/// does not send all of them at once. Callers that wait for a token are not in it, and are not held
/// up by it.
final class RefreshQueue: Sendable {
    /// How many may run at once.
    static let limit = 64

    private struct State {
        var running = 0
        var waiting: [AccountID] = []
        /// The index of the first in line. Those before it have had their turn.
        var head = 0
        /// The accounts in the line, so that none is in it twice.
        var members: Set<AccountID> = []
    }

    private let state = Locked(State())

    /// Takes a place for `account` if one is free. If not, the account waits in line until
    /// ``leave()`` returns it.
    func enter(_ account: AccountID) -> Bool {
        state.withLock { state in
            if state.running < Self.limit {
                state.running += 1
                return true
            }
            if state.members.insert(account).inserted { state.waiting.append(account) }
            return false
        }
    }

    /// Hands the place on to the next in line, and returns it. If none waits, frees the place and
    /// returns `nil`.
    func leave() -> AccountID? {
        state.withLock { state in
            guard state.head < state.waiting.count else {
                state.running -= 1
                (state.waiting, state.head) = ([], 0)
                return nil
            }
            let next = state.waiting[state.head]
            state.head += 1
            state.members.remove(next)
            if state.head > 1_024, state.head * 2 > state.waiting.count {
                state.waiting.removeFirst(state.head)
                state.head = 0
            }
            return next
        }
    }

    /// Empties the line.
    func close() {
        state.withLock { state in (state.waiting, state.head, state.members) = ([], 0, []) }
    }
}
