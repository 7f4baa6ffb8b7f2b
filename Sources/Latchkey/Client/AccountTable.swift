import FoundationEssentials
import LatchkeyLocked

/// What callers see of the accounts: in memory, behind one lock, never waiting for the disk.
final class AccountTable: Sendable {
    private struct State {
        var entries: [AccountID: AccountEntry] = [:]
        var current: AccountID?
        var openUntil: MonotonicInstant
        var restored = false
    }

    private let state: Locked<State>

    init(openUntil: MonotonicInstant) { state = Locked(State(openUntil: openUntil)) }

    /// The token, when the gate is open and it is still good `validity` after `now`.
    func token(
        _ audience: Audience, of account: AccountID?, at now: MonotonicInstant, unless stale: Bool,
        for validity: Duration
    ) -> AccessToken? {
        state.withLock { state in
            guard now < state.openUntil, let id = account ?? state.current, let entry = state.entries[id],
                let snapshot = entry.tokens[audience], entry.problem == nil,
                now < (stale ? snapshot.staleAt : snapshot.endsAt),
                validity == .zero || now + validity < snapshot.endsAt
            else { return nil }
            return snapshot.token
        }
    }

    /// The entry of `account`, or of the current one.
    func entry(_ account: AccountID?) -> AccountEntry? {
        state.withLock { state in (account ?? state.current).flatMap { state.entries[$0] } }
    }

    var entries: [AccountEntry] { state.withLock { Array($0.entries.values) } }

    var current: AccountID? { state.withLock { $0.current } }

    /// Makes `account` the current one. Returns whether it was another.
    func choose(_ account: AccountID?) -> Bool {
        state.withLock { state in
            defer { state.current = account }
            return state.current != account
        }
    }

    /// Puts the entry in place; the former one, for comparison.
    @discardableResult
    func put(_ entry: AccountEntry) -> AccountEntry? {
        state.withLock { $0.entries.updateValue(entry, forKey: entry.account) }
    }

    /// Changes the entry of `account` where there is one.
    @discardableResult
    func update(_ account: AccountID, _ change: (inout AccountEntry) -> Void) -> AccountEntry? {
        state.withLock { state in
            guard var entry = state.entries[account] else { return nil }
            change(&entry)
            state.entries[account] = entry
            return entry
        }
    }

    /// Takes the account out, when it is still on `login` (`nil`: whatever the login).
    @discardableResult
    func remove(_ account: AccountID, login: String?) -> AccountEntry? {
        state.withLock { state in
            guard let entry = state.entries[account], login == nil || entry.login == login else { return nil }
            return state.entries.removeValue(forKey: account)
        }
    }

    /// Drops every token from memory, keeping the accounts' names.
    func dropTokens() {
        state.withLock { state in
            for id in state.entries.keys { state.entries[id]?.tokens = [:] }
            state.restored = false
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

/// One account as callers see it.
struct AccountEntry: Sendable {
    var account: AccountID
    var key: StoreKey
    var binding: Binding
    var login: String
    var session: Session.ID
    var label: String?
    var authenticatedAt: Date?
    var tokens: [Audience: TokenSnapshot] = [:]
    var isDurable = true
    var pendingRevocations = 0
    /// What keeps the account from being used, other than time: a changed configuration, a damaged record.
    var problem: AuthError?
    /// Why the person must sign in again, though the credential is kept.
    var required: AuthError.SignInRequiredReason?
    /// Since when the service cannot be reached.
    var offlineSince: Date?
    /// When the service last answered well.
    var contact: CredentialRecord.Stamp?
    /// How often in a row a renewal failed, and when the next may be tried without being asked by name.
    var failures = 0
    var retryAt: MonotonicInstant?
    var lastFailure: AuthError?
}

/// An access token and what the clock says about it.
struct TokenSnapshot: Sendable {
    var token: AccessToken
    /// From here on it is renewed before it is handed out, if that can be done.
    var staleAt: MonotonicInstant
    /// From here on it is not handed out.
    var endsAt: MonotonicInstant

    /// - Parameter leeway: The most time before the end at which the token counts as stale; a quarter of the lifetime
    ///   if that is less. A token without a stated lifetime is good until a resource refuses it.
    init(_ token: AccessToken, leeway: Duration, clock: any AuthClock, serverOffset: Duration) {
        self.token = token
        guard let lifetime = token.lifetime else {
            staleAt = MonotonicInstant(nanoseconds: .max)
            endsAt = MonotonicInstant(nanoseconds: .max)
            return
        }
        endsAt = lifetime.ends(
            boot: clock.boot, now: clock.now(),
            serverNow: clock.wall().addingTimeInterval(serverOffset.inSeconds))
        staleAt = endsAt - min(leeway, lifetime.lasts / 4)
    }
}
