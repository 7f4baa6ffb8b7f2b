import FoundationEssentials
import LatchkeySystem

/// What callers see of the accounts: in memory, behind one lock, never waiting for the disk.
final class AccountTable: Sendable {
    /// One account's place. Only ever reached with the lock held.
    private final class Slot {
        var entry: AccountEntry { didSet { standard = StandardToken(entry) } }
        private(set) var standard: StandardToken

        init(_ entry: AccountEntry) {
            self.entry = entry
            standard = StandardToken(entry)
        }
    }

    /// The token that most readers want, the one for the standard audience, ready to be compared and handed out.
    private struct StandardToken {
        var snapshot: TokenSnapshot?

        init() {}

        init(_ entry: AccountEntry) { snapshot = entry.problem == nil ? entry.tokens[.standard] : nil }
    }

    private struct State {
        var slots: [AccountID: Slot] = [:]
        /// The accounts whose credential is stored under another name than their own.
        var sharers: [StoreKey: Set<AccountID>] = [:]
        var current: AccountID?
        /// That of the current account, so that reading its token needs no look-up.
        var standard = StandardToken()
        /// The place that was found last: most programs ask for the same account again.
        var recent: Slot?
        var openUntil: MonotonicInstant
        var restored = false

        mutating func changed(_ account: AccountID?) {
            guard account == current else { return }
            standard = current.flatMap { slots[$0]?.standard } ?? StandardToken()
        }

        mutating func put(_ entry: AccountEntry) -> AccountEntry? {
            let slot = slots[entry.account]
            let former = slot?.entry
            if let slot { slot.entry = entry } else { slots[entry.account] = Slot(entry) }
            if let former, former.key != entry.key { unshare(former) }
            if entry.key.name != entry.account.value { sharers[entry.key, default: []].insert(entry.account) }
            changed(entry.account)
            return former
        }

        mutating func unshare(_ entry: AccountEntry) {
            guard var accounts = sharers[entry.key] else { return }
            accounts.remove(entry.account)
            sharers[entry.key] = accounts.isEmpty ? nil : accounts
        }

        @inline(__always)
        func token(_ snapshot: TokenSnapshot?, at now: MonotonicInstant, freshOnly: Bool) -> AccessToken? {
            guard now < openUntil, let snapshot, now < (freshOnly ? snapshot.staleAt : snapshot.endsAt) else {
                return nil
            }
            return snapshot.token
        }

        mutating func snapshot(_ audience: Audience, of account: AccountID?) -> TokenSnapshot? {
            guard let account else {
                if audience.name.isEmpty { return standard.snapshot }
                return current.flatMap { slots[$0] }.flatMap { snapshot(audience, in: $0) }
            }
            return slot(of: account).flatMap { snapshot(audience, in: $0) }
        }

        private mutating func slot(of account: AccountID) -> Slot? {
            if let recent, recent.entry.account == account { return recent }
            recent = slots[account]
            return recent
        }

        func snapshot(_ audience: Audience, in slot: Slot) -> TokenSnapshot? {
            if audience.name.isEmpty { return slot.standard.snapshot }
            return slot.entry.problem == nil ? slot.entry.tokens[audience] : nil
        }
    }

    private let state: Locked<State>

    init(openUntil: MonotonicInstant) { state = Locked(State(openUntil: openUntil)) }

    /// The current account's token for the standard audience, if the gate is open and the token is good.
    ///
    /// - Parameter freshOnly: Whether it must not be stale yet.
    @inline(__always)
    func currentToken(at now: MonotonicInstant, freshOnly: Bool) -> AccessToken? {
        state.withLock { $0.token($0.standard.snapshot, at: now, freshOnly: freshOnly) }
    }

    /// The token, if the gate is open, the token is good, and it lasts beyond `end`.
    func token(
        _ audience: Audience, of account: AccountID?, at now: MonotonicInstant, freshOnly: Bool,
        beyond end: MonotonicInstant? = nil
    ) -> AccessToken? {
        state.withLock { state in
            let snapshot = state.snapshot(audience, of: account)
            if let end, let snapshot, end >= snapshot.endsAt { return nil }
            return state.token(snapshot, at: now, freshOnly: freshOnly)
        }
    }

    /// An account, its provider, and a token of it that is good.
    typealias Usable = (account: AccountID, provider: ProviderID, token: AccessToken)

    /// The entry of `account`, or of the current one, as far as a request needs it; `nil` unless the accounts are
    /// restored, nothing is wrong with this one, the gate is open, and the token is not stale.
    func usable(_ account: AccountID?, _ audience: Audience, at now: MonotonicInstant) -> Usable? {
        state.withLock { state in
            guard state.restored, let account = account ?? state.current,
                let slot = state.slots[account],
                let token = state.token(state.snapshot(audience, in: slot), at: now, freshOnly: true)
            else { return nil }
            return (account, slot.entry.binding.provider, token)
        }
    }

    /// The entry of `account`, or of the current one.
    func entry(_ account: AccountID?) -> AccountEntry? {
        state.withLock { state in (account ?? state.current).flatMap { state.slots[$0]?.entry } }
    }

    var entries: [AccountEntry] { state.withLock { $0.slots.values.map(\.entry) } }

    /// The entries whose credential is stored under `key`.
    func entries(under key: StoreKey) -> [AccountEntry] {
        state.withLock { state in
            var accounts = state.sharers[key] ?? []
            accounts.insert(AccountID(key.name))
            return accounts.compactMap { state.slots[$0]?.entry }.filter { $0.key == key }
        }
    }

    /// The first account in the order of their names.
    var first: AccountID? { state.withLock { $0.slots.keys.min { $0.value < $1.value } } }

    /// The only account, if there is exactly one.
    var only: AccountID? { state.withLock { $0.slots.count == 1 ? $0.slots.keys.first : nil } }

    var current: AccountID? { state.withLock { $0.current } }

    /// Makes `account` the current one. Returns whether another one was current before.
    func choose(_ account: AccountID?) -> Bool {
        state.withLock { state in
            let former = state.current
            state.current = account
            state.changed(account)
            return former != account
        }
    }

    /// Puts the entry in place and returns the former one, for comparison.
    @discardableResult
    func put(_ entry: AccountEntry) -> AccountEntry? { state.withLock { $0.put(entry) } }

    /// Changes the entry of `account`, if there is one.
    @discardableResult
    func update(_ account: AccountID, _ change: (inout AccountEntry) -> Void) -> AccountEntry? {
        state.withLock { state in
            guard var entry = state.slots[account]?.entry else { return nil }
            change(&entry)
            _ = state.put(entry)
            return entry
        }
    }

    /// Removes the account if it is still on `login` (`nil`: on any login).
    @discardableResult
    func remove(_ account: AccountID, login: String?) -> AccountEntry? {
        state.withLock { state in
            guard let entry = state.slots[account]?.entry, login == nil || entry.login == login else { return nil }
            (state.slots[account], state.recent) = (nil, nil)
            state.unshare(entry)
            state.changed(account)
            return entry
        }
    }

    /// Drops every token from memory, keeping the accounts' names.
    func dropTokens() {
        state.withLock { state in
            for slot in state.slots.values { slot.entry.dropTokens() }
            state.changed(state.current)
            state.restored = false
        }
    }

    /// Removes every account.
    func removeAll() {
        state.withLock { state in
            (state.slots, state.sharers, state.current, state.restored) = ([:], [:], nil, false)
            state.recent = nil
            state.changed(nil)
        }
    }

    var isRestored: Bool {
        get { state.withLock { $0.restored } }
        set { state.withLock { $0.restored = newValue } }
    }

    /// Until when the gate is open.
    var openUntil: MonotonicInstant {
        get { state.withLock { $0.openUntil } }
        set { state.withLock { $0.openUntil = newValue } }
    }
}
