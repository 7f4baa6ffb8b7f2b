import CBench
import Glibc

/// A piece of work that runs `count` times in a row.
typealias Work = (_ count: Int) async throws -> Void

/// Times two pieces of work against each other. Their batches alternate, and so does the one that goes first, so
/// that other load on the machine affects both alike.
struct Comparison {
    /// Nanoseconds for one operation: the median of all batches.
    var ours: Double
    var reference: Double
    /// The median of the pairs' ratios. A pair takes a few milliseconds, and a drift of the machine's speed takes
    /// longer; so this is steadier than the two times, and not exactly their quotient.
    var ratio: Double

    /// The size of a batch.
    enum Size {
        /// As many operations as take this many nanoseconds, so that reading the clock does not matter.
        case time(UInt64)
        /// This many operations for both, because the first ones after a switch of sides cost more.
        case count(Int)
    }

    /// - Parameters:
    ///   - now: The clock that is read before and after; by default wall time.
    ///   - prepare: Runs before each batch of ours, and is not counted.
    init(
        pairs: Int = 401, of size: Size = .time(1_000_000), by now: () -> UInt64 = cb_nanoseconds,
        isolation: isolated (any Actor)? = #isolation,
        prepare: Work = { _ in }, ours: Work, reference: Work
    ) async throws {
        // For a profiler: only one of the two, `ours` or `reference`, for three seconds, in the same batches as
        // when measured.
        if let side = getenv("BENCH_PROFILE") {
            let isReference = strcmp(side, "reference") == 0
            let (end, batch) = (cb_nanoseconds() + 3_000_000_000, try await Self.count(size, reference))
            while cb_nanoseconds() < end {
                if !isReference { try await prepare(batch) }
                try await isReference ? reference(batch) : ours(batch)
            }
        }
        let counts = (try await Self.count(size, ours), try await Self.count(size, reference))
        var times: [(ours: Double, reference: Double)] = []
        for pair in 0..<pairs {
            try await prepare(counts.0)
            if pair % 2 == 0 {
                let first = try await Self.time(counts.0, by: now, ours)
                times.append((first, try await Self.time(counts.1, by: now, reference)))
            } else {
                let first = try await Self.time(counts.1, by: now, reference)
                times.append((try await Self.time(counts.0, by: now, ours), first))
            }
        }
        self.ours = Self.middle(times.map(\.ours)) / Double(counts.0)
        self.reference = Self.middle(times.map(\.reference)) / Double(counts.1)
        ratio = Self.middle(times.map { $0.ours / $0.reference }) * Double(counts.1) / Double(counts.0)
    }

    private static func count(
        _ size: Size, isolation: isolated (any Actor)? = #isolation, _ work: Work
    ) async throws -> Int {
        switch size {
        case .count(let count): return count
        case .time(let least):
            var count = 1
            while try await time(count, work) < Double(least) { count *= 2 }
            return count
        }
    }

    static func time(
        _ count: Int, by now: () -> UInt64 = cb_nanoseconds, isolation: isolated (any Actor)? = #isolation, _ work: Work
    ) async throws -> Double {
        let begun = now()
        try await work(count)
        return Double(now() - begun)
    }

    private static func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

/// Counts the allocations of one operation, in the whole process while nothing else runs in it.
func allocations(
    over count: Int = 100_000, isolation: isolated (any Actor)? = #isolation, _ work: Work
) async throws -> Double {
    // Run once before, so that allocations of the first use do not count.
    try await work(count)
    let before = cb_allocations()
    try await work(count)
    return Double(cb_allocations() - before) / Double(count)
}
