import CBench
import Glibc

/// A piece of work, done `count` times in a row.
typealias Work = (_ count: Int) async throws -> Void

/// Times two pieces of work against each other: batch by batch in turn, each leading every other time, so that whatever
/// else the machine does hits both alike.
struct Comparison {
    /// Nanoseconds for one operation: the middle one of all batches.
    var ours: Double
    var reference: Double
    /// The middle one of the pairs' ratios. A pair is a few milliseconds, a drift of the machine's speed takes longer;
    /// so this is steadier than the two times, and not exactly their quotient.
    var ratio: Double

    /// How much is done in a batch.
    enum Size {
        /// As many operations as take so many nanoseconds, so that reading the clock does not count.
        case time(UInt64)
        /// So many, the same for both, because the first ones after a change of sides cost more.
        case count(Int)
    }

    /// - Parameters:
    ///   - now: What is read before and after: by default the time on the wall.
    ///   - prepare: Runs before each batch of ours, and does not count.
    init(
        pairs: Int = 401, of size: Size = .time(1_000_000), by now: () -> UInt64 = cb_nanoseconds,
        isolation: isolated (any Actor)? = #isolation,
        prepare: Work = { _ in }, ours: Work, reference: Work
    ) async throws {
        // For a profiler: one of the two alone, `ours` or `reference`, for three seconds, in batches as they are measured.
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
