import Latchkey

/// The gates that histories have.
package enum GateKind: String, CaseIterable, Sendable {
    case none = "no-gate"
    /// Open at launch, shut by the background and on demand.
    case gate
    /// Shut at launch; a proof counts for a while.
    case interval = "gate-interval"
    /// A proof counts for a while, and in later processes as well.
    case remembered = "gate-remembered"
    /// The store is opened by a key.
    case keyed = "gate-keyed"

    var policy: UnlockPolicy {
        switch self {
        case .none, .gate: UnlockPolicy(atLaunch: false, afterBackground: .seconds(30))
        case .interval: UnlockPolicy(afterBackground: .seconds(30), interval: .seconds(120))
        case .remembered: UnlockPolicy(atLaunch: false, afterBackground: .zero, interval: .seconds(300))
        case .keyed: UnlockPolicy(afterBackground: .seconds(30), interval: .seconds(600))
        }
    }
}
