import LatchkeyLocked

/// Answers that wait for a release. Each waits in a task of the server, so there are at most as many as connections.
final class HeldAnswers: Sendable {
    private struct State {
        var waiting: [CheckedContinuation<Bool, Never>] = []
        var isClosed = false
    }

    private let state = Locked(State())

    /// How many wait.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Waits for a release; `false` when the server stops instead.
    func wait() async -> Bool {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.waiting.append(continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume(returning: false) }
        }
    }

    /// Lets the oldest `limit` go, all when `nil`, and tells how many those were.
    func release(_ limit: Int?) -> Int {
        let released = state.withLock { state in
            let count = min(max(0, limit ?? .max), state.waiting.count)
            defer { state.waiting.removeFirst(count) }
            return Array(state.waiting.prefix(count))
        }
        for continuation in released { continuation.resume(returning: true) }
        return released.count
    }

    /// Lets all go without an answer, and holds no more.
    func close() {
        let released = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in released { continuation.resume(returning: false) }
    }
}
