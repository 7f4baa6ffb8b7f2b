import LatchkeySystem

/// The lanes of a client: one for each credential in use, and no longer than that.
final class Lanes: LaneOwner {
    /// A lane, and what keeps it.
    private struct Lease {
        let lane: Lane
        /// How many callers are in it now.
        var users = 0
        /// Whether it has work under way, or knows what nothing else knows.
        var isKept = false
    }

    private struct Leases {
        var lanes: [StoreKey: Lease] = [:]
        /// How often each lane was used since ``noteUses()``; `nil` while nobody asks.
        var uses: [StoreKey: Int]?
    }

    /// What is under way or not stored, and who waits for its end.
    private struct Owed {
        var keys: Set<StoreKey> = []
        var waiting: [Flight<Void>] = []
        /// What the store has not taken, and who waits until it has.
        var unstored: [StoreKey: AuthError] = [:]
        var waitingForStore: [Flight<Void>] = []
        /// Set when the client is gone: what to do once nothing is owed any more. It keeps the
        /// engine until then.
        var finish: (@Sendable () -> Void)?
    }

    private let store: any SessionStore
    let accounts: Accounts
    private let locks: KeyLocks
    private let leases = Locked(Leases())
    private let owed = Locked(Owed())
    private let ended = Flight<Void>()

    init(_ store: any SessionStore, accounts: Accounts) {
        self.store = store
        self.accounts = accounts
        locks = KeyLocks(store, accounts.services.context, deadline: accounts.services.settings.lockDeadline)
    }

    /// Runs `work` in the lane of `key`: one actor per credential, and never two at a time.
    ///
    /// A lane is let go when nobody is in it, nothing of it is under way and it holds nothing that
    /// the store does not, so that a process with many accounts has only the lanes that it needs.
    /// All three are checked under the lock that hands lanes out, and a lane that was let go runs
    /// nothing more.
    func with<Value: Sendable, Failure: Error>(
        _ key: StoreKey, _ work: (Lane) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let lane = leases.withLock { leases in
            leases.uses?[key, default: 0] += 1
            if let found = leases.lanes.index(forKey: key) {
                leases.lanes.values[found].users += 1
                return leases.lanes.values[found].lane
            }
            let lane = Lane(place(of: key), accounts, owner: self)
            leases.lanes[key] = Lease(lane: lane, users: 1)
            return lane
        }
        defer { change(key) { $0.users -= 1 } }
        return try await work(lane)
    }

    private func place(of key: StoreKey) -> RecordPlace {
        let services = accounts.services
        let isShared = services.sharing(key) != nil
        return RecordPlace(
            key: key, isShared: isShared, sharesKey: isShared && !services.isOwn(key), store: store, locks: locks,
            context: services.context)
    }

    /// How many lanes there are.
    var count: Int { leases.withLock { $0.lanes.count } }

    /// Remembers from now on which lanes are used, until ``forgetUses()``. Those in use count.
    func noteUses() { leases.withLock { $0.uses = $0.lanes.mapValues { _ in 1 } } }

    /// Whether the caller, which is in the lane of `key`, is the first there since ``noteUses()``.
    func isFirst(in key: StoreKey) -> Bool { leases.withLock { $0.uses?[key] == 1 } }

    /// Ends what ``noteUses()`` began.
    func forgetUses() { leases.withLock { $0.uses = nil } }

    /// Changes what is known of a lane, and lets it go if nothing keeps it.
    private func change(_ key: StoreKey, _ change: (inout Lease) -> Void) {
        // Let go outside of the lock: the end of a lane may run code of the store.
        _ = leases.withLock { leases -> Lane? in
            guard let found = leases.lanes.index(forKey: key) else { return nil }
            change(&leases.lanes.values[found])
            let lease = leases.lanes.values[found]
            return lease.users > 0 || lease.isKept ? nil : leases.lanes.remove(at: found).value.lane
        }
    }

    func note(_ key: StoreKey, owes: Bool, unstored: AuthError?, remembers: Bool) {
        change(key) { $0.isKept = owes || remembers }
        noteUnstored(key, unstored)
        noteOwed(key, owes)
    }

    private func noteUnstored(_ key: StoreKey, _ trouble: AuthError?) {
        let waiting = owed.withLock { owed -> [Flight<Void>] in
            owed.unstored[key] = trouble
            guard owed.unstored.isEmpty else { return [] }
            defer { owed.waitingForStore = [] }
            return owed.waitingForStore
        }
        for flight in waiting { flight.land(.success(())) }
    }

    private func noteOwed(_ key: StoreKey, _ owes: Bool) {
        let (finish, waiting) = owed.withLock { owed -> ((@Sendable () -> Void)?, [Flight<Void>]) in
            if owes { owed.keys.insert(key) } else { owed.keys.remove(key) }
            guard owed.keys.isEmpty else { return (nil, []) }
            defer { (owed.waiting, owed.finish) = ([], nil) }
            return (owed.finish, owed.waiting)
        }
        for flight in waiting { flight.land(.success(())) }
        if let finish { end(finish) }
    }

    func alone<Value: Sendable>(
        _ key: StoreKey, waits: Bool, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        noteOwed(key, true)
        defer { noteOwed(key, locks.isTaken(key)) }
        return try await locks.alone(key, waits: waits, work)
    }
}

/// The end of a client.
extension Lanes {
    /// Calls `finish` once everything is stored, and keeps what it refers to until then, so that a
    /// session that the service has made is not lost when its client is let go.
    func stop(_ finish: @escaping @Sendable () -> Void) {
        let isNow = owed.withLock { owed in
            if !owed.keys.isEmpty { owed.finish = finish }
            return owed.keys.isEmpty
        }
        if isNow { end(finish) }
    }

    private func end(_ finish: () -> Void) {
        finish()
        ended.land(.success(()))
        _ = leases.withLock { leases in
            defer { leases = Leases() }
            return leases
        }
    }

    /// Waits until nothing that must be stored is under way, at most for `limit`.
    func quiet(within limit: Duration) async {
        let flight = Flight<Void>()
        let isQuiet = owed.withLock { owed in
            if !owed.keys.isEmpty { owed.waiting.append(flight) }
            return owed.keys.isEmpty
        }
        if !isQuiet { await flight.hasLanded(within: limit, by: accounts.clock) }
    }

    /// Why the store has not taken something that it must take; `nil` if it has taken everything.
    var unstored: AuthError? { owed.withLock { $0.unstored.min { $0.key.name < $1.key.name }?.value } }

    /// Waits until the store has taken everything, at most for `limit`.
    func stored(within limit: Duration) async {
        let flight = Flight<Void>()
        let isStored = owed.withLock { owed in
            if !owed.unstored.isEmpty { owed.waitingForStore.append(flight) }
            return owed.unstored.isEmpty
        }
        if !isStored { await flight.hasLanded(within: limit, by: accounts.clock) }
    }

    /// Waits, after ``stop(_:)``, until everything is stored, at most for `limit`.
    func settled(within limit: Duration) async { await ended.hasLanded(within: limit, by: accounts.clock) }
}
