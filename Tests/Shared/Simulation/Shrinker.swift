package import LatchkeyTesting

/// The fewest steps of a history that still break the same law, by the same schedule.
package struct Shrinker {
    /// What names a history: a seed for what happens, one for the order, and which of its steps are kept.
    package struct Name: Sendable, CustomStringConvertible {
        package var operations: UInt64
        package var schedule: UInt64
        package var kept: [Int]?
        package var language: Language

        package init(
            operations: UInt64, schedule: UInt64? = nil, kept: [Int]? = nil, language: Language = .plain
        ) {
            self.operations = operations
            self.schedule = schedule ?? operations &* 7_919
            self.kept = kept
            self.language = language
        }

        /// `OPERATIONS`, `OPERATIONS:SCHEDULE` or `OPERATIONS:SCHEDULE:STEP,STEP…`, behind `LANGUAGE/` where it is not
        /// the plain one.
        package init?(_ text: String) {
            let halves = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let language = halves.count == 1 ? .plain : Language(rawValue: String(halves[0])),
                let numbers = halves.last
            else { return nil }
            let parts = numbers.split(separator: ":", maxSplits: 2)
            guard let first = parts.first, let operations = UInt64(first) else { return nil }
            let schedule = parts.count > 1 ? UInt64(parts[1]) : nil
            guard parts.count == 1 || schedule != nil else { return nil }
            let kept = parts.count > 2 ? parts[2].split(separator: ",").map { Int($0) ?? -1 } : nil
            guard kept?.contains(-1) != true else { return nil }
            self.init(operations: operations, schedule: schedule, kept: kept, language: language)
        }

        package var description: String {
            (language == .plain ? "" : "\(language.rawValue)/") + "\(operations):\(schedule)"
                + (kept.map { ":" + $0.map(String.init).joined(separator: ",") } ?? "")
        }

        /// The history, not run yet.
        package func history(kind: SimulatedService.Kind? = nil, tells: Bool = false) -> History {
            var plan = Plan(seed: operations, kind: kind)
            if let kept { plan.steps = kept.filter(plan.steps.indices.contains).map { plan.steps[$0] } }
            return language.history(plan, schedule: schedule, tells: tells)
        }
    }

    /// Leaves out what can be left out, one step after another, until none can.
    package static func shrink(_ name: Name, kind: SimulatedService.Kind? = nil) -> Name {
        guard let law = law(of: name, kind) else { return name }
        var best = name
        var kept = name.kept ?? Array(Plan(seed: name.operations, kind: kind).steps.indices)
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for step in kept.reversed() {
                var tried = name
                tried.kept = kept.filter { $0 != step }
                guard self.law(of: tried, kind) == law else { continue }
                kept = tried.kept ?? kept
                best = tried
                hasChanged = true
            }
        }
        return best
    }

    /// The first law that it breaks, such as `law 5`.
    private static func law(of name: Name, _ kind: SimulatedService.Kind?) -> Substring? {
        let history = name.history(kind: kind)
        history.run()
        return history.violations.first?.prefix { $0 != ":" }
    }
}
