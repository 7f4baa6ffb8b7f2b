import CBench
import Glibc

/// A piece of work, done `count` times in a row.
typealias Work = (_ count: Int) async throws -> Void

/// Times two pieces of work against each other: batch by batch in turn, so that whatever else the machine does hits
/// both alike.
struct Comparison {
    /// Nanoseconds for one operation.
    var ours: Double
    var reference: Double

    /// Which of the samples counts.
    enum Pick {
        /// The least: for work that only the processor does, where everything above it is disturbance.
        case least
        /// The middle one: for work that waits for disks and other processes.
        case median
    }

    static let samples = 51
    /// A batch takes at least this long, so that reading the clock does not count.
    static let batch: UInt64 = 1_000_000

    init(
        _ pick: Pick, samples: Int = samples, batch: UInt64 = batch, isolation: isolated (any Actor)? = #isolation,
        ours: Work, reference: Work
    ) async throws {
        // For a profiler: ours alone, for three seconds.
        if getenv("BENCH_PROFILE") != nil {
            let end = cb_nanoseconds() + 3_000_000_000
            while cb_nanoseconds() < end { try await ours(16) }
        }
        let sizes = (try await Self.size(batch, ours), try await Self.size(batch, reference))
        var times: (ours: [Double], reference: [Double]) = ([], [])
        for _ in 0..<samples {
            times.ours.append(try await Self.time(sizes.0, ours) / Double(sizes.0))
            times.reference.append(try await Self.time(sizes.1, reference) / Double(sizes.1))
        }
        self.ours = Self.pick(pick, times.ours)
        self.reference = Self.pick(pick, times.reference)
    }

    private static func size(
        _ batch: UInt64, isolation: isolated (any Actor)? = #isolation, _ work: Work
    ) async throws -> Int {
        var size = 1
        while try await time(size, work) < Double(batch) { size *= 2 }
        return size
    }

    static func time(
        _ count: Int, isolation: isolated (any Actor)? = #isolation, _ work: Work
    ) async throws -> Double {
        let begun = cb_nanoseconds()
        try await work(count)
        return Double(cb_nanoseconds() - begun)
    }

    private static func pick(_ pick: Pick, _ times: [Double]) -> Double {
        let sorted = times.sorted()
        return switch pick {
        case .least: sorted[0]
        case .median: sorted[sorted.count / 2]
        }
    }
}

/// Allocations for one operation, by counting the whole process while nothing else runs in it.
func allocations(
    over count: Int = 100_000, isolation: isolated (any Actor)? = #isolation, _ work: Work
) async throws -> Double {
    // Once before, so that what is made on first use does not count.
    try await work(count)
    let before = cb_allocations()
    try await work(count)
    return Double(cb_allocations() - before) / Double(count)
}
