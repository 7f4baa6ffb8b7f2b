import FoundationEssentials

/// What callers get out of a record, or of memory.
extension Lane {
    func snapshot(_ want: Want, in record: CredentialRecord) -> TokenSnapshot? {
        guard let session = record.credential?.sessions.first(where: { $0.account == want.account }) else { return nil }
        // Minted ones live in memory.
        if isShared {
            let entry = accounts.entry(want.account)
            return entry?.login == record.login(of: session) ? entry?.tokens[want.audience] : nil
        }
        guard let token = session.tokens[want.audience] else { return nil }
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
    ) -> Landing {
        let want = demand.want
        // The person may have left through this process while the request was under way.
        guard !logins.hasEnded(record.login(of: want.account) ?? record.login) else {
            return lost(want, nil, wasLeft: true)
        }
        if let token = unexpired(want, in: record), token != demand.refused { return .token(token, outcome, trouble) }
        return .failed(trouble ?? AuthError(.signInRequired(.expired), "The session has ended."), outcome)
    }

    /// The same from memory, if the store cannot be read.
    func fallback(
        _ demand: Demand, _ outcome: AuthObservation.RefreshOutcome, _ trouble: AuthError
    ) -> Landing {
        if let token = remembered(demand) { return .token(token, outcome, trouble) }
        return .failed(trouble, outcome)
    }

    /// The login is gone from the store, or was left through this process: memory is emptied of it, and the caller
    /// told why. A login that came after it stays.
    func lost(_ want: Want, _ record: CredentialRecord?, wasLeft: Bool = false) -> Landing {
        // Whoever read the record before this must read it again.
        shown.epoch += 1
        let entry = accounts.entry(want.account).flatMap { entry in
            if wasLeft { return logins.hasEnded(entry.login) ? entry : nil }
            let isStored = record?.has(entry.login) ?? false
            return isStored || debts.signIn?.login == entry.login ? nil : entry
        }
        // The last end of what several people share may be another's.
        let ending = entry.flatMap { record?.ending(of: $0.login) } ?? (isShared ? nil : record?.ended.last)
        let reason = ending?.cause.reason ?? entry?.required ?? .signedOut
        if let entry { withdraw(entry, reason) }
        return .failed(AuthError(.signInRequired(reason), reason.sentence), .signedOut)
    }

    /// Takes from callers what they had of the login of `entry`.
    func withdraw(_ entry: AccountEntry, _ reason: AuthError.SignInRequiredReason) {
        if reason == .signedOut {
            accounts.withdraw(entry.account, login: entry.login, by: .elsewhere)
        } else {
            accounts.require(reason, of: entry.account, login: entry.login)
        }
    }
}
