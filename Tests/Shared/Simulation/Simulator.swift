import LatchkeyTesting

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The program that runs many histories, for `Scripts/verify sim`.
package enum Simulator {
    private static let usage = """
        Usage: simulator --first SEED --count HISTORIES [--stride N] [--language plain|supabase] [--stop]
               simulator --replay [LANGUAGE/]OPERATIONS[:SCHEDULE[:STEP,STEP…]]

        The first runs histories of the seeds SEED, SEED+N, …, and prints what it counted, a `NAME=COUNT` a line; each
        history that breaks a law is shrunk and told. With --stop it ends at the first of them. The second tells one.
        """

    /// Does what the arguments say. The exit status.
    package static func run(_ arguments: [String]) -> Int32 {
        var (first, count, stride) = (UInt64(0), UInt64(1_000), UInt64(1))
        var (stops, replayed, language) = (false, Shrinker.Name?.none, Language.plain)
        var left = arguments[...]
        while let option = left.popFirst() {
            switch option {
            case "--stop": stops = true
            case "--language":
                guard let named = left.popFirst().flatMap({ Language(rawValue: $0) }) else { return fail() }
                language = named
            case "--replay":
                guard let name = left.popFirst().flatMap({ Shrinker.Name($0) }) else { return fail() }
                replayed = name
            case "--first", "--count", "--stride":
                guard let value = left.popFirst().flatMap({ UInt64($0) }) else { return fail() }
                if option == "--first" {
                    first = value
                } else if option == "--count" {
                    count = value
                } else {
                    stride = max(1, value)
                }
            default: return fail()
            }
        }
        if let replayed { return replay(replayed) }
        return sweep(first, count, stride, language, stops: stops)
    }

    private static func fail() -> Int32 {
        print(usage)
        return 64
    }

    private static func replay(_ name: Shrinker.Name) -> Int32 {
        let history = name.history(tells: true)
        history.run()
        print(history.story)
        if history.violations.contains(where: { $0.hasPrefix("lane") }) {
            print("--- the steps of the lane")
            for event in history.events { print(event) }
        }
        print("--- in writing, with schedule \(name.schedule)\n\(history.plan.text)")
        print(history.violations.isEmpty ? "no law is broken" : "BROKEN: \(history.violations.joined(separator: "; "))")
        return history.violations.isEmpty ? 0 : 1
    }

    private static func sweep(
        _ first: UInt64, _ count: UInt64, _ stride: UInt64, _ language: Language, stops: Bool
    ) -> Int32 {
        var tally = Tally()
        let clock = ContinuousClock()
        let begun = clock.now
        for index in 0..<count {
            let name = Shrinker.Name(operations: first &+ index &* stride, language: language)
            let history = name.history()
            history.run()
            tally.add(history)
            if history.foreignJobs != 0 { print("FOREIGN: \(name) ran jobs of another thread") }
            guard !history.violations.isEmpty else { continue }
            report(name, history)
            if stops { break }
        }
        let took = clock.now - begun
        let microseconds = took.components.seconds * 1_000_000 + took.components.attoseconds / 1_000_000_000_000
        print("histories=\(tally.histories)\nsteps=\(tally.steps)\nviolations=\(tally.violations)")
        print("microseconds=\(microseconds)")
        for name in Tally.names { print("\(name)=\(tally.counts[name] ?? 0)") }
        return tally.violations == 0 ? 0 : 1
    }

    private static func report(_ name: Shrinker.Name, _ history: History) {
        let shrunk = Shrinker.shrink(name)
        let told = shrunk.history(tells: true)
        told.run()
        // Told at once, also where the output is a file and the sweep takes an hour.
        defer { fflush(nil) }
        print("VIOLATION \(name): \(history.violations.first ?? "")")
        print("shrunk to \(told.plan.steps.count) steps; again: Scripts/verify sim --replay \(shrunk)")
        print(told.story)
    }
}
