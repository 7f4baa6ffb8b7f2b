package import Latchkey

/// Waits for a lock that another process holds. Nothing reports when it becomes free.
package enum LockWait {
    /// Calls `take` with growing pauses of 10 to 250 milliseconds until it returns a value; `nil`
    /// if it has not by `end`.
    ///
    /// - Throws: What `take` throws; `CancellationError`.
    package static func run<Value>(
        until end: MonotonicInstant, in context: PluginContext, _ take: () throws -> Value?
    ) async throws -> Value? {
        var pause = Duration.milliseconds(10)
        while true {
            try Task.checkCancellation()
            if let taken = try take() { return taken }
            let now = context.clock.now()
            guard now < end else { return nil }
            try await context.clock.sleep(until: min(now + jittered(pause, context), end))
            pause = min(pause * 2, .milliseconds(250))
        }
    }

    /// Returns half to all of `pause`, so that waiters do not try at the same moment.
    private static func jittered(_ pause: Duration, _ context: PluginContext) -> Duration {
        pause / 2 + pause * Int(context.random(1).first ?? 0) / 512
    }
}
