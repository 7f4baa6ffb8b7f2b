/// When an account's token is refreshed ahead of need.
extension Accounts {
    /// When the token that gets stale first is refreshed ahead of need: spread over a tenth of the leeway after it gets
    /// stale, or from now where it is stale already. Kept for as long as the token is the same.
    func refreshTime(of entry: AccountEntry, after former: AccountEntry?) -> MonotonicInstant? {
        // What ends as it comes would be refreshed without end.
        let lasting = entry.tokens.filter { audience, snapshot in
            entry.refusals[audience] == nil && snapshot.token.lifetime.map { $0.lasts >= .seconds(1) } ?? true
        }
        guard services.settings.refresh == .ahead,
            let (audience, first) = lasting.min(by: { $0.value.staleAt < $1.value.staleAt }),
            first.staleAt.nanoseconds != .max
        else { return nil }
        // One from before the token gets stale was another token's: it would find nothing to do, and be the last.
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
