import FoundationEssentials

/// The state of an account.
extension Accounts {
    /// Tells of the state if it has changed.
    func tellState(of entry: AccountEntry, was former: AccountEntry?) {
        let state = state(of: entry)
        guard former.map({ self.state(of: $0) }) != state else { return }
        hub.tell(.stateChanged(entry.account, state))
    }

    /// Tells that the person must sign in again, if that is so since the last token has ended or a limit has passed. A
    /// locked client tells nothing of its accounts; unlocking has the app look at them.
    func tellOver(_ account: AccountID) {
        guard isOpen, let entry = table.entry(account) else { return }
        let state = state(of: entry)
        if case .signInRequired = state { hub.tell(.stateChanged(account, state)) }
    }

    func state(of entry: AccountEntry) -> AccountState {
        let now = clock.now()
        guard now < table.openUntil else { return .locked }
        let ends = entry.lastEnd
        let lasts = ends.map { now < $0 } ?? false
        if !lasts, entry.required == nil {
            if entry.endsWithToken { return .signInRequired(.expired) }
            // A limit ends nothing, and the refresh is still tried. But the state promises no token then.
            if let limit = sessionEnd(of: entry), limit <= now { return .signInRequired(.expired) }
        }
        if let since = entry.offlineSince { return .offline(since: since, accessUntil: wall(ends, from: now)) }
        // After a refusal that does not end the session, the token is used while it lasts.
        let reason = entry.required ?? (entry.isRefused ? .refusedWithoutReason : nil)
        if let reason, !reason.leavesSession || !lasts { return .signInRequired(reason) }
        guard let stale = entry.tokens[.standard]?.staleAt ?? entry.tokens.values.map(\.staleAt).max(), now < stale
        else {
            return .stale
        }
        return .fresh
    }

    /// The wall-clock time of an instant, which may have passed.
    private func wall(of instant: MonotonicInstant) -> Date {
        clock.wall().addingTimeInterval((instant - clock.now()).inSeconds)
    }

    /// The wall-clock time of an instant; `nil` for one that has passed or never comes.
    func wall(_ instant: MonotonicInstant?, from now: MonotonicInstant) -> Date? {
        guard let instant, instant > now, instant.nanoseconds != .max else { return nil }
        return clock.wall().addingTimeInterval((instant - now).inSeconds)
    }

    func account(_ entry: AccountEntry, hidesLabels: Bool) -> Account {
        Account(
            id: entry.account, provider: entry.binding.provider, authority: entry.binding.authority,
            label: isGraceOver(entry) || hidesLabels ? nil : entry.label, state: state(of: entry),
            isCurrent: table.current == entry.account,
            accessUntil: wall(entry.tokens[.standard]?.endsAt, from: clock.now()),
            sessionUntil: lastEnd(of: entry).map { wall(of: $0) }, isRefreshable: !entry.endsWithToken,
            authenticatedAt: entry.authenticatedAt, isDurable: entry.isDurable,
            pendingRevocations: entry.pendingRevocations, isClientRefused: entry.isClientRefused)
    }

    /// When the session ends by what is known now.
    private func lastEnd(of entry: AccountEntry) -> MonotonicInstant? {
        let limit = sessionEnd(of: entry)
        guard entry.endsWithToken, let end = entry.lastEnd, end.nanoseconds != .max else { return limit }
        return min(end, limit ?? end)
    }

    /// Whether the service cannot be reached, and last answered longer ago than cached identity may be shown.
    func isGraceOver(_ entry: AccountEntry) -> Bool {
        guard entry.offlineSince != nil, let contact = entry.contact, let silence = clock.age(of: contact) else {
            return false
        }
        return silence > services.settings.offlineGrace
    }

    /// What a call says whose request failed: that the session has ended since, whichever process was told so, outweighs
    /// what the request met.
    func lastWord(after failure: AuthError, of entry: AccountEntry) -> AuthError {
        guard failure.speaksOfSession, isOpen else { return failure }
        guard let now = table.entry(entry.account) else { return .signedOut }
        guard now.login == entry.login, let end = end(of: now), failure.code != end.code else { return failure }
        return end
    }

    /// That the session has ended for good, if it has.
    func end(of entry: AccountEntry) -> AuthError? {
        guard let reason = entry.required, !reason.leavesSession else { return nil }
        return AuthError(.signInRequired(reason), reason.sentence, provider: entry.binding.provider)
    }

    /// The failure as callers see it: after the grace, `offline` becomes `offline(.graceOver)`.
    func explained(_ failure: AuthError, _ entry: AccountEntry, retryAfter: Duration?) -> AuthError {
        var failure = lastWord(after: failure, of: entry)
        failure.retryAfter = retryAfter
        if case .offline(.unreachable) = failure.code, let now = table.entry(entry.account), isGraceOver(now) {
            failure.code = .offline(.graceOver)
        }
        return failure
    }
}
