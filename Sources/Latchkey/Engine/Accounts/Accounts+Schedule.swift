/// When an account's token is refreshed ahead of need.
extension Accounts {
    /// When the token that gets stale first is refreshed ahead of need: spread over a tenth of the
    /// leeway after it gets stale, or after now if it is stale already. The time stays the same as
    /// long as the token does.
    func refreshTime(of entry: AccountEntry, after former: AccountEntry?) -> MonotonicInstant? {
        // A token that has ended by the time it comes would be refreshed without end.
        let lasting = entry.tokens.filter { audience, snapshot in
            entry.trouble.refusedAudiences[audience] == nil
                && snapshot.token.lifetime.map { $0.lasts >= .seconds(1) } ?? true
        }
        guard services.settings.refresh == .ahead,
            let (audience, first) = lasting.min(by: { $0.value.staleAt < $1.value.staleAt }),
            first.staleAt.nanoseconds != .max
        else { return nil }
        // A time before this token gets stale was drawn for another token. At that time there would
        // be nothing to refresh, and no later alarm would be set.
        if let former, former.tokens[audience]?.token == first.token, let before = former.refreshAt,
            before >= first.staleAt
        {
            return before
        }
        return max(first.staleAt, clock.now()) + (first.endsAt - first.staleAt) / 10 * services.context.jitter
    }

    /// Sets the alarm for what is due next for the account.
    func schedule(_ entry: AccountEntry) {
        let mayRefresh = entry.problem == nil && entry.required == nil && entry.isDurable
        alarm.set(.refresh(entry.account), at: mayRefresh ? nextRefresh(of: entry) : nil)
        let over = over(entry)
        // The alarm for a time that has just passed stays set: it has not told yet.
        if over == nil, case .signInRequired = state(of: entry) { return }
        alarm.set(.over(entry.account), at: over)
    }

    /// Takes back what is due for an account that is gone.
    func unschedule(_ account: AccountID) {
        for purpose in [Alarm.Purpose.refresh(account), .warn(account), .over(account)] { alarm.set(purpose, at: nil) }
    }

    /// When the person must sign in again because the last token has ended, or a limit has passed, and nothing else
    /// happens then that would be told; `nil` if that is not known, or is so already.
    private func over(_ entry: AccountEntry) -> MonotonicInstant? {
        let ends = entry.lastEnd
        var instants: [MonotonicInstant] = []
        if entry.endsWithToken || entry.isRefused || entry.required?.leavesSession ?? false, let ends {
            instants.append(ends)
        }
        if let limit = sessionEnd(of: entry) { instants.append(max(limit, ends ?? limit)) }
        let now = clock.now()
        return instants.filter { $0 > now && $0 < .never }.min()
    }

    /// When the client asks for a token of the account by itself.
    private func nextRefresh(of entry: AccountEntry) -> MonotonicInstant? {
        guard entry.isOfflineWithoutToken else {
            guard !entry.tokens.isEmpty, let refreshAt = entry.refreshAt else { return nil }
            return max(refreshAt, entry.retryAt ?? refreshAt)
        }
        return services.settings.refresh == .ahead ? entry.retryAt : nil
    }
}

extension AccountEntry {
    /// Whether the first token since the launch could not be had, because the service cannot be reached. That happens where
    /// tokens live in memory. No token's end brings the next request then, and only a request shows that the service is back.
    var isOfflineWithoutToken: Bool { tokens.isEmpty && offlineSince != nil }
}
