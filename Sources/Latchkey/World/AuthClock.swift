public import FoundationEssentials

/// The clocks that the engine reads.
public protocol AuthClock: Sendable {
    /// Returns the time of the boot-time clock, which runs through sleep and never jumps.
    func now() -> MonotonicInstant

    /// The name of the boot that ``now()`` counts from. It is the same for every process of one boot.
    var boot: String { get }

    /// Returns the wall-clock time, as the person or the network set it.
    func wall() -> Date

    /// Returns at `instant`, not earlier.
    ///
    /// - Throws: `CancellationError`, promptly, if the task is cancelled.
    func sleep(until instant: MonotonicInstant) async throws
}
