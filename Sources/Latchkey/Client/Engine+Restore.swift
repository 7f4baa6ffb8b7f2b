import FoundationEssentials
import LatchkeyJSON
import LatchkeyLocked

/// What is read at launch, and how the current account is kept.
extension Engine {
    /// Stands for the list itself among the records that could not be read.
    private static let listKey = StoreKey(.credential, "")

    /// Reads the store once, however many ask. Records that cannot be read are remembered by their key, and fail only
    /// what needs them.
    func restore(again: Bool = false) async throws(AuthError) {
        if table.isRestored, !again { return }
        if gate.hasRecord { try await gate.recall(self) }
        var reading = joinReading(atLeast: nil)
        // What another process did before this call may have come too late for a reading that was under way.
        if again, !reading.isNew {
            do { _ = try await reading.flight.value() } catch  where Task.isCancelled { throw error } catch {}
            reading = joinReading(atLeast: reading.number + 1)
        }
        _ = try await reading.flight.value()
    }

    /// Lets the one sleeping task begin, once.
    func startAlarm() { alarm.start { [weak self] purpose in await self?.fire(purpose) } }

    /// Joins the reading under way, or begins one. Each has a number; with `least`, one before that is not joined: it
    /// has ended.
    private func joinReading(atLeast least: Int?) -> (flight: Reading, number: Int, isNew: Bool) {
        let (flight, number, isNew) = restoration.withLock { state -> (Reading, Int, Bool) in
            if let flight = state.flight, state.number >= least ?? 0 { return (flight, state.number, false) }
            let flight = Reading()
            state.number += 1
            state.flight = flight
            return (flight, state.number, true)
        }
        guard isNew else { return (flight, number, false) }
        // Before anything is read, so that nothing changes unseen in between.
        if settings.followsStore { watch.listen(to: store) }
        context.start("restore") { [self] in
            let result = await readEverything()
            if case .success(let failed) = result {
                failedRecords.withLock { $0 = failed }
                table.isRestored = true
                // Here, and not by who waits for it: that one may have been cancelled, and was perhaps the only one.
                startAlarm()
                watch.run(self)
            }
            restoration.withLock { if $0.number == number { $0.flight = nil } }
            flight.land(result)
        }
        return (flight, number, true)
    }

    private func readEverything() async -> Result<[StoreKey: AuthError], AuthError> {
        do {
            var failed: [StoreKey: AuthError] = [:]
            let chosen = choices.withLock { $0 }
            let current = try await readCurrent()?.account
            let (keys, gap) = try await credentialKeys(current)
            if let gap { failed[Self.listKey] = gap }
            // What people share is read last, so that it is what is shown of whoever is in both.
            for key in keys.filter(isOwn) + keys.filter({ !isOwn($0) }) {
                do {
                    try await readRecord(key)
                } catch {
                    let failure = AuthError(error)
                    // A store that is locked, unreachable or open to others is so for every record: those that were read
                    // before it was found out would stand for all there are.
                    if [.locked, .store(.unavailable), .store(.insecurePermissions)].contains(failure.code) {
                        throw failure
                    }
                    failed[key] = failure
                }
            }
            for key in keys where isOwn(key) { await settle(AccountID(key.name), at: key) }
            let known = Set(keys)
            for entry in table.entries where gap == nil && !known.contains(entry.key) && entry.isDurable {
                withdraw(entry.account, login: entry.login, by: .elsewhere)
            }
            if let current { _ = showCurrent(current, unlessChosenSince: chosen) }
            if current == nil, table.current == nil, let only = table.only { _ = table.choose(only) }
            return .success(failed)
        } catch {
            return .failure(AuthError(error))
        }
    }

    /// The keys to read. Where one damaged file keeps the store from listing them all, the current account's is read
    /// all the same: damage to one account is not to lock the person out of another.
    private func credentialKeys(_ current: AccountID?) async throws -> ([StoreKey], gap: AuthError?) {
        let begun = clock.now()
        do {
            let keys = try await store.keys(.credential)
            context.observer.observe(.store(.credential, .keys, .done, took: clock.now() - begun))
            return (keys, nil)
        } catch let error as AuthError where error.code == .store(.damaged) {
            context.observer.observe(.store(.credential, .keys, .failed, took: clock.now() - begun))
            return (current.map(keys(of:)) ?? [], error)
        }
    }

    private func readRecord(_ key: StoreKey) async throws(AuthError) {
        let seen = try await withLane(key) { lane throws(AuthError) in
            let seen = try await lane.look()
            if case .ended = seen { await lane.sweep() }
            return seen
        }
        switch seen {
        case .nothing: break
        case .live(let record), .ended(let record): remind(record, of: key)
        }
    }

    private func remind(_ record: CredentialRecord, of key: StoreKey) {
        if !record.pending.isEmpty { alarm.set(.revoke(key), at: clock.now() + .seconds(5)) }
    }

    /// Shows the name of an account that the service ended, and why, where it is not shown already.
    func showEnded(
        _ ended: CredentialRecord.Ended, of account: AccountID, in record: CredentialRecord, under key: StoreKey
    ) {
        guard let binding = binding(ofAccountNamed: account.value), table.entry(account) == nil else { return }
        var entry = AccountEntry(
            account: account, key: key, binding: binding, login: ended.login, session: AuthSession.ID(""),
            label: ended.label)
        entry.required = ended.cause.reason
        entry.pendingRevocations = record.pending.count
        table.put(entry)
    }

    /// The configured binding whose account this is.
    private func binding(ofAccountNamed name: String) -> ProviderBinding? {
        providers.values.map(\.rules.binding).first { name.hasPrefix("\($0.provider.name) \($0.authority) ") }
    }

    /// Makes `account` the current one, for every process of the store.
    func choose(_ account: AccountID?) async throws(AuthError) {
        let bytes = JSONDraft.members([
            "kind": "latchkey.current", "format": .integer(1), "account": account.map { .string($0.value) },
        ]).serialized()
        do {
            for _ in 0..<Lane.commitTries {
                let before = choices.withLock { $0 }
                let version = try await store.read(Self.currentKey)?.version
                do {
                    try await store.replace(Self.currentKey, at: version, with: bytes)
                } catch is StoreConflict {
                    continue
                }
                // Another choice was shown since: which of the two came last, the store knows.
                if !showCurrent(account, unlessChosenSince: before) { try await seeCurrent() }
                return
            }
        } catch {
            throw AuthError(error)
        }
        throw AuthError(StoreConflict())
    }

    /// Does what an alarm is for.
    func fire(_ purpose: Alarm.Purpose) async {
        switch purpose {
        case .refresh(let account): refreshAhead(account)
        case .gate: gate.lapse(self)
        case .save(let key):
            context.start("save") { [self] in await withLane(key) { lane in await lane.saveAgain() } }
        case .revoke(let key):
            context.start("revoke") { [self] in await withLane(key) { lane in await lane.work() } }
        }
    }
}
