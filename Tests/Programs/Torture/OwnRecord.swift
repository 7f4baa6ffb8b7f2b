/// What is known of a record that one place writes and deletes: the last acknowledged state, and what was begun since.
struct OwnRecord {
    private var allowed: Set<Identity?> = [nil]
    /// What may be found by the look that is under way.
    private var expected: Set<Identity?>?

    mutating func begin(_ state: Identity?) {
        allowed.insert(state)
        expected?.insert(state)
    }

    mutating func acknowledge(_ state: Identity?) {
        allowed = [state]
    }

    /// A look begins.
    mutating func expect() { expected = allowed }

    mutating func check(_ found: Identity?, _ findings: inout StoreArena.Findings, _ name: String) {
        defer { expected = nil }
        guard let expected, !expected.contains(found) else { return }
        if found == nil { findings.gone += 1 } else { findings.lost += 1 }
        let words = expected.map { $0.map { "\($0)" } ?? "nothing" }.joined(separator: " or ")
        findings.words.append("\(name): found \(found.map { "\($0)" } ?? "nothing") instead of \(words)")
    }
}
