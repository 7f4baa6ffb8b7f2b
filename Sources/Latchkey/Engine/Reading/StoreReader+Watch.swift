import LatchkeySystem

/// How changes by other processes reach the table and the events: the store tells of them, key by key.
extension StoreReader {
    /// Looks at what is under `key` now. One record is read, whatever the number of accounts.
    func see(_ key: StoreKey) async {
        guard !watch.isStopped else { return }
        guard accounts.isOpen else { return accounts.missed.note(key) }
        switch key.kind {
        case .credential:
            do throws(AuthError) {
                let seen = try await lanes.with(key) { lane throws(AuthError) in try await lane.look(atNews: true) }
                failedRecords.withLock { $0[key] = nil }
                // The process that signed out tells the service, unless it dies first.
                if case .ended(let record) = seen, !record.pending.isEmpty {
                    accounts.alarm.set(.revoke(key), at: clock.now() + .seconds(60) * (1 + services.context.jitter))
                }
            } catch {
                // The store is gone for a while, or locked: it tells again when it is back. What
                // callers hold stays good.
                guard error.code != .locked, error.code != .store(.unavailable) else { return }
                failedRecords.withLock { $0[key] = error }
            }
        case .settings where key == CurrentAccount.key:
            try? await seeCurrent()
        case .settings where key == GateRecord.key: await gate.follow()
        case .settings, .challenge, .device: break
        }
    }

    /// Looks at what changed while the gate was locked.
    func catchUp() async {
        let (keys, everything) = accounts.missed.take()
        if everything {
            try? await restore(again: true)
        } else {
            for key in keys where key.kind == .credential { await see(key) }
            for key in keys where key.kind != .credential { await see(key) }
        }
    }

    /// Listens anew after a stream that ended by itself.
    func relisten() async -> AsyncStream<StoreKey>? {
        guard !watch.isStopped, let store = store as? any WatchableStore else { return nil }
        let stream = store.changes()
        if accounts.isOpen { try? await restore(again: true) } else { accounts.missed.note(nil) }
        return stream
    }

    /// Shows the store's choice of the current account, unless this process chooses another meanwhile.
    func seeCurrent() async throws {
        for _ in 0..<Lane.commitTries {
            let before = current.choiceCount
            guard let stored = try await current.read(), accounts.isOpen else { return }
            // Sign-ins and sign-outs are told before the new current account, whichever the store
            // tells of first.
            if stored.account != accounts.table.current {
                for account in [accounts.table.current, stored.account].compactMap(\.self) {
                    for key in services.keys(of: account) { await see(key) }
                }
            }
            if current.show(stored.account, unlessChosenSince: before) { return }
        }
    }
}
