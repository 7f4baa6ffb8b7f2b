import FoundationEssentials

/// Warnings before a session ends.
extension Accounts {
    /// Sets the alarm for the next warning about the session's limits. All accounts share the client's one task.
    func scheduleWarning(_ entry: AccountEntry) {
        let next = ends(of: entry).filter { !entry.hasWarned(of: $0.limit, $0.cause) }.map { $0.warnAt }.min()
        alarm.set(.warn(entry.account), at: entry.required == nil && entry.problem == nil ? next : nil)
    }

    /// Warns of each limit of the account that comes soon, once for each end.
    func warn(_ account: AccountID) {
        // A locked client tells nothing by itself; unlocking reads the sessions anew, which sets the alarm.
        guard isOpen, let entry = table.entry(account) else { return }
        let now = clock.now()
        for (cause, limit, end, warnAt) in ends(of: entry) where now >= warnAt {
            tell(Expiry(cause, in: end - now), of: account) { entry in
                defer { entry.trouble.warned[cause] = limit }
                return !entry.hasWarned(of: limit, cause)
            }
        }
        if let entry = table.entry(account) { scheduleWarning(entry) }
    }

    /// Warns that the access token ends soon, because it could not be refreshed so far.
    func warnOfAccess(_ snapshot: TokenSnapshot, of account: AccountID) {
        // The client may have locked during the refresh; unlocking has it tried again. A token that a resource refused has
        // ended, which is no warning.
        guard isOpen, !snapshot.token.isRefused else { return }
        tell(Expiry(.access, in: max(.zero, snapshot.endsAt - clock.now())), of: account) { entry in
            defer { entry.trouble.warnedOf = snapshot.token.fingerprint }
            return entry.trouble.warnedOf != snapshot.token.fingerprint
        }
    }

    /// - Parameter note: Notes that it is told. Returns whether it was not told before.
    private func tell(_ expiry: Expiry, of account: AccountID, _ note: (inout AccountEntry) -> Bool) {
        var isNews = false
        table.update(account) { isNews = note(&$0) }
        if isNews { hub.tell(.expiring(account, expiry)) }
    }

    /// When the first of the account's limits ends, or has ended; `nil` if none is known, or the clock cannot tell.
    func sessionEnd(of entry: AccountEntry) -> MonotonicInstant? { limits(of: entry).map { $0.end }.min() }

    /// The limits that have not passed.
    private func ends(
        of entry: AccountEntry
    ) -> [(cause: Expiry.Cause, limit: Lifetime, end: MonotonicInstant, warnAt: MonotonicInstant)] {
        let now = clock.now()
        return limits(of: entry).filter { $0.end > now }.map { cause, limit, end in
            (cause, limit, end, end - min(services.settings.expiryWarning, limit.lasts / 4))
        }
    }

    /// The limits that can be judged. One of another boot is left out while the wall clock shows a time before it was
    /// told: that clock is wrong, and a warning by it would be, too.
    private func limits(
        of entry: AccountEntry
    ) -> [(cause: Expiry.Cause, limit: Lifetime, end: MonotonicInstant)] {
        guard let limits = entry.limits else { return [] }
        let now = clock.now()
        let serverNow = clock.wall().addingTimeInterval(services.offset(of: entry.binding).inSeconds)
        return [(Expiry.Cause.absolute, limits.absolute), (.idle, limits.idle)].compactMap { cause, limit in
            guard let limit, limit.boot == clock.boot || serverNow >= limit.wall else { return nil }
            return (cause, limit, limit.ends(boot: clock.boot, now: now, serverNow: serverNow))
        }
    }
}

extension AccountEntry {
    /// Whether this end was told. What was read from the store again may differ by a rounding.
    fileprivate func hasWarned(of limit: Lifetime, _ cause: Expiry.Cause) -> Bool {
        trouble.warned[cause].map { limit.isSameEnd(as: $0) } ?? false
    }
}
