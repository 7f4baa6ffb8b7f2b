import LatchkeySimulation
import LatchkeyTesting
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Some histories; `Scripts/sim` runs as many as wanted.
@Suite("Simulation") struct SimulationTests {
    @Test("no history breaks a law", arguments: SimulatedService.Kind.allCases)
    func laws(_ kind: SimulatedService.Kind) {
        var tally = Tally()
        for seed in 0..<100 as Range<UInt64> {
            let name = Shrinker.Name(operations: seed)
            let history = name.history(kind: kind)
            history.run()
            tally.add(history)
            #expect(history.foreignJobs == 0)
            guard !history.violations.isEmpty else { continue }
            report(name, kind)
            return
        }
        print(
            "simulation: kind=\(kind) histories=\(tally.histories) steps=\(tally.steps) violations=\(tally.violations)")
    }

    /// Histories that once broke a law, by their seeds, and what was wrong.
    @Test(
        "a history that once broke a law does so no more",
        arguments: [
            // Who asked after another process had signed in anew was told what became of the old login's refresh.
            "78062:618172978:0,1,2,4,9,10,11"
        ])
    func regressions(_ text: String) throws {
        let name = try #require(Shrinker.Name(text))
        let history = name.history()
        history.run()
        if !history.violations.isEmpty { report(name, nil) }
    }

    @Test(
        "a history replays bit for bit",
        .enabled(
            if: getenv("SWIFT_DETERMINISTIC_HASHING") != nil,
            "tables are walked in any order without SWIFT_DETERMINISTIC_HASHING=1, which Scripts/test sets"))
    func replay() {
        for seed in 0..<40 as Range<UInt64> {
            let name = Shrinker.Name(operations: seed, schedule: 1)
            let (first, second) = (name.history(tells: true), name.history(tells: true))
            first.run()
            second.run()
            #expect(first.story == second.story)
            #expect(first.steps == second.steps)
        }
    }

    @Test("the order of a history is another by another schedule, and what is done stays the same")
    func schedules() {
        let orders = (1..<20 as Range<UInt64>).map { schedule in
            let history = Shrinker.Name(operations: 3, schedule: schedule).history(tells: true)
            history.run()
            return history
        }
        #expect(Set(orders.map(\.story)).count > 10)
        #expect(Set(orders.map { $0.plan.steps.map(\.description) }).count == 1)
    }

    @Test("what names a history is read back, and nothing else is")
    func names() {
        for text in ["7:1", "7:1:0,2,5", "18446744073709551615:0"] {
            #expect(Shrinker.Name(text)?.description == text)
        }
        #expect(Shrinker.Name("7")?.description == "7:55433")
        for text in ["", "x", "7:x", "7:1:x", "-1:2", "7:1:1,,x"] { #expect(Shrinker.Name(text) == nil) }
    }

    private func report(_ name: Shrinker.Name, _ kind: SimulatedService.Kind?) {
        let shrunk = Shrinker.shrink(name, kind: kind)
        let history = shrunk.history(kind: kind, tells: true)
        history.run()
        Issue.record("\(shrunk): \(history.violations.first ?? "")\n\(history.story)")
    }
}
