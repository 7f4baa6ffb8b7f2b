/// The clock by which a server ends connections that take too long; tests move one by hand.
package struct ServerTime: Sendable {
    /// The time since some fixed instant. Never goes back.
    package var now: @Sendable () -> Duration
    /// Returns when ``now`` has come to `instant`; throws when the task is cancelled.
    package var sleep: @Sendable (_ instant: Duration) async throws -> Void

    /// A clock of its two functions.
    package init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (_ instant: Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// The continuous clock of the machine.
    package static let system: ServerTime = {
        let origin = ContinuousClock.now
        return ServerTime(
            now: { origin.duration(to: .now) },
            sleep: { try await Task.sleep(until: origin.advanced(by: $0), clock: .continuous) })
    }()
}
