import FoundationEssentials
import LatchkeyLocked

/// What a client shares among its parts: plugins, tables, lanes. ``AuthClient`` is the face of it.
final class Engine: Sendable {
    let providers: [ProviderID: any AuthProvider]
    let store: any SessionStore
    let transport: any HTTPTransport
    let context: PluginContext
    let settings: EngineSettings
    let gate: Gate
    let table: AccountTable
    let hub = EventHub()
    let cache: MemoryCache
    let alarm: Alarm
    private let lanes = Locked<[StoreKey: Lane]>([:])
    private let ending = Locked((isWanted: false, debts: Set<StoreKey>()))
    private let offsets = Locked<[Binding: Duration]>([:])
    let restoration = Locked<Flight<[StoreKey: AuthError]>?>(nil)
    /// Sign-outs that the store did not take: calling again tries again.
    let goodbyes = Locked<[AccountID: AccountEntry]>([:])
    let failedRecords = Locked<[StoreKey: AuthError]>([:])
    let refusals = Refusals()

    init(
        providers: [ProviderID: any AuthProvider], store: any SessionStore, transport: any HTTPTransport,
        context: PluginContext, settings: EngineSettings, gate: Gate, table: AccountTable
    ) {
        self.providers = providers
        self.store = store
        self.transport = transport
        self.context = context
        self.settings = settings
        self.gate = gate
        self.table = table
        cache = MemoryCache(context)
        alarm = Alarm(context)
    }

    var clock: any AuthClock { context.clock }

    /// The lane of `key`: one actor per credential.
    func lane(_ key: StoreKey) -> Lane {
        lanes.withLock { lanes in
            if let lane = lanes[key] { return lane }
            let lane = Lane(key, self)
            lanes[key] = lane
            return lane
        }
    }

    /// Where a revocation ends every grant of the person, new ones included: the lane in which revocations, and the
    /// exchanges that grant anew, run one at a time.
    func grantsLane(_ rules: ProviderRules) -> Lane? {
        guard rules.revocationEndsEveryGrant else { return nil }
        let binding = rules.binding
        return lane(StoreKey(.settings, "grants \(binding.provider.name) \(binding.authority) \(binding.client)"))
    }

    /// The provider that `binding` was made with, if the configuration is still the same.
    func provider(for binding: Binding) throws(AuthError) -> any AuthProvider {
        guard let provider = providers[binding.provider] else {
            throw AuthError(
                .configuration(.changed), "No provider named \"\(binding.provider.name)\" is configured.",
                provider: binding.provider)
        }
        let configured = provider.rules.binding
        guard configured == binding else {
            let part = configured.authority == binding.authority ? "client" : "issuer"
            throw AuthError(
                .configuration(.changed),
                "The stored session was made with another \(part) than the one that is configured; nothing was sent.",
                provider: binding.provider)
        }
        return provider
    }

    func provider(named name: ProviderID) throws(AuthError) -> any AuthProvider {
        guard let provider = providers[name] else {
            throw AuthError(
                .configuration(.invalid), "No provider named \"\(name.name)\" is configured.", provider: name)
        }
        return provider
    }

    /// The key under which the credential of `account` is stored.
    func key(of account: AccountID, _ rules: ProviderRules) -> StoreKey {
        guard rules.sharesCredential else { return StoreKey(.credential, account.value) }
        let binding = rules.binding
        return StoreKey(.credential, "\(binding.provider.name) \(binding.authority) client \(binding.client)")
    }

    /// A context for one call of a provider, whose requests end before `until`.
    func providerContext(
        _ binding: Binding, until: MonotonicInstant? = nil
    ) -> (context: ProviderContext, transport: MeasuredTransport) {
        let measured = MeasuredTransport(transport, context, until: until)
        let offset = offsets.withLock { $0[binding] ?? .zero }
        return (ProviderContext(world: context, transport: measured, cache: cache, serverOffset: offset), measured)
    }

    /// Remembers what the service's clock showed; the offset to store.
    @discardableResult
    func learn(_ measured: MeasuredTransport, of binding: Binding) -> Duration {
        offsets.withLock { offsets in
            let known = offsets[binding] ?? .zero
            // Within two seconds is the noise of a field that counts whole ones.
            guard let found = measured.summary.offset, abs((found - known).inSeconds) > 2 else { return known }
            offsets[binding] = found
            return found
        }
    }

    func recall(_ offset: Duration, of binding: Binding) {
        offsets.withLock { offsets in
            if offsets[binding] == nil { offsets[binding] = offset }
        }
    }

    func offset(of binding: Binding) -> Duration { offsets.withLock { $0[binding] ?? .zero } }

    /// The same for judging the tokens of `record`. Where the clock was set back since, it makes each of another boot
    /// count as ended.
    func offset(for record: CredentialRecord) -> Duration {
        guard let binding = record.credential?.binding else { return .zero }
        return record.isAhead(of: clock.wall()) ? .seconds(-10_000_000_000) : offset(of: binding)
    }

    /// Notes whether the lane of `key` has something under way, or something that the store has not taken.
    func note(_ key: StoreKey, owes: Bool) {
        let isLast = ending.withLock { ending in
            if owes { ending.debts.insert(key) } else { ending.debts.remove(key) }
            return ending.isWanted && ending.debts.isEmpty
        }
        if isLast { finish() }
    }

    /// Stops everything that would go on by itself, once everything is stored: a session that the service has made
    /// is not lost because its client was let go.
    func stop() {
        hub.close()
        let isNow = ending.withLock { ending in
            ending.isWanted = true
            return ending.debts.isEmpty
        }
        if isNow { finish() }
    }

    /// Lets go of the lanes, which hold the engine as it holds them.
    private func finish() {
        alarm.stop()
        lanes.withLock { $0 = [:] }
    }
}
