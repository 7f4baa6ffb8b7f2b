/// Whether the gate is open, and what was last told of it. A value: its methods say what happens
/// next, and nothing else changes it.
struct GateState: Sendable {
    /// What to tell after a change.
    struct Change {
        var events: [AuthEvent] = []
        /// Whether what a key protects must be dropped.
        var closesStore = false
    }

    private(set) var policy: UnlockPolicy
    /// Whether there is a gate at all.
    var isInForce: Bool
    /// Until when the last proof counts; ``MonotonicInstant/always`` if there is none.
    private(set) var provenUntil: MonotonicInstant
    /// When the last proof was given here.
    private var provenAt: MonotonicInstant?
    /// Until when being away does not lock; ``MonotonicInstant/never`` if the app is not away.
    private(set) var awayUntil = MonotonicInstant.never
    private(set) var phase = AppPhase.active
    /// Whether it was proven or locked here, by the person, the app or a deadline. From then on the proof that the
    /// store remembers counts no more.
    private var isDecided = false
    /// What was told last.
    private var toldLocked: Bool
    private var toldShield = false

    init(_ policy: UnlockPolicy, isInForce: Bool, isOpen: Bool) {
        self.policy = policy
        self.isInForce = isInForce
        provenUntil = isOpen || !isInForce ? .never : .always
        toldLocked = isInForce && !isOpen
        toldShield = isShielded(toldLocked)
    }

    /// Until when the gate is open.
    var openUntil: MonotonicInstant { isInForce ? min(provenUntil, awayUntil) : .never }

    /// Whether the app should be covered.
    func isShielded(at now: MonotonicInstant) -> Bool { isShielded(now >= openUntil) }

    private func isShielded(_ isLocked: Bool) -> Bool {
        isInForce && policy.shields && (isLocked || phase != .active)
    }

    /// A proof was given.
    mutating func proved(at instant: MonotonicInstant, now: MonotonicInstant) -> Change {
        // A deadline has passed that was not told yet: a window that asked meanwhile shows it locked.
        let lapsed = isInForce ? lapse(at: now) : Change()
        provenUntil = policy.interval.map { instant + $0 } ?? .never
        provenAt = instant
        isDecided = true
        awayUntil = phase == .background ? away(from: now) : .never
        var change = told(at: now)
        change.events = lapsed.events + change.events
        // What the proof has opened stays open.
        change.closesStore = change.closesStore || lapsed.closesStore && now >= openUntil
        return change
    }

    /// The app sets other times. They count from the last proof, or from now if there was none, and from now for an app
    /// that is away. A gate that is locked stays locked.
    mutating func apply(_ policy: UnlockPolicy, at now: MonotonicInstant) -> Change {
        // What has lapsed by the old times is over.
        if provenUntil > .always, now >= openUntil { shut() }
        self.policy = policy
        if provenUntil > .always { provenUntil = policy.interval.map { (provenAt ?? now) + $0 } ?? .never }
        if phase == .background { awayUntil = away(from: now) }
        return told(at: now)
    }

    /// The person, or the app, wants it locked.
    mutating func lock(at now: MonotonicInstant) -> Change {
        guard isInForce else { return Change() }
        shut()
        return told(at: now)
    }

    /// The app went out of sight, or came back.
    mutating func enter(_ phase: AppPhase, at now: MonotonicInstant) -> Change {
        self.phase = phase
        switch phase {
        case .background: awayUntil = min(awayUntil, away(from: now))
        case .active:
            if now >= awayUntil { shut() }
            awayUntil = .never
        // On its way out or back: the deadlines stay as they are.
        case .inactive: break
        }
        return told(at: now)
    }

    /// A deadline may have passed.
    mutating func lapse(at now: MonotonicInstant) -> Change {
        // A gate that has lapsed stays shut even if the app comes back.
        if provenUntil > .always, now >= openUntil { shut() }
        return told(at: now)
    }

    private mutating func shut() {
        provenUntil = .always
        isDecided = true
    }

    /// Puts the gate in force, opened by the proof that set it up; or out of force.
    mutating func setInForce(_ isInForce: Bool, at now: MonotonicInstant) -> Change {
        self.isInForce = isInForce
        return isInForce ? proved(at: now, now: now) : told(at: now)
    }

    /// Takes over another process's switch. Switched on, it is open by the proof that was given there; switched off, a gate
    /// that is shut stays so unless the app `opens` it.
    mutating func follow(isInForce: Bool, opens: Bool, at now: MonotonicInstant) -> Change {
        guard isInForce || opens || now < openUntil else { return told(at: now) }
        return setInForce(isInForce, at: now)
    }

    /// Takes over what the store keeps: whether there is a gate, and the last proof of an earlier process.
    mutating func recall(isInForce: Bool, proof: MonotonicInstant?, at now: MonotonicInstant) -> Change {
        self.isInForce = isInForce
        if let proof, let interval = policy.interval, !policy.atLaunch, !isDecided { provenUntil = proof + interval }
        return told(at: now)
    }

    private func away(from now: MonotonicInstant) -> MonotonicInstant {
        policy.afterBackground.map { now + $0 } ?? .never
    }

    /// What to tell, each state once.
    private mutating func told(at now: MonotonicInstant) -> Change {
        var change = Change()
        let isLocked = now >= openUntil
        let isShielded = isShielded(isLocked)
        // The cover goes up before listeners hear of the lock, and comes off after the gate is open.
        if isShielded, !toldShield { change.events.append(.shieldChanged(isUp: true)) }
        if isLocked != toldLocked { change.events.append(isLocked ? .locked : .unlocked) }
        if !isShielded, toldShield { change.events.append(.shieldChanged(isUp: false)) }
        change.closesStore = isLocked && !toldLocked
        (toldLocked, toldShield) = (isLocked, isShielded)
        return change
    }
}

extension MonotonicInstant {
    /// Before every instant: it has always passed.
    static let always = MonotonicInstant(nanoseconds: .min)
    /// After every instant: it never comes.
    static let never = MonotonicInstant(nanoseconds: .max)
}
