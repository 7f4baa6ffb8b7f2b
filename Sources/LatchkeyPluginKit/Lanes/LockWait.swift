package import Latchkey

/// Waits for a lock that another process holds. Nothing reports when it becomes free.
package enum LockWait {
    /// The longest pause, unless the caller says otherwise.
    package static let longest = Duration.milliseconds(250)

    /// Calls `take` with growing pauses of 10 milliseconds to `longest` until it returns a value; `nil`
    /// if it has not by `end`.
    ///
    /// - Throws: What `take` throws; `CancellationError`.
    package static func run<Value>(
        until end: MonotonicInstant, in context: PluginContext, longest: Duration = longest, _ take: () throws -> Value?
    ) async throws -> Value? {
        var pause = Duration.milliseconds(10)
        while true {
            try Task.checkCancellation()
            if let taken = try take() { return taken }
            let now = context.clock.now()
            guard now < end else { return nil }
            try await context.clock.sleep(until: min(now + jittered(pause, context), end))
            pause = min(pause * 2, longest)
        }
    }

    /// Returns half to all of `pause`, so that waiters do not try at the same moment.
    private static func jittered(_ pause: Duration, _ context: PluginContext) -> Duration {
        pause / 2 + pause * Int(context.random(1).first ?? 0) / 512
    }
}
