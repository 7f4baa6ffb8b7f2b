/// One row of the ``ModelTable``: in this state, this trigger leads to that state.
public struct ModelMove: Hashable, Sendable, CustomStringConvertible {
    /// The state before.
    public var from: ModelPhase
    /// What happened.
    public var trigger: ModelTrigger
    /// The state after.
    public var to: ModelPhase

    /// Creates a move.
    public init(_ from: ModelPhase, _ trigger: ModelTrigger, _ to: ModelPhase) {
        self.from = from
        self.trigger = trigger
        self.to = to
    }

    /// `form, submitted: sending`.
    public var description: String { "\(from.rawValue), \(trigger.rawValue): \(to.rawValue)" }
}
