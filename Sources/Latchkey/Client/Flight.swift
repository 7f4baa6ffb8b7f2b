import LatchkeyLocked

/// Work of the engine that several callers wait for. Cancelling a caller ends its wait and nothing else.
final class Flight<Value: Sendable>: Sendable {
    /// Changed in place: with a thousand waiting, copying the list for each would take longer than the work.
    private struct State {
        var result: Result<Value, AuthError>?
        var waiting: [Int: CheckedContinuation<Result<Value, AuthError>, Never>] = [:]
        var next = 0

        mutating func ticket() -> Int {
            defer { next += 1 }
            return next
        }
    }

    private let state = Locked(State())

    init() {}

    /// Ends the flight; the first result counts.
    func land(_ result: Result<Value, AuthError>) {
        let waiting = state.withLock { state -> [CheckedContinuation<Result<Value, AuthError>, Never>] in
            guard state.result == nil else { return [] }
            state.result = result
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(returning: result) }
    }

    /// Waits for the result. Throws `cancelled` when the waiting task is.
    func value() async throws(AuthError) -> Value {
        let ticket = state.withLock { $0.ticket() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in board(continuation, as: ticket) }
        } onCancel: {
            leave(ticket)
        }
        return try result.get()
    }

    /// Waits for the result, cancelled or not: for the engine's own tasks.
    func landing() async -> Result<Value, AuthError> {
        await withCheckedContinuation { continuation in
            let early = state.withLock { state -> Result<Value, AuthError>? in
                if let result = state.result { return result }
                state.waiting[state.ticket()] = continuation
                return nil
            }
            if let early { continuation.resume(returning: early) }
        }
    }

    private func board(_ continuation: CheckedContinuation<Result<Value, AuthError>, Never>, as ticket: Int) {
        let early = state.withLock { state -> Result<Value, AuthError>? in
            if let result = state.result { return result }
            // The handler may have run before: then nobody would ever take this ticket off again.
            if Task.isCancelled { return .failure(Self.cancelled) }
            state.waiting[ticket] = continuation
            return nil
        }
        if let early { continuation.resume(returning: early) }
    }

    private func leave(_ ticket: Int) {
        let continuation = state.withLock { $0.waiting.removeValue(forKey: ticket) }
        continuation?.resume(returning: .failure(Self.cancelled))
    }

    private static var cancelled: AuthError { AuthError(.cancelled, "The task was cancelled.") }
}
