@testable import LatchkeySimulation

extension LaneTrace.Rule {
    /// The law of `Documentation/Internals/Laws.md` that the rule is there for.
    var law: Int {
        switch self {
        case .exclusion, .withoutLock, .sentTwice, .underWay: 1
        case .early, .unstored: 2
        case .revokedLive, .unbelieved: 3
        case .staleBase, .unheard: 4
        case .comeback, .forgotten, .shownEnded, .unowed, .unpaid: 5
        case .cleared, .heldOff, .rest, .unmarked: 6
        case .foreignRecord: 15
        }
    }
}
