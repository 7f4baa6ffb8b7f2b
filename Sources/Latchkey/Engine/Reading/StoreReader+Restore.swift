import LatchkeySystem

/// What is read at launch.
extension StoreReader {
    /// Stands for the list itself among the records that could not be read.
    private static let listKey = StoreKey(.credential, "")
    /// How many records are asked for at once. More would hold up the first of them.
    private static let together = 64

    /// Reads the store once, however many callers ask. Records that cannot be read are remembered
    /// by their key, and fail only the calls that need them.
    func restore(again: Bool = false) async throws(AuthError) {
        if accounts.table.isRestored, !again { return }
        if gate.hasRecord { try await gate.recall() }
        var reading = joinReading(atLeast: nil)
        // A reading that was under way may have missed what another process did before this call.
        if again, !reading.isNew {
            do { _ = try await reading.flight.value() } catch  where Task.isCancelled { throw error } catch {}
            reading = joinReading(atLeast: reading.number + 1)
        }
        _ = try await reading.flight.value()
    }

    /// Joins the reading under way, or begins one. Each has a number. One before `least` has ended,
    /// and is not joined.
    private func joinReading(atLeast least: Int?) -> (flight: Reading, number: Int, isNew: Bool) {
        let (flight, number, isNew) = restoration.withLock { state -> (Reading, Int, Bool) in
            if let flight = state.flight, state.number >= least ?? 0 { return (flight, state.number, false) }
            let flight = Reading()
            state.number += 1
            state.flight = flight
            return (flight, state.number, true)
        }
        guard isNew else { return (flight, number, false) }
        accounts.services.context.start("restore") { [self] in
            // Listen before anything is read, so that no change in between goes unseen.
            if accounts.services.settings.followsStore { await watch.listen(to: store) }
            let result = await readEverything()
            if case .success(let failed) = result {
                failedRecords.withLock { $0 = failed }
                accounts.table.isRestored = true
                // Done here and not by the waiting caller: it may have been cancelled, and may have
                // been the only one.
                accounts.alarm.start()
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
            let chosen = current.choiceCount
            let chosenAccount: AccountID?
            do { chosenAccount = try await current.read()?.account } catch {
                let failure = AuthError(error)
                guard failure.code == .store(.damaged) else { throw failure }
                // Nobody knows then who is meant by a call that names nobody; calls that do are served.
                failed[CurrentAccount.key] = failure
                chosenAccount = nil
            }
            let (keys, gap) = try await credentialKeys(chosenAccount)
            if let gap { failed[Self.listKey] = gap }
            // What people share is read last, so that an account that is in both is shown from there.
            let ordered = keys.filter(services.isOwn) + keys.filter { !services.isOwn($0) }
            defer { lanes.forgetUses() }
            for start in stride(from: 0, to: ordered.count, by: Self.together) {
                let some = ordered[start..<min(start + Self.together, ordered.count)]
                lanes.noteUses()
                let given = try await readTogether(some)
                for key in some { failed[key] = try await readable(key, given: given[key]) }
            }
            for key in keys where services.isOwn(key) {
                await lanes.keepOneSession(of: AccountID(key.name))
            }
            // An account that is not on the list is gone, or has signed in since the list was made: its record tells.
            let known = Set(keys)
            let others = accounts.table.entries.filter { gap == nil && !known.contains($0.key) && $0.isDurable }
                .map(\.key)
            for key in Set(others).sorted(by: { $0.name < $1.name }) { failed[key] = try await readable(key) }
            if let chosenAccount {
                _ = current.show(chosenAccount, unlessChosenSince: chosen)
            } else if accounts.table.current == nil, !opensByName, let only = accounts.table.only {
                _ = current.show(only, unlessChosenSince: chosen)
            }
            return .success(failed)
        } catch {
            return .failure(AuthError(error))
        }
    }

    /// The keys to read. If a damaged file keeps the store from listing them all, those that it can
    /// list and the current account's are read all the same: damage to one account must not lock the
    /// person out of another.
    private func credentialKeys(_ current: AccountID?) async throws -> ([StoreKey], gap: AuthError?) {
        if opensByName { return (openedKeys, nil) }
        let begun = clock.now()
        do {
            let keys = try await store.keys(.credential)
            services.context.observer.observe(.store(.credential, .keys, .done, took: clock.now() - begun))
            return (keys, nil)
        } catch {
            let failure = AuthError(error)
            services.context.observer.observe(.store(.credential, .keys, .failed, took: clock.now() - begun))
            services.context.observer.observe(.storeFailure(.credential, .keys, failure.code))
            guard failure.code == .store(.damaged) else { throw failure }
            let readable = try await (store as? any DamageTolerantStore)?.readableKeys(.credential) ?? []
            let chosen = current.map(services.keys(of:)) ?? []
            return (readable + chosen.filter { !readable.contains($0) }, failure)
        }
    }

    /// The keys of the credentials that can be listed beside a damaged record.
    func listedKeys() async throws -> [StoreKey] {
        do { return try await store.keys(.credential) } catch {
            guard AuthError(error).code == .store(.damaged), let tolerant = store as? any DamageTolerantStore else {
                throw error
            }
            return try await tolerant.readableKeys(.credential)
        }
    }

    /// Reads the record under `key`.
    ///
    /// - Parameter given: The record, if it was read already, with others.
    /// - Returns: Why it cannot be read, if that concerns this record alone.
    /// - Throws: What keeps every record from being read: the store is locked, unreachable or open to others. If this were
    ///   not thrown, the records that were read before would stand for all there are.
    func readable(_ key: StoreKey, given: StoredRecord? = nil) async throws(AuthError) -> AuthError? {
        do throws(AuthError) { try await readRecord(key, given) } catch {
            if error.concernsEveryRecord { throw error }
            return error
        }
        return nil
    }

    private func readRecord(_ key: StoreKey, _ given: StoredRecord?) async throws(AuthError) {
        let seen = try await lanes.with(key) { lane throws(AuthError) in
            // What somebody has read or stored since it was read with others is newer.
            let seen = try await lane.look(given: lanes.isFirst(in: key) ? given : nil)
            if case .ended = seen { await lane.sweep() }
            return seen
        }
        switch seen {
        case .nothing: break
        case .live(let record), .ended(let record):
            if !record.pending.isEmpty { accounts.alarm.set(.revoke(key), at: clock.now() + .seconds(5)) }
        }
    }
}

extension AuthError {
    /// Whether the store as a whole cannot be read now, and not one record.
    var concernsEveryRecord: Bool { [.locked, .store(.unavailable), .store(.insecurePermissions)].contains(code) }
}
