import LatchkeySystem

/// How changes by other processes reach the table and the events: the store tells of them, key by key.
extension StoreReader {
    /// Looks at what is under `key` now. One record is read, whatever the number of accounts.
    ///
    /// - Returns: Why it could not be looked at, if nothing of the store can be: it is to be read once that is over.
    @discardableResult
    func see(_ key: StoreKey) async -> AuthError? {
        guard !watch.isStopped else { return nil }
        guard accounts.isOpen else {
            accounts.missed.note(key)
            return nil
        }
        do throws(AuthError) {
            switch key.kind {
            case .credential where !follows(key): break
            case .credential: try await seeCredential(key)
            case .settings where key == CurrentAccount.key: try await seeCurrent()
            case .settings where key == GateRecord.key: await gate.follow()
            case .settings, .challenge, .device: break
            }
        } catch {
            return error.concernsEveryRecord ? error : nil
        }
        return nil
    }

    private func seeCredential(_ key: StoreKey) async throws(AuthError) {
        do throws(AuthError) {
            let seen = try await lanes.with(key) { lane throws(AuthError) in try await lane.look(atNews: true) }
            failedRecords.withLock { $0[key] = nil }
            // The process that signed out tells the service, unless it dies first.
            if case .ended(let record) = seen, !record.pending.isEmpty {
                accounts.alarm.set(.revoke(key), at: clock.now() + .seconds(60) * (1 + services.context.jitter))
            }
        } catch {
            // Of one that cannot be read for a while, what callers hold stays good.
            guard !error.concernsEveryRecord else { throw error }
            failedRecords.withLock { $0[key] = error }
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

    /// Listens anew, and reads what changed while nothing was heard.
    func relisten() async -> StoreWatch.Again {
        guard !watch.isStopped, let store = store as? any WatchableStore else { return .never }
        let stream: AsyncStream<StoreKey>
        do { stream = try await store.changes() } catch {
            let failure = AuthError(error)
            guard failure.code == .configuration(.unsupported) else { return .failed(failure) }
            services.context.observer.observe(.storeFailure(.credential, .watch, failure.code))
            return .never
        }
        guard accounts.isOpen else {
            accounts.missed.note(nil)
            return .listening(stream)
        }
        do throws(AuthError) { try await restore(again: true) } catch { return .failed(error) }
        return .listening(stream)
    }

    /// Shows the store's choice of the current account, unless this process chooses another meanwhile.
    func seeCurrent() async throws(AuthError) {
        for _ in 0..<Lane.commitTries {
            let before = current.choiceCount
            let stored: (account: AccountID?, version: RecordVersion)?
            do { stored = try await current.read() } catch { throw AuthError(error) }
            guard let stored, accounts.isOpen else { return }
            // Sign-ins and sign-outs are told before the new current account, whichever the store
            // tells of first.
            if stored.account != accounts.table.current {
                for account in [accounts.table.current, stored.account].compactMap(\.self) {
                    for key in services.keys(of: account) {
                        if let trouble = await see(key) { throw trouble }
                    }
                }
            }
            if current.show(stored.account, unlessChosenSince: before) { return }
        }
    }
}
