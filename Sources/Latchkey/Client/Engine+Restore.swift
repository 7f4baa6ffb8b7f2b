import FoundationEssentials
import LatchkeyJSON
import LatchkeyLocked

/// What is read at launch, and how the current account is kept.
extension Engine {
    private static let currentKey = StoreKey(.settings, "current")
    /// Stands for the list itself among the records that could not be read.
    private static let listKey = StoreKey(.credential, "")

    /// Reads the store once, however many ask. Records that cannot be read are remembered by their key, and fail only
    /// what needs them.
    func restore(again: Bool = false) async throws(AuthError) {
        if table.isRestored, !again { return }
        let (flight, isFirst) = restoration.withLock { running in
            if let running { return (running, false) }
            let flight = Flight<[StoreKey: AuthError]>()
            running = flight
            return (flight, true)
        }
        if isFirst {
            context.start("restore") { [self] in
                let result = await readEverything()
                if case .success(let failed) = result {
                    failedRecords.withLock { $0 = failed }
                    table.isRestored = true
                }
                restoration.withLock { $0 = nil }
                flight.land(result)
            }
        }
        _ = try await flight.value()
        alarm.start { [weak self] purpose in await self?.fire(purpose) }
    }

    private func readEverything() async -> Result<[StoreKey: AuthError], AuthError> {
        do {
            var failed: [StoreKey: AuthError] = [:]
            let current = try await readCurrent()
            let (keys, gap) = try await credentialKeys(current)
            if let gap { failed[Self.listKey] = gap }
            for key in keys {
                do {
                    try await readRecord(key)
                } catch {
                    let failure = AuthError(error)
                    // A store that is locked or unreachable is so for every record.
                    if failure.code == .locked || failure.code == .store(.unavailable) { throw failure }
                    failed[key] = failure
                }
            }
            let known = Set(keys)
            for entry in table.entries where gap == nil && !known.contains(entry.key) && entry.isDurable {
                withdraw(entry.account, login: entry.login, by: .elsewhere)
            }
            if let current, table.choose(current) { hub.tell(.currentChanged(current)) }
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
            return (current.map { [StoreKey(.credential, $0.value)] } ?? [], error)
        }
    }

    private func readRecord(_ key: StoreKey) async throws(AuthError) {
        let record = try await withLane(key) { lane throws(AuthError) in
            let record = try await lane.readAnew()
            if let record, record.credential == nil {
                bury(record, under: key)
                await lane.sweep()
            }
            return record
        }
        guard let record else { return }
        if !record.pending.isEmpty { alarm.set(.revoke(key), at: clock.now() + .seconds(5)) }
    }

    /// A tombstone: an account that this process still shows has ended elsewhere. One that the service ended keeps
    /// its name, so that a person sees why.
    private func bury(_ record: CredentialRecord, under key: StoreKey) {
        let reason = record.ended.last?.cause.reason ?? .signedOut
        for entry in table.entries(under: key) {
            if reason == .signedOut {
                withdraw(entry.account, login: entry.login, by: .elsewhere)
            } else {
                require(reason, of: entry.account, login: entry.login)
            }
        }
        guard reason != .signedOut, let binding = binding(ofAccountNamed: key.name) else { return }
        let account = AccountID(key.name)
        guard table.entry(account) == nil else { return }
        var entry = AccountEntry(
            account: account, key: key, binding: binding, login: record.login, session: Session.ID(""))
        entry.required = reason
        entry.pendingRevocations = record.pending.count
        table.put(entry)
    }

    /// The configured binding whose account this is.
    private func binding(ofAccountNamed name: String) -> Binding? {
        providers.values.map(\.rules.binding).first { name.hasPrefix("\($0.provider.name) \($0.authority) ") }
    }

    private func readCurrent() async throws -> AccountID? {
        guard let stored = try await store.read(Self.currentKey) else { return nil }
        let document = try RecordWire.open(stored.bytes, kind: "latchkey.current")
        return document["account"].value?.string.map(AccountID.init)
    }

    /// Makes `account` the current one, for every process of the store.
    func choose(_ account: AccountID?) async throws(AuthError) {
        let bytes = JSON.members([
            "kind": "latchkey.current", "format": 1, "account": account.map { .string($0.value) },
        ]).serialized()
        do {
            for _ in 0..<Lane.commitTries {
                let version = try await store.read(Self.currentKey)?.version
                do {
                    try await store.replace(Self.currentKey, at: version, with: bytes)
                    break
                } catch is StoreConflict {
                    continue
                }
            }
        } catch {
            throw AuthError(error)
        }
        if table.choose(account) { hub.tell(.currentChanged(account)) }
    }

    /// Does what an alarm is for.
    func fire(_ purpose: Alarm.Purpose) async {
        switch purpose {
        case .renew(let account): renewAhead(account)
        case .gate: await gate.close(self)
        case .save(let key):
            context.start("save") { [self] in await withLane(key) { lane in await lane.saveAgain() } }
        case .revoke(let key):
            context.start("revoke") { [self] in await withLane(key) { lane in await lane.work() } }
        }
    }
}
