extension AuthClock {
    /// Returns the result of `work`, or `nil` if `deadline` comes first. Then `work` is cancelled,
    /// and this waits for its end.
    ///
    /// - Throws: What `work` throws before the deadline; `CancellationError` when the calling task is cancelled.
    package func value<Value: Sendable>(
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
    /// Waits until the flight has landed, at most for `limit`. Returns whether it has landed.
    @discardableResult
    func hasLanded(within limit: Duration, by clock: any AuthClock) async -> Bool {
        let end = clock.now() + limit
        let result = try? await clock.value(before: end) { try? await self.value() }
        return result.flatMap(\.self) != nil
    }
}
