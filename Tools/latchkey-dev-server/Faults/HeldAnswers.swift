import LatchkeySystem

/// Answers that wait to be released.
final class HeldAnswers: Sendable {
    /// The most answers that wait. The server accepts more connections than that, so a release still gets through.
    static let capacity = 200

    private struct State {
        var waiting: [CheckedContinuation<Bool, Never>] = []
        var isClosed = false
    }

    private let state = Locked(State())

    /// The number of answers that wait.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Waits for a release; `false` if the server stops first, or too many wait already.
    func wait() async -> Bool {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                guard !state.isClosed, state.waiting.count < Self.capacity else { return false }
                state.waiting.append(continuation)
                return true
            }
            if !isHeld { continuation.resume(returning: false) }
        }
    }

    /// Releases the oldest `limit`, or all if `nil`, with or without an answer, and returns their number.
    func release(_ limit: Int?, answered: Bool = true) -> Int {
        let released = state.withLock { state in
            let count = min(max(0, limit ?? .max), state.waiting.count)
            defer { state.waiting.removeFirst(count) }
            return Array(state.waiting.prefix(count))
        }
        for continuation in released { continuation.resume(returning: answered) }
        return released.count
    }

    /// Releases all without an answer, and holds no more.
    func close() {
        let released = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in released { continuation.resume(returning: false) }
    }
}
