/// What the walks showed.
package struct FaultReport: Sendable {
    private let settings: Int
    private let kinds: Int
    private let tell: @Sendable (String) -> Void
    package private(set) var walks = 0
    package private(set) var lost = 0
    package private(set) var untrue = 0
    /// What went wrong, one line each.
    package private(set) var faults: [String] = []

    init(settings: Int, faults: Int, tell: @escaping @Sendable (String) -> Void) {
        (self.settings, kinds, self.tell) = (settings, faults, tell)
    }

    mutating func note(_ walk: FaultWalk) {
        walks += 1
        lost += walk.lost.isEmpty ? 0 : 1
        untrue += walk.untrue.isEmpty ? 0 : 1
        let new = walk.lost.map { "lost: \(walk.name): \($0)" } + walk.untrue.map { "untrue: \(walk.name): \($0)" }
        faults += new
        for line in new { tell(line) }
    }

    /// The last line.
    package var line: String {
        "flows=\(PersonFlow.all.count) settings=\(settings) faults=\(kinds) walks=\(walks) lost=\(lost) untrue=\(untrue)"
    }
}
