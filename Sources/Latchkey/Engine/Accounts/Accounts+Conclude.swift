/// What follows when a refresh has ended: the account's state, the alarm for the next refresh, and the events.
extension Accounts {
    /// Notes how the refresh of `want` ended, and tells of it. Its flight must be closed before:
    /// the alarm may go off at once, and the refresh that it begins must not join the one that has
    /// ended.
    func conclude(_ result: TokenResult, of want: Want, took: Duration) {
        guard let former = table.entry(want.account) else { return }
        services.context.observer.observe(.refresh(former.binding.provider, result.outcome, took: took))
        // After a sign-out, the entry is one of another login, or its end was told already.
        guard result.outcome != .signedOut, let entry = note(result, of: want) else { return }
        schedule(entry)
        if result.trouble == nil { waits.lapse(entry.account, AuthError.SignInRequiredReason.leavingSession) }
        if case .signInRequired(let reason)? = result.trouble?.code, reason.leavesSession, former.required != reason {
            tellRequired(reason, of: entry.account, at: entry.binding.provider)
        }
        tellState(of: entry, was: former)
    }

    private func note(_ result: TokenResult, of want: Want) -> AccountEntry? {
        table.update(want.account) { entry in
            guard let trouble = result.trouble else {
                if result.outcome == .refreshed { entry.contact = clock.stamp }
                return noteGood(&entry, want)
            }
            if case .refused = trouble.code, want.audience != .standard {
                return noteRefused(&entry, want.audience, trouble)
            }
            var failing = entry.trouble.failing ?? .init()
            defer { entry.trouble.failing = failing }
            failing.last = trouble
            failing.count += 1
            // Somebody may have forced this refresh, and failed, before the time that the service had named.
            let retryAt = clock.now() + max(trouble.retryAfter ?? .zero, pause(after: failing.count))
            failing.retryAt = max(retryAt, failing.retryAt ?? retryAt)
            switch trouble.code {
            // What waits for another process's request, or for a pause to end, has asked nobody.
            case .offline where result.outcome == .heldOff, .rateLimited where result.outcome == .heldOff: break
            case .offline, .serviceTrouble, .rateLimited:
                failing.offlineSince = failing.offlineSince ?? clock.wall()
            // Waiting for the network does not help then.
            case .signInRequired(let reason): (entry.trouble.required, failing.offlineSince) = (reason, nil)
            default: break
            }
        }
    }

    /// The tokens of other audiences are refreshed as before; this one only when a caller asks for it.
    private func noteRefused(_ entry: inout AccountEntry, _ audience: Audience, _ trouble: AuthError) {
        let count = (entry.trouble.refusedAudiences[audience]?.count ?? 0) + 1
        entry.trouble.refusedAudiences[audience] = AudienceRefusal(
            failure: trouble, count: count, retryAt: clock.now() + max(trouble.retryAfter ?? .zero, pause(after: count))
        )
        entry.refreshAt = refreshTime(of: entry, after: entry)
    }

    private func noteGood(_ entry: inout AccountEntry, _ want: Want) {
        entry.trouble.refusedAudiences[want.audience] = nil
        entry.trouble.required = nil
        guard let token = entry.tokens[want.audience], token.endsAt <= clock.now() else {
            entry.trouble.failing = nil
            return
        }
        var failing = AccountTrouble.Failing(count: (entry.trouble.failing?.count ?? 0) + 1)
        defer { entry.trouble.failing = failing }
        // The first time, the answer may have lain unread while the machine slept.
        if failing.count == 1, token.token.lifetime.map({ $0.lasts >= .seconds(1) }) ?? true { return }
        // A token that has ended by the time it comes would be requested again at once, without end.
        failing.retryAt = clock.now() + pause(after: failing.count)
        failing.last = AuthError(
            .serviceTrouble, "The service's access tokens have ended when they come.",
            provider: entry.binding.provider)
    }

    private func pause(after failures: Int) -> Duration {
        Backoff.brief.pause(after: failures, jitter: services.context.jitter)
    }
}
