import FoundationEssentials
import Tracing

/// A time of the wall clock, as tracers want it.
struct ObservedInstant: TracerInstant {
    var nanosecondsSinceEpoch: UInt64

    init(_ date: Date) { nanosecondsSinceEpoch = UInt64(max(0, date.timeIntervalSince1970) * 1e9) }

    private init(nanosecondsSinceEpoch: UInt64) { self.nanosecondsSinceEpoch = nanosecondsSinceEpoch }

    /// The time so much before; 1970 at the earliest.
    static func - (end: ObservedInstant, took: Duration) -> ObservedInstant {
        let (seconds, attoseconds) = max(took, .zero).components
        let most = Int64(end.nanosecondsSinceEpoch)
        let nanoseconds = seconds < most / 1_000_000_000 ? seconds * 1_000_000_000 + attoseconds / 1_000_000_000 : most
        return ObservedInstant(nanosecondsSinceEpoch: UInt64(max(0, most - nanoseconds)))
    }

    static func < (first: ObservedInstant, second: ObservedInstant) -> Bool {
        first.nanosecondsSinceEpoch < second.nanosecondsSinceEpoch
    }
}
