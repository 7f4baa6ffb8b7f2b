public import Latchkey

/// Writes a line of JSON for each observation into a descriptor, such as a pipe to a collector.
///
/// The client never waits for the collector: lines wait in a queue, and a thread writes them. What comes while the queue is
/// full is dropped, and a line says how many lines are missing.
@available(macOS 15, *)
public final class GazetteObserver: AuthObserver {
    private let press: GazettePress
    private let clock: any AuthClock

    /// An observer that writes into `descriptor`, which stays the caller's.
    ///
    /// - Parameter limit: The most lines that wait.
    public init(to descriptor: Int32, limit: Int = 1_024, context: PluginContext = .system) {
        press = GazettePress(descriptor, limit: limit)
        clock = context.clock
    }

    /// Puts a line into the queue.
    public func observe(_ observation: AuthObservation) {
        press.print(GazetteLine(observation, at: clock.wall()).bytes)
    }
}
