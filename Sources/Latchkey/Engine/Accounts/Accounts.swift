import FoundationEssentials
import LatchkeySystem

/// What callers see of the accounts: the table that tokens are read from, the events that tell of
/// changes, and the alarm for work that is due later.
final class Accounts: Sendable {
    let table: AccountTable
    let hub: EventHub
    let alarm: Alarm
    let services: Services
    let missed = MissedChanges()
    let waits = SignInWaits()
    let openings = Openings()
    let firstToken: FirstToken
    /// Sign-outs that the store did not take. Signing out again tries again.
    let unstoredSignOuts = Locked<[AccountID: AccountEntry]>([:])

    init(_ table: AccountTable, services: Services) {
        self.table = table
        self.services = services
        firstToken = FirstToken(services.context)
        hub = EventHub(services.context.observer as? any AuthEventObserving)
        alarm = Alarm(services.context)
    }

    var clock: any AuthClock { services.clock }

    func entry(_ account: AccountID?) -> AccountEntry? { table.entry(account) }

    /// The accounts whose credential is stored under `key`.
    func entries(under key: StoreKey) -> [AccountEntry] { table.entries(under: key) }

    /// Whether the gate is open, so that tokens may leave.
    var isOpen: Bool { clock.now() < table.openUntil }
}

/// What a lane shows of its credential.
extension Accounts {
    /// Shows `session` to callers.
    func publish(
        _ session: AuthSession, of record: CredentialRecord, _ credential: Credential, under key: StoreKey,
        isDurable: Bool
    ) {
        let former = table.entry(session.account)
        var entry = entry(of: session, in: record, credential, under: key, isDurable: isDurable)
        if let former, former.login == entry.login {
            // Minted tokens live in memory and are in no record.
            if session.login != nil { entry.tokens.merge(former.tokens) { new, _ in new } }
            entry.takeTroubles(of: former)
            entry.endOffline(since: former, by: clock)
            entry.keepRefusal(at: clock.now())
        }
        // An older login is shown again while a newer one cannot be stored: its token's end was told already.
        if entry.trouble.warnedOf == nil { entry.trouble.warnedOf = former?.trouble.warnedOf }
        entry.refreshAt = refreshTime(of: entry, after: former)
        table.put(entry)
        schedule(entry)
        scheduleWarning(entry)
        if let former {
            // What locking took from memory, and unlocking brings back, is no other token.
            let audiences = entry.tokens.filter { audience, snapshot in
                !snapshot.token.isRefused && former.tokens[audience]?.token != snapshot.token
                    && former.dropped[audience] != snapshot.token.fingerprint
            }
            for audience in audiences.keys { hub.tell(.refreshed(session.account, audience)) }
        }
        tellState(of: entry, was: former)
    }

    /// The entry of `session` as `record` has it.
    private func entry(
        of session: AuthSession, in record: CredentialRecord, _ credential: Credential, under key: StoreKey,
        isDurable: Bool
    ) -> AccountEntry {
        let serverTime = services.serverTime(for: record)
        let configured = Result { () throws(AuthError) in try services.provider(for: credential.binding) }
        // Strings that are there already are used again: with many accounts, they are most of what
        // an entry takes.
        var entry = AccountEntry(
            account: key.name == session.account.value ? AccountID(key.name) : session.account, key: key,
            binding: (try? configured.get().rules.binding) ?? credential.binding, login: record.login(of: session),
            session: session.id, label: session.label, authenticatedAt: session.authenticatedAt)
        entry.limits = session.limits
        for (audience, token) in session.tokens {
            var token = token
            token.isDurable = isDurable
            entry.tokens[audience] = TokenSnapshot(
                token, leeway: services.settings.leeway, clock: clock, by: serverTime)
        }
        entry.isDurable = isDurable
        entry.pendingRevocations = record.pending.count
        entry.contact = record.contact
        if let boot = entry.contact?.boot, boot == clock.boot { entry.contact?.boot = clock.boot }
        switch configured {
        case .failure(let problem): entry.trouble.problem = problem
        case .success(let provider):
            entry.endsWithToken = credential.refreshToken == nil && provider.rules.refresh != .fixed
        }
        if record.unexplained != nil { entry.trouble.refused.insert(.token) }
        // Of people who share a credential, no record would say that the service has answered since: their tokens are in
        // memory alone.
        if record.live?.pause?.refusesClient == true, session.login == nil {
            entry.trouble.refused.insert(.client)
        }
        if let refused = record.unexplained, let age = clock.age(of: refused), age < services.settings.unexplainedRetry
        {
            entry.trouble.required = .refusedWithoutReason
        }
        return entry
    }

    /// Tells that another process has signed `account` in. Accounts that launch found are no news, nor are those that a
    /// call has named, unless their sign-out was told.
    func tellSignedIn(_ account: AccountID) {
        guard table.isRestored, !openings.contains(account) || openings.takeGone(account) else { return }
        tellReturn(of: account)
    }

    /// Makes `account` the current one in this process, and tells of it.
    func choose(_ account: AccountID) { if table.choose(account) { hub.tell(.currentChanged(account)) } }

    /// Removes `login` from what callers see, and tells of it.
    func withdraw(_ account: AccountID, login: String, by cause: AuthEvent.SignOutCause) {
        guard table.remove(account, login: login) != nil else { return }
        unschedule(account)
        if services.settings.accounts == .whenNamed { openings.noteGone(account) }
        hub.tell(.signedOut(account, by: cause))
    }

    /// Notes that the person must sign in again: the tokens go, the account's name stays.
    func require(_ reason: AuthError.SignInRequiredReason, of account: AccountID, login: String) {
        guard let former = table.entry(account), former.login == login,
            former.required != reason || !former.tokens.isEmpty
        else { return }
        let entry = table.update(account) { entry in
            entry.tokens = [:]
            // The service has answered, and waiting for the network does not help.
            entry.trouble.required = reason
            entry.trouble.failing?.offlineSince = nil
        }
        unschedule(account)
        tellRequired(reason, of: account, at: former.binding.provider)
        if let entry { tellState(of: entry, was: former) }
    }

    /// Shows the name of an account that the service ended, and why, if it is not shown already.
    func showEnded(
        _ ended: CredentialRecord.Ended, of account: AccountID, in record: CredentialRecord, under key: StoreKey
    ) {
        guard let binding = services.binding(of: account), table.entry(account) == nil else { return }
        var entry = AccountEntry(
            account: account, key: key, binding: binding, login: ended.login, session: AuthSession.ID(""),
            label: ended.label)
        entry.trouble.required = ended.cause.reason
        entry.pendingRevocations = record.pending.count
        table.put(entry)
        // Before this launch, perhaps: the person has waited since then.
        beginWait(of: account, ended.cause.reason, since: clock.now() - (clock.age(of: ended.at) ?? .zero))
        tellState(of: entry, was: nil)
    }
}
