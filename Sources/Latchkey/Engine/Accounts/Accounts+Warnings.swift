import FoundationEssentials

/// Warnings before a session ends.
extension Accounts {
    /// Sets the alarm for the next warning about the session's limits. All accounts share the client's one task.
    func scheduleWarning(_ entry: AccountEntry) {
        let next = ends(of: entry).filter { entry.warned[$0.cause] != $0.limit }.map { $0.warnAt }.min()
        alarm.set(.warn(entry.account), at: entry.required == nil && entry.problem == nil ? next : nil)
    }

    /// Warns of each limit of the account that comes soon, once for each end.
    func warn(_ account: AccountID) {
        // A locked client tells nothing by itself; unlocking reads the sessions anew, which sets the alarm.
        guard isOpen, let entry = table.entry(account) else { return }
        let now = clock.now()
        for (cause, limit, end, warnAt) in ends(of: entry) where now >= warnAt {
            tell(Expiry(cause, in: end - now), about: limit, of: account)
        }
        if let entry = table.entry(account) { scheduleWarning(entry) }
    }

    /// Warns that the access token ends soon, because it could not be refreshed so far.
    func warnOfAccess(_ snapshot: TokenSnapshot, of account: AccountID) {
        guard let lifetime = snapshot.token.lifetime else { return }
        tell(Expiry(.access, in: max(.zero, snapshot.endsAt - clock.now())), about: lifetime, of: account)
    }

    private func tell(_ expiry: Expiry, about limit: Lifetime, of account: AccountID) {
        var isNews = false
        table.update(account) { entry in
            isNews = entry.warned[expiry.cause] != limit
            entry.warned[expiry.cause] = limit
        }
        if isNews { hub.tell(.expiring(account, expiry)) }
    }

    /// The limits that have not passed. One of another boot is left out while the wall clock shows a time before it was
    /// told: that clock is wrong, and a warning by it would be, too.
    private func ends(
        of entry: AccountEntry
    ) -> [(cause: Expiry.Cause, limit: Lifetime, end: MonotonicInstant, warnAt: MonotonicInstant)] {
        guard let limits = entry.limits else { return [] }
        let now = clock.now()
        let serverNow = clock.wall().addingTimeInterval(services.offset(of: entry.binding).inSeconds)
        return [(Expiry.Cause.absolute, limits.absolute), (.idle, limits.idle)].compactMap { cause, limit in
            guard let limit, limit.boot == clock.boot || serverNow >= limit.wall else { return nil }
            let end = limit.ends(boot: clock.boot, now: now, serverNow: serverNow)
            guard end > now else { return nil }
            return (cause, limit, end, end - min(services.settings.expiryWarning, limit.lasts / 4))
        }
    }
}
