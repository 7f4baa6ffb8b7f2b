import Latchkey
import LatchkeySystem

/// Keeps every event that a client tells.
final class EventNotes: AuthEventObserving {
    private let heard = Locked<[AuthEvent]>([])

    var events: [AuthEvent] { heard.withLock { $0 } }

    /// The states that were told, in order.
    var states: [AccountState] {
        events.compactMap { if case .stateChanged(_, let state) = $0 { state } else { nil } }
    }

    /// How often a client warned that a token ends soon.
    var warnings: Int { events.count { if case .expiring = $0 { true } else { false } } }

    func observe(_ observation: AuthObservation) {}

    func observe(_ event: AuthEvent) { heard.withLock { $0.append(event) } }
}
