import LatchkeySystem

/// What stands between the app and the sessions: locked or open, by policy.
///
/// Whether it is open is a single instant in the ``AccountTable``, so that reading a token only
/// compares. ``GateState`` decides; this carries it out. Only ``open(_:)`` and ``setEnabled(_:)``
/// prompt, and only when the app calls for it.
final class Gate: Sendable {
    private let parts: Parts
    let store: any SessionStore
    let accounts: Accounts
    private let lanes: Lanes
    let prompting = Locked<[UnlockChoice: Flight<UnlockGrant>]>([:])
    /// One prompt at a time, and no closing of the store while it is being opened.
    let locks = LockQueue()
    private let state: Locked<State>
    let recalling = Locked(Recalling())
    /// What the authenticator said last.
    let available = Locked<UnlockAvailability?>(nil)

    /// What a gate is made of; without an authenticator it is always open.
    struct Parts: Sendable {
        var authenticator: (any UnlockAuthenticator)?
        var fallback: (any UnlockAuthenticator)?
        /// One sentence for the prompt.
        var reason = ""
        var policy = UnlockPolicy(atLaunch: false)
        /// Whether the store is opened by a key.
        var isKeyed = false

        /// The state at launch.
        var initialState: GateState {
            // A gate that depends on the record is shut until the record was read.
            let isOpen = !policy.atLaunch && !isKeyed && policy.enrolment == .required && policy.interval == nil
            return GateState(policy, isInForce: authenticator != nil, isOpen: authenticator == nil || isOpen)
        }
    }

    struct State {
        var gate: GateState
        /// What to tell, in order. One task at a time tells it all.
        var events: [AuthEvent] = []
        var isTelling = false
        /// Counts proofs, so that a closing of the store that had to wait does not close what was
        /// opened meanwhile.
        var proofs = 0
    }

    /// What is known of the record.
    struct Recalling {
        var flight: Flight<Void>?
        var record: GateRecord?
    }

    init(_ parts: Parts, _ initial: GateState, _ store: any SessionStore, _ accounts: Accounts, _ lanes: Lanes) {
        self.parts = parts
        self.store = store
        self.accounts = accounts
        self.lanes = lanes
        state = Locked(State(gate: initial))
    }

    var authenticator: (any UnlockAuthenticator)? { parts.authenticator }
    var fallback: (any UnlockAuthenticator)? { parts.fallback }
    var reason: String { parts.reason }
    /// What the app has set last.
    var policy: UnlockPolicy { state.withLock { $0.gate.policy } }
    var isKeyed: Bool { parts.isKeyed }
    var context: PluginContext { accounts.services.context }
    var clock: any AuthClock { accounts.clock }

    /// Whether the gate has a record in the store.
    var hasRecord: Bool {
        guard authenticator != nil, !isKeyed else { return false }
        return policy.enrolment == .offered || (!policy.atLaunch && policy.interval != nil)
    }

    /// Whether account names are hidden because the gate is locked.
    var hidesLabels: Bool { !policy.showsLabels && !accounts.isOpen }

    var isInForce: Bool { state.withLock { $0.gate.isInForce } }
    var phase: AppPhase { state.withLock { $0.gate.phase } }

    func isShielded(at now: MonotonicInstant) -> Bool { state.withLock { $0.gate.isShielded(at: now) } }

    /// Changes the state, and does what follows: first for readers of tokens, then for listeners.
    @discardableResult
    func change(
        isProof: Bool = false, _ body: (inout GateState, MonotonicInstant) -> GateState.Change
    ) -> Bool {
        let (change, proofs) = state.withLock { state in
            let change = body(&state.gate, clock.now())
            let until = state.gate.openUntil
            accounts.table.openUntil = until
            accounts.alarm.set(.gate, at: until > .always && until < .never ? until : nil)
            state.events += change.events
            if isProof { state.proofs += 1 }
            return (change, state.proofs)
        }
        if change.closesStore, isKeyed {
            context.start("close") { [self] in await closeStore(unlessProvenSince: proofs) }
        }
        tell()
        return change.closesStore
    }

    /// Tells in order, one task at a time, and never with a lock held: a listener may run code of the app.
    private func tell() {
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
            case .locked: context.observer.observe(.gate(locked: true))
            // A launch at which nothing was switched on has opened nothing.
            case .unlocked where isInForce: context.observer.observe(.gate(locked: false))
            default: break
            }
            accounts.hub.tell(event)
        }
    }

    /// Locks: no token leaves, and what a key protects is dropped from memory.
    func close() async {
        guard authenticator != nil else { return }
        if !isInForce { await follow() }
        let proofs = state.withLock { $0.proofs }
        change { $0.lock(at: $1) }
        // A prompt that is up may stay for hours: the caller may leave before it ends.
        let flight = Flight<Void>()
        context.start("lock") { [self] in
            if isKeyed { await closeStore(unlessProvenSince: proofs) }
            await forgetProof()
            flight.land(.success(()))
        }
        _ = try? await flight.value()
    }

    /// Closes the store, once every answer that is under way is stored, so that locking does not
    /// lose a session that the service has made.
    private func closeStore(unlessProvenSince proofs: Int) async {
        guard let store = store as? any LockableStore else { return }
        let services = accounts.services
        let end = clock.now() + services.settings.familyDeadline
        // A conversation may bring the only tokens of a grant, and is in no lane until then.
        await services.exchanges.settled(within: end - clock.now(), by: clock)
        await lanes.quiet(within: max(end - clock.now(), .zero))
        await inTurn() { [self] in
            guard state.withLock({ $0.proofs }) == proofs else { return }
            await store.close()
            accounts.table.dropTokens()
        }
    }

    /// Runs `work` alone.
    func inTurn(_ work: () async -> Void) async {
        let key = StoreKey(.settings, "gate")
        let ticket = await locks.acquire(key)
        await work()
        locks.release(ticket, of: key)
    }

    /// Throws `locked` while the gate is shut.
    func requireOpen() async throws(AuthError) {
        if hasRecord { try await recall() }
        guard accounts.isOpen else { throw AuthError(.locked, "The sessions are locked.") }
    }

    /// A deadline of the gate may have passed.
    func lapse() { change { $0.lapse(at: $1) } }

    /// The app went out of sight, or came back.
    func enter(_ phase: AppPhase) async {
        guard authenticator != nil else { return }
        accounts.alarm.start()
        change { $0.enter(phase, at: $1) }
        if !isInForce { await follow() }
        if phase == .active { await lookAtAvailability() }
    }
}
