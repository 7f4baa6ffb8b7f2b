public import FoundationEssentials

/// Time, as the engine reads it.
public protocol AuthClock: Sendable {
    /// The boot-time clock: runs through sleep, never jumps.
    func now() -> MonotonicInstant

    /// Names the boot that ``now()`` counts from; equal for every process of one boot.
    var boot: String { get }

    /// The wall clock, as the person or the network set it.
    func wall() -> Date

    /// Returns at `instant`, not before.
    ///
    /// - Throws: `CancellationError`, promptly, when the task is cancelled.
    func sleep(until instant: MonotonicInstant) async throws
}
