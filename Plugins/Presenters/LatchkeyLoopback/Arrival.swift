import Latchkey
import LatchkeySystem

/// The addresses at which a browser arrived, in order. A reader waits for the next one.
final class Arrival: Sendable {
    private struct State {
        var here: [Secret] = []
        var waiting: CheckedContinuation<Secret, any Error>?
    }

    private let state = Locked(State())

    /// Whether an address is there that was not read yet.
    var hasMore: Bool { state.withLock { !$0.here.isEmpty } }

    func deliver(_ address: Secret) {
        let waiting = state.withLock { state -> CheckedContinuation<Secret, any Error>? in
            defer { state.waiting = nil }
            if state.waiting == nil { state.here.append(address) }
            return state.waiting
        }
        waiting?.resume(returning: address)
    }

    /// Waits for the next address.
    ///
    /// - Throws: `CancellationError`. You can wait again after it.
    func wait() async throws -> Secret {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Secret, any Error>? in
                    if !state.here.isEmpty { return .success(state.here.removeFirst()) }
                    // Under the lock, a cancellation is either seen here or finds the continuation.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.waiting != nil { return .failure(CancellationError()) }
                    state.waiting = continuation
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiting = state.withLock { state -> CheckedContinuation<Secret, any Error>? in
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume(throwing: CancellationError())
        }
    }
}
