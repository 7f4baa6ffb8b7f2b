import LatchkeySystem

/// Reads the store, at launch and when it tells of a change, and knows what could not be read.
final class StoreReader: Sendable {
    typealias Reading = Flight<[StoreKey: AuthError]>

    let store: any SessionStore
    let accounts: Accounts
    let lanes: Lanes
    let gate: Gate
    let current: CurrentAccount
    let watch = StoreWatch()
    /// The reading under way, and its number.
    let restoration = Locked<(flight: Reading?, number: Int)>((nil, 0))
    /// Why records could not be read, by their keys.
    let failedRecords = Locked<[StoreKey: AuthError]>([:])

    init(_ store: any SessionStore, _ accounts: Accounts, _ lanes: Lanes, _ gate: Gate) {
        self.store = store
        self.accounts = accounts
        self.lanes = lanes
        self.gate = gate
        current = CurrentAccount(store, accounts)
    }

    var services: Services { accounts.services }
    var clock: any AuthClock { accounts.clock }

    /// The entry of `account` or of the current one, once the store has been read. Throws if the gate is shut.
    func usableEntry(_ account: AccountID?) async throws(AuthError) -> AccountEntry {
        try await gate.requireOpen()
        try await restore()
        if let named = account ?? accounts.table.current { try await open(named) }
        if let entry = accounts.entry(account) {
            if let problem = entry.problem { throw problem }
            return entry
        }
        if let account = account ?? accounts.table.current, let failure = failure(of: account) { throw failure }
        if account == nil, let failure = anyFailure { throw failure }
        throw AuthError.signedOut
    }

    /// Why the record of `account` could not be read.
    func failure(of account: AccountID) -> AuthError? {
        let failed = failedRecords.withLock { $0 }
        return failed.isEmpty ? nil : services.keys(of: account).lazy.compactMap { failed[$0] }.first
    }

    /// Why records could not be read, each once, in a fixed order.
    var failures: [AuthError] {
        // What keeps the store from listing a record keeps it from reading the record too.
        let known = failedRecords.withLock { Array($0.values) }.map { ($0.message, $0) }
        return Dictionary(known) { first, _ in first }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Why one of the records could not be read.
    var anyFailure: AuthError? { failures.first }

    /// Makes `account` the current one, for every process of the store.
    func choose(_ account: AccountID?) async throws(AuthError) {
        if try await !current.choose(account) {
            do { try await seeCurrent() } catch { throw AuthError(error) }
        }
    }

    /// The account that becomes the current one after a sign-out; `nil` where calls name their accounts.
    var nextCurrent: AccountID? { opensByName ? nil : accounts.table.first }

    /// Signs out of every account that the store holds. A record that cannot be read does not keep
    /// the others from ending. It is an error all the same, since somebody may be signed in by it.
    func endEverySession() async throws(AuthError) {
        try await restore(again: true)
        for entry in accounts.table.entries {
            _ = try await lanes.with(entry.key) { lane throws(AuthError) in
                try await lane.signOut(entry.account, login: entry.login, scope: .thisSession)
            }
        }
        if let failure = anyFailure { throw failure }
    }
}
