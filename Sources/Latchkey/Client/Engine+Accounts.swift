import FoundationEssentials

/// How the lanes' findings reach the table that callers read, and the events that tell of it.
extension Engine {
    /// Shows `session` to callers.
    func publish(
        _ session: AuthSession, of record: CredentialRecord, _ credential: Credential, under key: StoreKey,
        isDurable: Bool
    ) {
        let offset = offset(for: record)
        let former = table.entry(session.account)
        let login = record.login(of: session)
        let configured = Result { () throws(AuthError) in try provider(for: credential.binding) }
        // Texts that are there already are used again: with many accounts they are most of what one takes.
        var entry = AccountEntry(
            account: key.name == session.account.value ? AccountID(key.name) : session.account, key: key,
            binding: (try? configured.get().rules.binding) ?? credential.binding, login: login,
            session: session.id, label: session.label, authenticatedAt: session.authenticatedAt)
        for (audience, token) in session.tokens {
            var token = token
            token.isDurable = isDurable
            entry.tokens[audience] = TokenSnapshot(
                token, leeway: settings.leeway, clock: clock, serverOffset: offset)
        }
        // Tokens that are minted into memory are in no record.
        if session.login != nil, let former, former.login == login {
            entry.tokens.merge(former.tokens) { new, _ in new }
        }
        entry.isDurable = isDurable
        entry.pendingRevocations = record.pending.count
        entry.contact = record.contact
        if let boot = entry.contact?.boot, boot == clock.boot { entry.contact?.boot = clock.boot }
        if case .failure(let problem) = configured { entry.problem = problem }
        if let refused = record.unexplained, let age = clock.age(of: refused), age < settings.unexplainedRetry {
            entry.required = .refusedWithoutReason
        }
        if let former, former.login == login {
            entry.offlineSince = former.offlineSince
            (entry.failures, entry.retryAt, entry.lastFailure) = (former.failures, former.retryAt, former.lastFailure)
            entry.refusals = former.refusals
        }
        entry.refreshAt = refreshTime(of: entry, after: former)
        table.put(entry)
        schedule(entry)
        let audiences = entry.tokens.filter { former?.tokens[$0.key]?.token != $0.value.token }.keys
        if former != nil { for audience in audiences { hub.tell(.refreshed(session.account, audience)) } }
        tellState(of: entry, was: former)
    }

    /// Takes from callers what they had of `login`.
    func withdraw(_ account: AccountID, login: String, by cause: AuthEvent.SignOutCause) {
        guard table.remove(account, login: login) != nil else { return }
        alarm.set(.refresh(account), at: nil)
        hub.tell(.signedOut(account, by: cause))
    }

    /// Notes that the person must sign in again: no token is left, the account's name stays.
    func require(_ reason: AuthError.SignInRequiredReason, of account: AccountID, login: String) {
        let former = table.entry(account)
        guard former?.login == login, former?.required != reason || former?.tokens.isEmpty == false else { return }
        let entry = table.update(account) { entry in
            entry.tokens = [:]
            entry.required = reason
        }
        alarm.set(.refresh(account), at: nil)
        hub.tell(.authenticationRequired(account, reason))
        if let entry { tellState(of: entry, was: former) }
    }

    /// 0 up to 1.
    var jitter: Double {
        let drawn = context.random(4).reduce(0) { $0 << 8 | UInt64($1) }
        return Double(drawn) / 0x1p32
    }

    /// When the token that gets stale first is refreshed ahead of need: spread over a tenth of the leeway after it gets
    /// stale, or from now where it is stale already. Kept for as long as the token is the same.
    func refreshTime(of entry: AccountEntry, after former: AccountEntry?) -> MonotonicInstant? {
        // What ends as it comes would be refreshed without end.
        let lasting = entry.tokens.filter { audience, snapshot in
            entry.refusals[audience] == nil && snapshot.token.lifetime.map { $0.lasts >= .seconds(1) } ?? true
        }
        guard settings.refresh == .ahead,
            let (audience, first) = lasting.min(by: { $0.value.staleAt < $1.value.staleAt }),
            first.staleAt.nanoseconds != .max
        else { return nil }
        // One from before the token gets stale was another token's: it would find nothing to do, and be the last.
        if let former, former.tokens[audience]?.token == first.token, let before = former.refreshAt,
            before >= first.staleAt
        {
            return before
        }
        return max(first.staleAt, clock.now()) + (first.endsAt - first.staleAt) / 10 * jitter
    }

    /// Sets the alarm for what is due next for the account.
    func schedule(_ entry: AccountEntry) {
        guard let refreshAt = entry.refreshAt, entry.problem == nil, entry.required == nil, entry.isDurable,
            !entry.tokens.isEmpty
        else {
            alarm.set(.refresh(entry.account), at: nil)
            return
        }
        alarm.set(.refresh(entry.account), at: max(refreshAt, entry.retryAt ?? refreshAt))
    }

    /// Refreshes ahead of need, when it is the account's turn.
    func refreshAhead(_ account: AccountID) {
        guard refreshes.enter(account) else { return }
        context.start("refresh") { [self] in
            var turn: AccountID? = account
            while let account = turn {
                await refreshStale(account)
                turn = refreshes.leave()
            }
        }
    }

    private func refreshStale(_ account: AccountID) async {
        // Locked: background work asks nobody and fetches nothing; unlocking schedules anew.
        guard clock.now() < table.openUntil, let entry = table.entry(account) else { return }
        for (audience, snapshot) in entry.tokens
        where clock.now() >= snapshot.staleAt && entry.refusals[audience] == nil {
            _ = try? await withLane(entry.key) { lane in
                try await lane.token(
                    Lane.Want(account: account, audience: audience), newerThan: snapshot.token, isRefused: false)
            }
            if let now = table.entry(account), now.failures > 0, let left = now.tokens[audience] {
                hub.tell(.expiring(account, in: max(.zero, left.endsAt - clock.now())))
            }
        }
    }

    /// Tells of the state when it is another than before.
    func tellState(of entry: AccountEntry, was former: AccountEntry?) {
        let state = state(of: entry)
        guard former.map({ self.state(of: $0) }) != state else { return }
        hub.tell(.stateChanged(entry.account, state))
    }

    func state(of entry: AccountEntry) -> AccountState {
        let now = clock.now()
        guard now < table.openUntil else { return .locked }
        let ends = entry.tokens[.standard]?.endsAt ?? entry.tokens.values.map(\.endsAt).max()
        if let since = entry.offlineSince { return .offline(since: since, accessUntil: wall(ends, from: now)) }
        // Refused without a reason, the token is used while it lasts.
        let lasts = ends.map { now < $0 } ?? false
        if let reason = entry.required, reason != .refusedWithoutReason || !lasts { return .signInRequired(reason) }
        guard let stale = entry.tokens[.standard]?.staleAt ?? entry.tokens.values.map(\.staleAt).max(), now < stale
        else {
            return .stale
        }
        return .fresh
    }

    /// The wall-clock time of an instant; `nil` for one that has passed or never comes.
    func wall(_ instant: MonotonicInstant?, from now: MonotonicInstant) -> Date? {
        guard let instant, instant > now, instant.nanoseconds != .max else { return nil }
        return clock.wall().addingTimeInterval((instant - now).inSeconds)
    }

    func account(_ entry: AccountEntry) -> Account {
        Account(
            id: entry.account, provider: entry.binding.provider, authority: entry.binding.authority,
            label: isGraceOver(entry) || hidesLabels ? nil : entry.label, state: state(of: entry),
            isCurrent: table.current == entry.account,
            accessUntil: wall(entry.tokens[.standard]?.endsAt, from: clock.now()),
            authenticatedAt: entry.authenticatedAt, isDurable: entry.isDurable,
            pendingRevocations: entry.pendingRevocations)
    }

    /// Whether names are not shown, because the gate is locked.
    private var hidesLabels: Bool { !gate.policy.showsLabels && !isOpen }

    /// Whether the service has been silent for longer than cached identity may be shown, and the token has ended.
    func isGraceOver(_ entry: AccountEntry) -> Bool {
        guard entry.offlineSince != nil, let contact = entry.contact, let silence = clock.age(of: contact) else {
            return false
        }
        return silence > settings.offlineGrace
    }
}
