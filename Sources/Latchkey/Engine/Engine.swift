import LatchkeySystem

/// The engine behind ``AuthClient``. It puts together the owners of what a client has.
///
/// | Owner | What it owns |
/// | --- | --- |
/// | ``Services`` | the providers, their contexts, how far their clocks are ahead |
/// | ``Accounts`` | what callers see: the table of accounts and tokens, the events, the alarm |
/// | ``Lanes`` | the lanes, and what of them is not stored yet |
/// | ``StoreReader`` | what is read at launch and when the store tells of a change |
/// | ``SignIns`` | conversations, their stored challenges |
/// | ``Gate`` | whether tokens may leave |
final class Engine: Sendable {
    let store: any SessionStore
    let services: Services
    let accounts: Accounts
    let lanes: Lanes
    let reader: StoreReader
    let gate: Gate
    let refusals = TokenRefusals()
    let workRests = WorkRests()
    let attempts: SignInAttempts
    private let refreshes = RefreshQueue()
    /// Whether the clock is the machine's own, which ``now`` reads directly.
    private let readsSystemClock: Bool

    init(services: Services, store: any SessionStore, gate parts: Gate.Parts) {
        self.services = services
        self.store = store
        readsSystemClock = services.clock is SystemClock
        attempts = SignInAttempts(services.context)
        let gateState = parts.initialState
        accounts = Accounts(AccountTable(openUntil: gateState.openUntil), services: services)
        lanes = Lanes(store, accounts: accounts)
        gate = Gate(parts, gateState, store, accounts, lanes)
        reader = StoreReader(store, accounts, lanes, gate)
        accounts.alarm.handle { [weak self] purpose in await self?.fire(purpose) }
    }

    var context: PluginContext { services.context }
    var settings: EngineSettings { services.settings }
    var clock: any AuthClock { services.clock }
    /// The time by ``clock``.
    var now: MonotonicInstant { readsSystemClock ? SystemClock.uptime() : services.clock.now() }
    var table: AccountTable { accounts.table }
    var signIns: SignIns { SignIns(store: store, accounts: accounts, lanes: lanes, reader: reader, gate: gate) }

    /// Does what the alarm was set for.
    private func fire(_ purpose: Alarm.Purpose) async {
        switch purpose {
        case .refresh(let account): refreshAhead(account)
        case .warn(let account): accounts.warn(account)
        case .over(let account): accounts.tellOver(account)
        case .gate: gate.lapse()
        case .save(let key):
            context.start("save") { [self] in await lanes.with(key) { lane in await lane.storeUnstoredInTurn() } }
        case .revoke(let key):
            context.start("revoke") { [self] in await lanes.with(key) { lane in await lane.work() } }
        }
    }

    /// Refreshes ahead of need, when it is the account's turn.
    private func refreshAhead(_ account: AccountID) {
        guard refreshes.enter(account) else { return }
        context.start("refresh") { [self] in
            var turn: AccountID? = account
            while let account = turn {
                await refreshStale(account)
                turn = refreshes.leave()
            }
        }
    }

    private func refreshStale(_ account: AccountID) async {
        // While locked, background work asks nobody and fetches nothing; unlocking schedules it again.
        guard accounts.isOpen, let entry = table.entry(account) else { return }
        if entry.isOfflineWithoutToken {
            let demand = Demand(want: Want(account: account, audience: .standard))
            _ = try? await lanes.with(entry.key) { lane in try await lane.token(demand) }
        }
        for (audience, snapshot) in entry.tokens
        where clock.now() >= snapshot.staleAt && entry.trouble.refusedAudiences[audience] == nil {
            let demand = Demand(want: Want(account: account, audience: audience), old: snapshot.token)
            _ = try? await lanes.with(entry.key) { lane in try await lane.token(demand) }
            // What came meanwhile, from this refresh or another process's, does not end soon.
            if let now = table.entry(account), now.trouble.failing != nil, let left = now.tokens[audience],
                left.token == snapshot.token
            {
                accounts.warnOfAccess(left, of: account)
            }
        }
    }

    /// Stops what would go on by itself. The alarm goes on until everything is stored.
    func stop() {
        accounts.hub.close()
        refreshes.close()
        reader.watch.stop()
        lanes.stop { [self] in accounts.alarm.stop() }
    }
}
