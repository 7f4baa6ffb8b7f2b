/// The clock by which a server ends slow connections. Tests replace it.
package struct ServerTime: Sendable {
    /// Returns the time since a fixed instant. Never goes back.
    package var now: @Sendable () -> Duration
    /// Returns when ``now`` has reached `instant`; throws if the task is cancelled.
    package var sleep: @Sendable (_ instant: Duration) async throws -> Void

    /// Creates a clock from its two functions.
    package init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (_ instant: Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// The machine's continuous clock.
    package static let system: ServerTime = {
        let origin = ContinuousClock.now
        return ServerTime(
            now: { origin.duration(to: .now) },
            sleep: { try await Task.sleep(until: origin.advanced(by: $0), clock: .continuous) })
    }()
}
