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
    let refreshes = RefreshQueue()
    let watch = StoreWatch()
    private let lanes = Locked<[StoreKey: Berth]>([:])
    private let ending = Locked((isWanted: false, debts: Set<StoreKey>(), waiting: [Flight<Void>]()))
    private let ended = Flight<Void>()
    private let offsets = Locked<[ProviderBinding: Duration]>([:])
    typealias Reading = Flight<[StoreKey: AuthError]>
    let restoration = Locked<(flight: Reading?, number: Int)>((nil, 0))
    /// Sign-outs that the store did not take: calling again tries again.
    let goodbyes = Locked<[AccountID: AccountEntry]>([:])
    let failedRecords = Locked<[StoreKey: AuthError]>([:])
    let refusals = Refusals()
    /// Counts what was shown as the current account, so that an older reading is not shown over it.
    let choices = Locked(0)
    /// Whether the clock is the machine's, which is read without asking what it is.
    private let readsSystemClock: Bool

    /// A lane, and why it is there.
    private struct Berth {
        let lane: Lane
        /// How many are in it now.
        var users = 0
        /// Whether it goes on by itself, or knows what nobody else does.
        var isKept = false
    }

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
        readsSystemClock = context.clock is SystemClock
    }

    var clock: any AuthClock { context.clock }

    /// The time by ``clock``.
    var now: MonotonicInstant { readsSystemClock ? SystemClock.uptime() : context.clock.now() }

    /// Runs `work` in the lane of `key`: one actor per credential, and never two at a time.
    ///
    /// A lane is let go when nobody is in it, nothing of it is under way and it holds nothing that the store does not,
    /// so that a process with many accounts has only the lanes that it needs. All three are looked at under the lock
    /// that hands lanes out, and a lane that was let go runs nothing any more.
    func withLane<Value: Sendable, Failure: Error>(
        _ key: StoreKey, _ work: (Lane) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let lane = lanes.withLock { lanes in
            if let found = lanes.index(forKey: key) {
                lanes.values[found].users += 1
                return lanes.values[found].lane
            }
            let lane = Lane(key, self)
            lanes[key] = Berth(lane: lane, users: 1)
            return lane
        }
        defer { change(key) { $0.users -= 1 } }
        return try await work(lane)
    }

    /// How many lanes there are.
    var laneCount: Int { lanes.withLock { $0.count } }

    /// Changes what is known of a lane, and lets it go if nothing keeps it.
    private func change(_ key: StoreKey, _ change: (inout Berth) -> Void) {
        // Let go outside of the lock: with the last lane the engine itself may end.
        _ = lanes.withLock { lanes -> Lane? in
            guard let found = lanes.index(forKey: key) else { return nil }
            change(&lanes.values[found])
            let berth = lanes.values[found]
            return berth.users > 0 || berth.isKept ? nil : lanes.remove(at: found).value.lane
        }
    }

    /// Where a revocation ends every grant of the person, new ones included: names the lane in which revocations, and the
    /// exchanges that grant anew, run one at a time.
    func grantsKey(_ rules: ProviderRules) -> StoreKey? {
        guard rules.revocationEndsEveryGrant else { return nil }
        let binding = rules.binding
        return StoreKey(.settings, "grants \(binding.provider.name) \(binding.authority) \(binding.client)")
    }

    /// The provider that `binding` was made with, if the configuration is still the same.
    func provider(for binding: ProviderBinding) throws(AuthError) -> any AuthProvider {
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

    /// A context for one call of a provider, whose requests end before `until`.
    ///
    /// - Parameter deadline: How long the request may take that the call is about; `nil`: as any request.
    func providerContext(
        _ binding: ProviderBinding, until: MonotonicInstant? = nil, deadline: Duration? = nil
    ) -> (context: ProviderContext, transport: MeasuredTransport) {
        let measured = MeasuredTransport(transport, context, until: until)
        let offset = offsets.withLock { $0[binding] ?? .zero }
        let context = ProviderContext(
            world: context, transport: measured, cache: cache, serverOffset: offset,
            deadline: deadline ?? settings.requestDeadline, lookupDeadline: settings.requestDeadline,
            memory: DeviceMemory(store, of: binding))
        return (context, measured)
    }

    /// Remembers what the service's clock showed; the offset to store.
    @discardableResult
    func learn(_ measured: MeasuredTransport, of binding: ProviderBinding) -> Duration {
        offsets.withLock { offsets in
            let known = offsets[binding] ?? .zero
            // Within two seconds is the noise of a field that counts whole ones.
            guard let found = measured.summary.offset, abs((found - known).inSeconds) > 2 else { return known }
            offsets[binding] = found
            return found
        }
    }

    func recall(_ offset: Duration, of binding: ProviderBinding) {
        offsets.withLock { offsets in
            if offsets[binding] == nil { offsets[binding] = offset }
        }
    }

    func offset(of binding: ProviderBinding) -> Duration { offsets.withLock { $0[binding] ?? .zero } }

    /// The same for judging the tokens of `record`. Where the clock was set back since, it makes each of another boot
    /// count as ended.
    func offset(for record: CredentialRecord) -> Duration {
        guard let binding = record.credential?.binding else { return .zero }
        return record.isAhead(of: clock.wall()) ? .seconds(-10_000_000_000) : offset(of: binding)
    }

    /// Notes whether the lane of `key` has something under way, or something that the store has not taken; and
    /// whether it must stay for that or for what it remembers.
    func note(_ key: StoreKey, owes: Bool, remembers: Bool) {
        change(key) { $0.isKept = owes || remembers }
        let (isLast, waiting) = ending.withLock { ending in
            if owes { ending.debts.insert(key) } else { ending.debts.remove(key) }
            guard ending.debts.isEmpty else { return (false, [Flight<Void>]()) }
            defer { ending.waiting = [] }
            return (ending.isWanted, ending.waiting)
        }
        for flight in waiting { flight.land(.success(())) }
        if isLast { finish() }
    }

    /// Stops everything that would go on by itself, once everything is stored: a session that the service has made
    /// is not lost because its client was let go.
    func stop() {
        hub.close()
        refreshes.close()
        watch.stop()
        let isNow = ending.withLock { ending in
            ending.isWanted = true
            return ending.debts.isEmpty
        }
        if isNow { finish() }
    }

    /// Waits until nothing is under way that is to be stored, or for `limit`.
    func quiet(within limit: Duration) async {
        let flight = Flight<Void>()
        let isQuiet = ending.withLock { ending in
            if !ending.debts.isEmpty { ending.waiting.append(flight) }
            return ending.debts.isEmpty
        }
        if isQuiet { return }
        let end = clock.now() + limit
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await flight.value() }
            group.addTask { [clock] in try? await clock.sleep(until: end) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Waits, after ``stop()``, until everything is stored, or for `limit`.
    func settled(within limit: Duration) async {
        let end = clock.now() + limit
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [ended] in _ = try? await ended.value() }
            group.addTask { [clock] in try? await clock.sleep(until: end) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Lets go of the lanes, which hold the engine as it holds them.
    private func finish() {
        ended.land(.success(()))
        alarm.stop()
        _ = lanes.withLock { lanes in
            defer { lanes = [:] }
            return lanes
        }
    }
}
