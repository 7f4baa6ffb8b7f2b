import LatchkeySimulation
import LatchkeyTesting
import Proofs
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Some histories; `Scripts/verify sim` runs as many as wanted.
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

    @Test(
        "no history of clients and a service that speak a service's own language breaks a law", .complaint(.supabase, 1)
    )
    func languages() {
        for language in Language.allCases where language != .plain {
            for seed in 0..<100 as Range<UInt64> {
                let history = Shrinker.Name(operations: seed, language: language).history()
                history.run()
                #expect(history.violations == [], "\(language.rawValue)/\(seed)")
                #expect(history.foreignJobs == 0)
            }
        }
    }

    @Test("a history that once broke a law does so no more", arguments: KeptHistory.all)
    func regressions(_ kept: KeptHistory) throws {
        let plan = try #require(Plan(kept.plan), "the plan cannot be read")
        #expect(plan.text == kept.plan)
        let history = History(plan, schedule: kept.schedule, tells: true)
        history.run()
        #expect(history.violations == [], "\(kept.testDescription)\n\(history.story)")
    }

    @Test(
        "what is no plan is not read as one",
        arguments: [
            "", "strict", "strict files", "lenient files trouble=0", "strict files trouble=x",
            "strict files trouble=0\ncall signIn 0 ada 6", "strict files trouble=0\ncall signIn 3 ada 6 1",
            "strict files trouble=0\ncall dance 0 ada 6 1", "strict files trouble=0\nevent token 0 ada 6 1",
            "strict files trouble=0\ncall signIn 0 eve 6 1", "strict files trouble=0\nwish signIn 0 ada 6 1",
        ])
    func noPlan(_ text: String) { #expect(Plan(text) == nil) }

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
        for text in ["7:1", "7:1:0,2,5", "18446744073709551615:0", "supabase/7:1:2"] {
            #expect(Shrinker.Name(text)?.description == text)
        }
        #expect(Shrinker.Name("7")?.description == "7:55433")
        for text in ["", "x", "elvish/7:1", "/7:1", "7:x", "7:1:x", "-1:2", "7:1:1,,x"] {
            #expect(Shrinker.Name(text) == nil)
        }
    }

    private func report(_ name: Shrinker.Name, _ kind: SimulatedService.Kind?) {
        let shrunk = Shrinker.shrink(name, kind: kind)
        let history = shrunk.history(kind: kind, tells: true)
        history.run()
        Issue.record("\(shrunk): \(history.violations.first ?? "")\n\(history.story)")
    }
}
