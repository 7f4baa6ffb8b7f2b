import LatchkeySystem

/// How long a clause may take, in real time. A clause that hangs fails and is named.
public enum ClauseLimit {
    /// The default limit. It is long enough for a slow disk or a busy machine.
    public static let standard = Duration.seconds(30)
}

/// Runs work with a time limit.
///
/// When the time is over, the work is cancelled and left behind, because it may not react to
/// cancellation. A task group would wait for it.
final class LimitedWork<Value: Sendable>: Sendable {
    private enum State {
        case running
        case awaited(CheckedContinuation<Value, any Error>)
        case ended(Result<Value, any Error>)
        case told
    }

    private let state = Locked(State.running)

    /// Runs `work`, and throws `late` if it takes longer than `limit`.
    static func run(
        for limit: Duration, orThrow late: any Error, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let limited = LimitedWork()
        let task = Task {
            do { limited.end(.success(try await work())) } catch { limited.end(.failure(error)) }
        }
        let alarm = Task {
            // By the machine's own clock, because the contract's clock may stand still.
            try await Task.sleep(for: limit)
            limited.end(.failure(late))
            task.cancel()
        }
        defer { alarm.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { limited.wait($0) }
        } onCancel: {
            task.cancel()
        }
    }

    private func end(_ result: Result<Value, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .running:
                state = .ended(result)
                return nil
            case .awaited(let continuation):
                state = .told
                return continuation
            case .ended, .told: return nil
            }
        }
        waiter?.resume(with: result)
    }

    private func wait(_ continuation: CheckedContinuation<Value, any Error>) {
        let known = state.withLock { state -> Result<Value, any Error>? in
            if case .ended(let result) = state {
                state = .told
                return result
            }
            state = .awaited(continuation)
            return nil
        }
        if let known { continuation.resume(with: known) }
    }
}
