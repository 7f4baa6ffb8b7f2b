/// When an account's token is refreshed ahead of need.
extension Accounts {
    /// When the token that gets stale first is refreshed ahead of need: spread over a tenth of the
    /// leeway after it gets stale, or after now if it is stale already. The time stays the same as
    /// long as the token does.
    func refreshTime(of entry: AccountEntry, after former: AccountEntry?) -> MonotonicInstant? {
        // A token that has ended by the time it comes would be refreshed without end.
        let lasting = entry.tokens.filter { audience, snapshot in
            entry.refusals[audience] == nil && snapshot.token.lifetime.map { $0.lasts >= .seconds(1) } ?? true
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
        guard let refreshAt = entry.refreshAt, entry.problem == nil, entry.required == nil, entry.isDurable,
            !entry.tokens.isEmpty
        else {
            alarm.set(.refresh(entry.account), at: nil)
            return
        }
        alarm.set(.refresh(entry.account), at: max(refreshAt, entry.retryAt ?? refreshAt))
    }
}
