/// What follows from a refresh that has ended, in two parts: what is known of the account, and then what is done about
/// it, when nobody is told of this refresh any more.
extension Engine {
    /// What a refresh changed about an account.
    struct Change {
        var former: AccountEntry
        /// `nil`: nothing.
        var entry: AccountEntry?
    }

    /// Notes how the refresh ended; `nil` where nobody is there any more.
    func settle(_ landing: Lane.Landing, of want: Lane.Want) -> Change? {
        guard let former = table.entry(want.account) else { return nil }
        // Whoever is there now is another login, or its ending was told already.
        guard landing.outcome != .signedOut else { return Change(former: former, entry: nil) }
        let entry = table.update(want.account) { entry in
            guard let trouble = landing.trouble else { return noteGood(&entry, want) }
            if case .refused = trouble.code, want.audience != .standard {
                return noteRefused(&entry, want.audience, trouble)
            }
            entry.lastFailure = trouble
            entry.failures += 1
            entry.retryAt = clock.now() + max(trouble.retryAfter ?? .zero, backoff(entry.failures))
            switch trouble.code {
            case .offline, .serviceTrouble, .rateLimited:
                entry.offlineSince = entry.offlineSince ?? clock.wall()
            case .signInRequired(let reason): entry.required = reason
            default: break
            }
        }
        return Change(former: former, entry: entry)
    }

    /// The others' tokens are refreshed as ever; this one only for who asks for it.
    private func noteRefused(_ entry: inout AccountEntry, _ audience: Audience, _ trouble: AuthError) {
        let count = (entry.refusals[audience]?.count ?? 0) + 1
        entry.refusals[audience] = AudienceRefusal(
            failure: trouble, count: count, retryAt: clock.now() + max(trouble.retryAfter ?? .zero, backoff(count)))
        entry.refreshAt = refreshTime(of: entry, after: entry)
    }

    private func noteGood(_ entry: inout AccountEntry, _ want: Lane.Want) {
        entry.refusals[want.audience] = nil
        (entry.offlineSince, entry.required) = (nil, nil)
        guard let token = entry.tokens[want.audience], token.endsAt <= clock.now() else {
            (entry.failures, entry.retryAt, entry.lastFailure) = (0, nil, nil)
            return
        }
        entry.failures += 1
        // Once it may be that the answer lay in a machine that slept.
        if entry.failures == 1, token.token.lifetime.map({ $0.lasts >= .seconds(1) }) ?? true {
            (entry.retryAt, entry.lastFailure) = (nil, nil)
            return
        }
        // A token that has ended as it comes would be asked for again at once, and for ever.
        entry.retryAt = clock.now() + backoff(entry.failures)
        entry.lastFailure = AuthError(
            .serviceTrouble, "The service's access tokens have ended when they come.",
            provider: entry.binding.provider)
    }

    /// Tells of it, and sets the alarm for the next one.
    func announce(_ change: Change, _ landing: Lane.Landing, took: Duration) {
        let former = change.former
        context.observer.observe(.refresh(former.binding.provider, landing.outcome, took: took))
        guard let entry = change.entry else { return }
        schedule(entry)
        if landing.trouble != nil, case .signInRequired(.refusedWithoutReason) = landing.trouble?.code,
            former.required != .refusedWithoutReason
        {
            hub.tell(.authenticationRequired(entry.account, .refusedWithoutReason))
        }
        tellState(of: entry, was: former)
    }

    /// 1 s, doubled with each failure, at most 60 s, half of it drawn at random.
    private func backoff(_ failures: Int) -> Duration {
        let most = Duration.seconds(min(60, 1 << min(max(failures - 1, 0), 6)))
        return most / 2 + most / 2 * jitter
    }
}
