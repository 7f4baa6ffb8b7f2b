import LatchkeyTesting

/// A plugin as it is, or with a mistake in it, and its contract.
public struct Mistake: Sendable {
    let name: String
    let sentence: String
    let clause: String
    let run: @Sendable () async throws -> Void

    /// A plugin with a mistake. Without a clause there is no mistake in it, and its contract shall be kept.
    public init(
        _ name: String, _ sentence: String, clause: String, _ run: @escaping @Sendable () async throws -> Void
    ) {
        self.name = name
        self.sentence = sentence
        self.clause = clause
        self.run = run
    }

    var kind: String { String(name.prefix { $0 != "-" }) }
}

/// Puts each through its contract, again and again, and tells of them in a table.
public struct Mistakes: Sendable {
    let all: [Mistake]
    let runs: Int

    /// So many runs of each.
    public init(_ all: [Mistake], runs: Int) {
        self.all = all
        self.runs = runs
    }

    /// Prints a line for each, and the sums.
    ///
    /// - Returns: Whether each mistake was caught at each run by its clause, and whatever has none was not refused.
    public func report() async -> Bool {
        var caught: [String: (of: Int, caught: Int)] = [:]
        var order: [String] = []
        var isGood = true
        let found = await allClauses()
        for (mistake, seen) in zip(all, found) {
            let refused = seen.values.reduce(0, +)
            if mistake.clause.isEmpty {
                print("\(mistake.name)  passed \(runs - refused)/\(runs)\(Self.shown(seen))")
                isGood = isGood && refused == 0
                continue
            }
            let isCaught = refused == runs
            let isItsClause = seen.keys.allSatisfy { $0.hasPrefix(mistake.clause + ": ") }
            let words = isCaught ? isItsClause ? "" : "OTHER CLAUSE " : "NOT CAUGHT "
            print("\(mistake.name)  \(refused)/\(runs)  \(words)\"\(mistake.clause)\"  \(mistake.sentence)")
            if !isCaught || !isItsClause { print("    seen:\(Self.shown(seen))") }
            isGood = isGood && isCaught && isItsClause
            if caught[mistake.kind] == nil { order.append(mistake.kind) }
            caught[mistake.kind, default: (0, 0)].of += 1
            caught[mistake.kind]?.caught += isCaught ? 1 : 0
        }
        for kind in order {
            let sum = caught[kind] ?? (0, 0)
            print("\(kind): mistakes=\(sum.of) caught=\(sum.caught)")
        }
        let sum = caught.values.reduce(into: (0, 0)) { $0 = ($0.0 + $1.of, $0.1 + $1.caught) }
        print("mistakes=\(sum.0) caught=\(sum.1)")
        return isGood
    }

    /// What refused each. Some at a time, since those that hang do nothing but wait.
    private func allClauses() async -> [[String: Int]] {
        await withTaskGroup(of: (Int, [String: Int]).self) { group in
            var found = Array(repeating: [String: Int](), count: all.count)
            for index in all.indices {
                if index >= 6, let (done, seen) = await group.next() { found[done] = seen }
                group.addTask { (index, await clauses(of: all[index])) }
            }
            for await (done, seen) in group { found[done] = seen }
            return found
        }
    }

    /// Which clauses refused it, with what they saw, and how often.
    private func clauses(of mistake: Mistake) async -> [String: Int] {
        var seen: [String: Int] = [:]
        for _ in 0..<runs {
            do { try await mistake.run() } catch let violation as ContractViolation {
                seen["\(violation.clause): \(violation.detail)", default: 0] += 1
            } catch {
                seen["no violation: \(error)", default: 0] += 1
            }
        }
        return seen
    }

    private static func shown(_ seen: [String: Int]) -> String {
        seen.sorted { $0.key < $1.key }.map { " \($0.value) times \"\($0.key)\"" }.joined(separator: ";")
    }
}
