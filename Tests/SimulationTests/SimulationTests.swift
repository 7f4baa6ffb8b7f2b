import LatchkeyTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Histories of several processes over one disk, one network and one service, drawn from two seeds: one for what
/// happens, one for the order. The same seeds give the same history. `LATCHKEY_SIMULATION_SEEDS=FIRST-LAST` runs
/// others than the fixed ones.
@Suite("Simulation") struct SimulationTests {
    @Test("no history breaks a law", arguments: SimulatedService.Kind.allCases)
    func laws(_ kind: SimulatedService.Kind) {
        var steps = 0
        for seed in Self.seeds {
            let history = History(kind, operations: seed, schedule: seed &* 7_919)
            history.run()
            steps += history.steps
            #expect(history.foreignJobs == 0)
            guard let violation = history.violations.first else { continue }
            Issue.record("\(kind), seed \(seed): \(violation)\n\(history.story)")
            return
        }
        print("simulation: kind=\(kind) histories=\(Self.seeds.count) steps=\(steps) violations=0")
    }

    @Test(
        "a history replays bit for bit",
        .enabled(
            if: getenv("SWIFT_DETERMINISTIC_HASHING") != nil,
            "tables are walked in any order without SWIFT_DETERMINISTIC_HASHING=1, which Scripts/test sets"))
    func replay() {
        for seed in 0..<20 as Range<UInt64> {
            let first = History(.strict, operations: seed, schedule: 1)
            let second = History(.strict, operations: seed, schedule: 1)
            first.run()
            second.run()
            #expect(first.story == second.story)
            #expect(first.steps == second.steps)
        }
    }

    private static var seeds: Range<UInt64> {
        let words = getenv("LATCHKEY_SIMULATION_SEEDS").map { String(cString: $0) }?.split(separator: "-") ?? []
        guard words.count == 2, let first = UInt64(words[0]), let last = UInt64(words[1]), first < last else {
            return 0..<100
        }
        return first..<last + 1
    }
}
