import LatchkeySystem

/// Work of the engine that several callers wait for. Cancelling a caller ends its wait and nothing else.
final class Flight<Value: Sendable>: Sendable {
    /// Changed in place: with a thousand waiting, copying the list for each would take longer than the work.
    private struct State {
        var result: Result<Value, AuthError>?
        var waiting: [Int: Waiting] = [:]
        var next = 0
        var isLate = false

        mutating func ticket() -> Int {
            defer { next += 1 }
            return next
        }
    }

    private struct Waiting {
        var continuation: CheckedContinuation<Result<Value, AuthError>, Never>
        /// When the wait began; `nil` if it has no limit.
        var since: MonotonicInstant?
    }

    private let state = Locked(State())

    init() {}

    /// Whether ``dismiss(waitingSince:with:)`` was called before the flight landed.
    var isLate: Bool { state.withLock { $0.isLate } }

    /// When the longest of the present waits with a limit began.
    var firstWaiting: MonotonicInstant? { state.withLock { $0.waiting.values.lazy.compactMap(\.since).min() } }

    /// Returns `result` to the callers that have been waiting since `limit` or longer. The flight goes on.
    func dismiss(waitingSince limit: MonotonicInstant, with result: Result<Value, AuthError>) {
        let leaving = state.withLock { state -> [Waiting] in
            guard state.result == nil else { return [] }
            state.isLate = true
            let tickets = state.waiting.filter { $0.value.since.map { $0 <= limit } ?? false }.keys
            return tickets.compactMap { state.waiting.removeValue(forKey: $0) }
        }
        for one in leaving { one.continuation.resume(returning: result) }
    }

    /// Ends the flight; the first result counts.
    func land(_ result: Result<Value, AuthError>) {
        let waiting = state.withLock { state -> [Waiting] in
            guard state.result == nil else { return [] }
            state.result = result
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for one in waiting { one.continuation.resume(returning: result) }
    }

    /// Waits for the result. Throws `cancelled` if the waiting task is cancelled.
    ///
    /// - Parameter since: When the wait began, if ``dismiss(waitingSince:with:)`` may end it.
    func value(since: MonotonicInstant? = nil) async throws(AuthError) -> Value {
        let ticket = state.withLock { $0.ticket() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(Waiting(continuation: continuation, since: since), as: ticket)
            }
        } onCancel: {
            giveUp(ticket)
        }
        return try result.get()
    }

    /// Waits for the result, even if the task is cancelled: for the engine's own tasks.
    func landing() async -> Result<Value, AuthError> {
        await withCheckedContinuation { continuation in
            let early = state.withLock { state -> Result<Value, AuthError>? in
                if let result = state.result { return result }
                state.waiting[state.ticket()] = Waiting(continuation: continuation)
                return nil
            }
            if let early { continuation.resume(returning: early) }
        }
    }

    private func wait(_ waiting: Waiting, as ticket: Int) {
        let early = state.withLock { state -> Result<Value, AuthError>? in
            if let result = state.result { return result }
            // If the cancellation handler has run already, nothing would ever remove this ticket.
            if Task.isCancelled { return .failure(Self.cancelled) }
            state.waiting[ticket] = waiting
            return nil
        }
        if let early { waiting.continuation.resume(returning: early) }
    }

    private func giveUp(_ ticket: Int) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: ticket) }
        waiting?.continuation.resume(returning: .failure(Self.cancelled))
    }

    private static var cancelled: AuthError { AuthError(.cancelled, "The task was cancelled.") }
}
