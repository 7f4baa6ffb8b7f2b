import LatchkeyLocked

/// Work of the engine that several callers wait for. Cancelling a caller ends its wait and nothing else.
final class Flight<Value: Sendable>: Sendable {
    private enum State {
        case flying([Int: CheckedContinuation<Result<Value, AuthError>, Never>], next: Int)
        case landed(Result<Value, AuthError>)
    }

    private let state = Locked(State.flying([:], next: 0))

    init() {}

    /// Ends the flight; the first result counts.
    func land(_ result: Result<Value, AuthError>) {
        let waiting = state.withLock { state -> [CheckedContinuation<Result<Value, AuthError>, Never>] in
            guard case .flying(let waiting, _) = state else { return [] }
            state = .landed(result)
            return Array(waiting.values)
        }
        for continuation in waiting { continuation.resume(returning: result) }
    }

    /// Waits for the result. Throws `cancelled` when the waiting task is.
    func value() async throws(AuthError) -> Value {
        let ticket = state.withLock { state -> Int in
            guard case .flying(let waiting, let next) = state else { return 0 }
            state = .flying(waiting, next: next + 1)
            return next
        }
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
                switch state {
                case .landed(let result): return result
                case .flying(var waiting, let next):
                    waiting[next] = continuation
                    state = .flying(waiting, next: next + 1)
                    return nil
                }
            }
            if let early { continuation.resume(returning: early) }
        }
    }

    private func board(_ continuation: CheckedContinuation<Result<Value, AuthError>, Never>, as ticket: Int) {
        let early = state.withLock { state -> Result<Value, AuthError>? in
            switch state {
            case .landed(let result): return result
            case .flying(var waiting, let next):
                // The handler may have run before: then nobody would ever take this ticket off again.
                if Task.isCancelled { return .failure(Self.cancelled) }
                waiting[ticket] = continuation
                state = .flying(waiting, next: next)
                return nil
            }
        }
        if let early { continuation.resume(returning: early) }
    }

    private func leave(_ ticket: Int) {
        let continuation = state.withLock { state -> CheckedContinuation<Result<Value, AuthError>, Never>? in
            guard case .flying(var waiting, let next) = state else { return nil }
            let found = waiting.removeValue(forKey: ticket)
            state = .flying(waiting, next: next)
            return found
        }
        continuation?.resume(returning: .failure(Self.cancelled))
    }

    private static var cancelled: AuthError { AuthError(.cancelled, "The task was cancelled.") }
}
