import FoundationEssentials
import LatchkeyJSON
import LatchkeyLocked

/// How what other processes do reaches the table and the events: by the store's word, key by key.
extension Engine {
    /// Looks at what is under `key` now. One record is read, whatever the number of accounts.
    func see(_ key: StoreKey) async {
        guard !watch.isStopped else { return }
        guard isOpen else { return watch.miss(key) }
        switch key.kind {
        case .credential:
            do throws(AuthError) {
                let seen = try await withLane(key) { lane throws(AuthError) in try await lane.look(atNews: true) }
                failedRecords.withLock { $0[key] = nil }
                // Whoever signed out tells the service, unless it dies first.
                if case .ended(let record) = seen, !record.pending.isEmpty {
                    alarm.set(.revoke(key), at: clock.now() + .seconds(60) * (1 + jitter))
                }
            } catch {
                // Gone for a while, or locked: it is told again when it is back. What callers hold stays good.
                guard error.code != .locked, error.code != .store(.unavailable) else { return }
                failedRecords.withLock { $0[key] = error }
            }
        case .settings where key == Self.currentKey:
            try? await seeCurrent()
        case .settings, .challenge, .device: break
        }
    }

    /// Looks at what changed while the gate was locked.
    func catchUp() async {
        let (keys, everything) = watch.takeMissed()
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
        if isOpen { try? await restore(again: true) } else { watch.miss(nil) }
        return stream
    }

    var isOpen: Bool { clock.now() < table.openUntil }
}

// MARK: The current account

extension Engine {
    static let currentKey = StoreKey(.settings, "current")

    /// Shows which account is the current one by the store, unless this process chooses another meanwhile.
    func seeCurrent() async throws {
        for _ in 0..<Lane.commitTries {
            let before = choices.withLock { $0 }
            guard let current = try await readCurrent(), isOpen else { return }
            // Who came or went is told before who of them is the current one, whichever the store tells of first.
            if current.account != table.current {
                for account in [table.current, current.account].compactMap(\.self) {
                    for key in keys(of: account) { await see(key) }
                }
            }
            if showCurrent(current.account, unlessChosenSince: before) { return }
        }
    }

    /// Whether nothing was chosen since `count`; then `account` is the current one.
    func showCurrent(_ account: AccountID?, unlessChosenSince count: Int) -> Bool {
        let isOther = choices.withLock { choices -> Bool? in
            guard choices == count else { return nil }
            choices += 1
            return table.choose(account)
        }
        if isOther == true { hub.tell(.currentChanged(account)) }
        return isOther != nil
    }

    /// What the store says; `nil`: nobody has chosen yet.
    func readCurrent() async throws -> (account: AccountID?, version: RecordVersion)? {
        guard let stored = try await store.read(Self.currentKey) else { return nil }
        let document = try RecordWire.open(stored.bytes, kind: "latchkey.current")
        return (document["account"].json?.string.map(AccountID.init), stored.version)
    }
}
