import Latchkey
import LatchkeyLocked

/// The address at which the browser arrived: comes once, and waits for whoever asks.
final class Arrival: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<Secret, any Error>)
        case here(Secret)
    }

    private let state = Locked(State.empty)

    func deliver(_ address: Secret) {
        let waiting = state.withLock { state -> CheckedContinuation<Secret, any Error>? in
            defer { state = .here(address) }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: address)
    }

    /// - Throws: `CancellationError`; a later wait begins anew.
    func wait() async throws -> Secret {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Secret, any Error>? in
                    if case .here(let address) = state { return .success(address) }
                    // Under the lock: a cancellation either is seen here, or finds the continuation.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if case .waiting = state { return .failure(CancellationError()) }
                    state = .waiting(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiting = state.withLock { state -> CheckedContinuation<Secret, any Error>? in
                guard case .waiting(let continuation) = state else { return nil }
                state = .empty
                return continuation
            }
            waiting?.resume(throwing: CancellationError())
        }
    }
}
