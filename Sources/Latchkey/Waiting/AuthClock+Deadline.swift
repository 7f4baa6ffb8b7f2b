extension AuthClock {
    /// Returns what `work` gives before `deadline`, or `nil`; `work` is cancelled then, and its end awaited.
    ///
    /// - Throws: What `work` throws before the deadline; `CancellationError` when the calling task is cancelled.
    func value<Value: Sendable>(
        before deadline: MonotonicInstant, of work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await sleep(until: deadline)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}

extension Flight {
    /// Waits until the flight has landed, or for `limit`; whether it has.
    @discardableResult
    func hasLanded(within limit: Duration, by clock: any AuthClock) async -> Bool {
        let end = clock.now() + limit
        let result = try? await clock.value(before: end) { try? await self.value() }
        return result.flatMap(\.self) != nil
    }
}
