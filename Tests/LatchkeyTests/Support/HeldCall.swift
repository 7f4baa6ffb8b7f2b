import Latchkey
import LatchkeyTesting

/// A call that has reached the service, which does not answer it before ``answer()``.
struct HeldCall<Value: Sendable>: Sendable {
    let latch: Latch
    let caller: Task<Value, any Error>

    /// What the caller gets in the end.
    var value: Value { get async throws { try await caller.value } }

    /// Lets the service answer.
    func answer() { latch.open() }

    /// Cancels the caller.
    func cancel() { caller.cancel() }
}

extension ScriptedProvider {
    /// Begins `call` and returns once its refresh has reached this service. What the service does in the
    /// end is `step`.
    func hold<Value: Sendable>(
        then step: RefreshStep = .rotated, _ call: @escaping @Sendable () async throws -> Value
    ) async throws -> HeldCall<Value> {
        let latch = Latch()
        let before = refreshCount
        script(refreshes: .held(latch, then: step))
        let caller = Task { try await call() }
        try await waitForRefreshes(before + 1)
        return HeldCall(latch: latch, caller: caller)
    }
}
