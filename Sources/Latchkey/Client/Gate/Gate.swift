import LatchkeyLocked

/// What stands between the app and the sessions: locked or open, by policy.
///
/// Whether it is open is a single instant in the ``AccountTable``, so that reading a token compares and never asks.
/// ``GateState`` decides; this carries it out. Only ``open(_:_:)`` prompts, and only when the app calls for it.
final class Gate: Sendable {
    let authenticator: (any UnlockAuthenticator)?
    let fallback: (any UnlockAuthenticator)?
    let policy: UnlockPolicy
    let reason: String
    /// Whether the store is opened by a key.
    let isKeyed: Bool
    let prompting = Locked<[UnlockChoice: Flight<UnlockGrant>]>([:])
    /// One prompt at a time, and no closing of the store while it is being opened.
    let turns = LaneQueue()
    private let state: Locked<State>
    let recalling = Locked(Recalling())
    /// What the authenticator said last.
    let available = Locked<UnlockAvailability?>(nil)

    struct State {
        var gate: GateState
        /// What is to be told, in order; whoever adds to an empty list tells all.
        var events: [AuthEvent] = []
        var isTelling = false
        /// Counts proofs, so that a closing which waited does not close what was opened meanwhile.
        var proofs = 0
    }

    /// What is known of the record.
    struct Recalling {
        var flight: Flight<Void>?
        var record: GateRecord?
    }

    /// A gate that is always open.
    init() {
        (authenticator, fallback, reason, isKeyed) = (nil, nil, "", false)
        policy = UnlockPolicy(atLaunch: false)
        state = Locked(State(gate: GateState(policy, isInForce: false, isOpen: true)))
    }

    init(
        _ authenticator: any UnlockAuthenticator, or fallback: (any UnlockAuthenticator)?, reason: String,
        policy: UnlockPolicy, isKeyed: Bool
    ) {
        self.authenticator = authenticator
        self.fallback = fallback
        self.reason = reason
        self.policy = policy
        self.isKeyed = isKeyed
        // What depends on the record is shut until it was read.
        let isOpen = !policy.atLaunch && !isKeyed && policy.enrolment == .required && policy.interval == nil
        state = Locked(State(gate: GateState(policy, isInForce: true, isOpen: isOpen)))
    }

    /// Until when the gate is open at launch.
    var initially: MonotonicInstant { state.withLock { $0.gate.openUntil } }

    /// Whether the store keeps something of the gate.
    var hasRecord: Bool {
        guard authenticator != nil, !isKeyed else { return false }
        return policy.enrolment == .offered || (!policy.atLaunch && policy.interval != nil)
    }

    var isInForce: Bool { state.withLock { $0.gate.isInForce } }
    var phase: AppPhase { state.withLock { $0.gate.phase } }

    func isShielded(at now: MonotonicInstant) -> Bool { state.withLock { $0.gate.isShielded(at: now) } }

    /// Changes the state, and does what follows: readers of tokens first, then whoever listens.
    @discardableResult
    func change(
        _ engine: Engine, isProof: Bool = false, _ body: (inout GateState, MonotonicInstant) -> GateState.Change
    ) -> Bool {
        let (change, proofs) = state.withLock { state in
            let change = body(&state.gate, engine.clock.now())
            let until = state.gate.openUntil
            engine.table.openUntil = until
            engine.alarm.set(.gate, at: until > .always && until < .never ? until : nil)
            state.events += change.events
            if isProof { state.proofs += 1 }
            return (change, state.proofs)
        }
        if change.closesStore, isKeyed {
            engine.context.start("close") { [self] in await closeStore(engine, unlessProvenSince: proofs) }
        }
        tell(engine)
        return change.closesStore
    }

    /// Tells in order, one task at a time, and never with a lock held: whoever listens may run code of the app.
    private func tell(_ engine: Engine) {
        let isMine = state.withLock { state in
            defer { state.isTelling = true }
            return !state.isTelling
        }
        guard isMine else { return }
        while let event = state.withLock({ state -> AuthEvent? in
            state.isTelling = !state.events.isEmpty
            return state.events.isEmpty ? nil : state.events.removeFirst()
        }) {
            switch event {
            case .locked: engine.context.observer.observe(.gate(locked: true))
            case .unlocked: engine.context.observer.observe(.gate(locked: false))
            default: break
            }
            engine.hub.tell(event)
        }
    }

    /// Locks: no token leaves, and what a key protects is dropped from memory.
    func close(_ engine: Engine) async {
        guard authenticator != nil else { return }
        let proofs = state.withLock { $0.proofs }
        change(engine) { $0.lock(at: $1) }
        if isKeyed { await closeStore(engine, unlessProvenSince: proofs) }
        await forgetProof(engine)
    }

    /// Closes the store, once every answer that is under way is stored: a session that the service has made is not lost
    /// because somebody locked.
    private func closeStore(_ engine: Engine, unlessProvenSince proofs: Int) async {
        guard let store = engine.store as? any LockableStore else { return }
        await engine.quiet(within: engine.settings.familyDeadline)
        await inTurn(engine) { [self] in
            guard state.withLock({ $0.proofs }) == proofs else { return }
            await store.close()
            engine.table.dropTokens()
        }
    }

    /// Runs `work` alone.
    func inTurn(_ engine: Engine, _ work: () async -> Void) async {
        let key = StoreKey(.settings, "gate")
        let ticket = try? await turns.acquire(key, deadline: .seconds(86_400), clock: engine.clock)
        await work()
        if let ticket { turns.release(ticket, of: key) }
    }

    /// A deadline of the gate may have passed.
    func lapse(_ engine: Engine) { change(engine) { $0.lapse(at: $1) } }

    /// The app went out of sight, or came back.
    func enter(_ phase: AppPhase, _ engine: Engine) async {
        guard authenticator != nil else { return }
        engine.startAlarm()
        change(engine) { $0.enter(phase, at: $1) }
        if phase == .active { await lookAtAvailability(engine) }
    }
}
