import FoundationEssentials

/// What callers get from a record, or from memory.
extension Lane {
    func snapshot(_ want: Want, in record: CredentialRecord) -> TokenSnapshot? {
        guard let session = record.credential?.sessions.first(where: { $0.account == want.account }) else { return nil }
        // Minted tokens live in memory.
        if isShared {
            let entry = accounts.entry(want.account)
            return entry?.login == record.login(of: session) ? entry?.tokens[want.audience] : nil
        }
        // A resource may have refused it, and the store not have taken that.
        guard let token = refused.marked(session).tokens[want.audience] else { return nil }
        return TokenSnapshot(
            token, leeway: settings.leeway, clock: clock, by: services.serverTime(for: record))
    }

    /// The record's token, if it need not be refreshed yet.
    func fresh(_ want: Want, in record: CredentialRecord) -> AccessToken? {
        snapshot(want, in: record).flatMap { clock.now() < $0.staleAt ? $0.token : nil }
    }

    /// The record's token, if it has not ended.
    func unexpired(_ want: Want, in record: CredentialRecord) -> AccessToken? {
        snapshot(want, in: record).flatMap { clock.now() < $0.endsAt ? $0.token : nil }
    }

    /// The token while it lasts, else the trouble.
    func good(
        _ demand: Demand, in record: CredentialRecord, _ outcome: AuthObservation.RefreshOutcome, _ trouble: AuthError?
    ) -> TokenResult {
        let want = demand.want
        // The person may have signed out through this process while the request was under way.
        guard !logins.hasEnded(record.login(of: want.account) ?? record.login) else {
            return lost(want, nil, wasLeft: true)
        }
        // A resource may have refused the token while the request was under way.
        if let token = unexpired(want, in: record), token != demand.refused, !token.isRefused {
            return .token(token, outcome, trouble)
        }
        return .failed(trouble ?? AuthError(.signInRequired(.expired), "The session has ended."), outcome)
    }

    /// The same from memory, if the store cannot be read.
    func fallback(
        _ demand: Demand, _ outcome: AuthObservation.RefreshOutcome, _ trouble: AuthError
    ) -> TokenResult {
        if let token = remembered(demand) { return .token(token, outcome, trouble) }
        return .failed(trouble, outcome)
    }

    /// The login is gone from the store, or was signed out through this process: it is removed from
    /// memory, and the caller is told why. A later login stays.
    func lost(_ want: Want, _ record: CredentialRecord?, wasLeft: Bool = false) -> TokenResult {
        // A record that was read before this must be read again.
        shown.epoch += 1
        let entry = accounts.entry(want.account).flatMap { entry in
            // A sign-in that had no room here is stored under another key by now.
            guard entry.key == key else { return nil as AccountEntry? }
            if wasLeft { return logins.hasEnded(entry.login) ? entry : nil }
            let isStored = record?.has(entry.login) ?? false
            return isStored || unstored.signIn?.login == entry.login ? nil : entry
        }
        // If several people share the record, its last end may be another person's.
        let ending = entry.flatMap { record?.ending(of: $0.login) } ?? (isShared ? nil : record?.ended.last)
        let reason = ending?.cause.reason ?? entry?.required ?? .signedOut
        if let entry { withdraw(entry, reason) }
        return .failed(AuthError(.signInRequired(reason), reason.sentence), .signedOut)
    }

    /// Removes the login of `entry` from what callers see.
    func withdraw(_ entry: AccountEntry, _ reason: AuthError.SignInRequiredReason) {
        if reason == .signedOut {
            accounts.withdraw(entry.account, login: entry.login, by: .elsewhere)
        } else {
            accounts.require(reason, of: entry.account, login: entry.login)
        }
    }
}
