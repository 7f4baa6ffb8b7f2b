import LatchkeyTesting

/// What happened, counted over many histories.
package struct Tally: Sendable {
    package var histories = 0
    package var steps = 0
    package var violations = 0
    /// How often what happened: `call NAME`, `event NAME`, `network NAME`, `midway NAME`, `pair NAME+NAME`, `law N`.
    package var counts: [String: Int] = [:]

    package init() {}

    /// Adds a history that has run.
    package mutating func add(_ history: History) {
        histories += 1
        steps += history.steps
        violations += history.violations.isEmpty ? 0 : 1
        for (name, count) in history.counts { counts[name, default: 0] += count }
    }

    package mutating func add(_ other: Tally) {
        histories += other.histories
        steps += other.steps
        violations += other.violations
        for (name, count) in other.counts { counts[name, default: 0] += count }
    }

    /// Every name that can be counted, so that what never happened is seen as 0.
    package static var names: [String] {
        let calls = Call.allCases.map(\.rawValue)
        var pairs: [String] = []
        for (index, first) in calls.enumerated() { pairs += calls[index...].map { pair(first, $0) } }
        return calls.map { "call \($0)" } + Event.allCases.map { "event \($0.rawValue)" }
            + SimulatedNetwork.Fate.allCases.map { "network \($0.rawValue)" }
            + SimulatedService.Kind.allCases.map { "service \($0.rawValue)" }
            + Scenario.intervals.map { "service answers again for \($0) s" }
            + (Intent.allCases.map(\.rawValue) + ["twice", "cancel"]).map { "intent \($0)" }
            + [
                "store files", "store keyring", "store insecure", "midway kill", "midway powerLoss", "leaving",
                "words compared",
            ] + pairs
    }

    /// The name of two calls that were under way at once.
    static func pair(_ first: String, _ second: String) -> String {
        let calls = Call.allCases.map(\.rawValue)
        let isInOrder = (calls.firstIndex(of: first) ?? 0) <= (calls.firstIndex(of: second) ?? 0)
        return isInOrder ? "pair \(first)+\(second)" : "pair \(second)+\(first)"
    }
}
