import LatchkeyLocked

extension AuthClient {
    /// An access token that is good now, refreshed first where it is about to end.
    ///
    /// Takes one lock and one clock reading when the token is good. Otherwise callers share one refresh; cancelling a
    /// caller ends its wait, not the refresh. A token that has not ended yet is handed out even where the service
    /// cannot be reached.
    ///
    /// - Parameters:
    ///   - audience: What the token is for.
    ///   - account: Whose; `nil`: the current account.
    ///   - minimumValidity: The least time it shall still last. A fresh token that lasts less is handed out all the
    ///     same: the service gives no better one.
    /// - Throws: ``AuthError``; its ``AuthError/recovery`` says what to do.
    nonisolated(nonsending)
        public func accessToken(
            for audience: Audience = .standard, of account: AccountID? = nil, minimumValidity: Duration? = nil
        ) async throws(AuthError) -> AccessToken
    {
        let now = engine.now
        if account == nil, minimumValidity == nil, audience.name.isEmpty {
            if let token = table.currentToken(at: now, unless: true) { return token }
            return try await slowToken(audience, account, .zero)
        }
        var end: MonotonicInstant?
        if let minimumValidity, minimumValidity != .zero { end = now + minimumValidity }
        if let token = table.token(audience, of: account, at: now, unless: true, beyond: end) { return token }
        return try await slowToken(audience, account, minimumValidity ?? .zero)
    }

    /// The access token, if one is good now; refreshing is left to others. Never waits, never throws.
    public func currentToken(for audience: Audience = .standard, of account: AccountID? = nil) -> AccessToken? {
        let now = engine.now
        if account == nil, audience.name.isEmpty { return table.currentToken(at: now, unless: false) }
        return table.token(audience, of: account, at: now, unless: false)
    }

    /// Refreshes now, however long the token still lasts, and returns the new one.
    ///
    /// - Throws: ``AuthError``. Nothing is lost by a failure.
    @discardableResult
    public func refresh(
        for audience: Audience = .standard, of account: AccountID? = nil
    ) async throws(AuthError) -> AccessToken {
        try await slowToken(audience, account, .zero, isForced: true)
    }

    private func slowToken(
        _ audience: Audience, _ account: AccountID?, _ validity: Duration, isForced: Bool = false
    ) async throws(AuthError) -> AccessToken {
        let entry = try await engine.reader.usableEntry(account)
        let now = engine.clock.now()
        let snapshot = entry.tokens[audience]
        if !isForced {
            if let snapshot, now < snapshot.staleAt, validity == .zero || now + validity < snapshot.endsAt {
                return snapshot.token
            }
            if let (failure, until) = entry.rest(audience, at: now) {
                if let snapshot, now < snapshot.endsAt { return snapshot.token }
                throw engine.accounts.explained(failure, entry, retryAfter: until - now)
            }
        }
        return try await engine.token(
            Demand(
                want: Want(account: entry.account, audience: audience), old: snapshot?.token, isRefused: isForced,
                isForced: isForced), entry)
    }

    /// Does what only one provider can do: in the lane, alone, journaled, its change merged and stored before the
    /// result is returned.
    ///
    /// - Parameters:
    ///   - account: Whose credential; `nil`: the current account's.
    ///   - replay: What the service does when the credential is sent again after `work`'s request: also where that is
    ///     worse than after a refresh, which then waits until the request can no longer arrive.
    ///     ``ProviderRules/RefreshRule/fixed``: the request spends nothing.
    ///   - work: Sends at most one request that spends the credential, and says what the answer changed. A definite
    ///     ``Refusal`` ends the session, once the store confirms that it holds what was sent.
    /// - Throws: ``AuthError``; what `work` throws, translated.
    public func perform<Result: Sendable>(
        on account: AccountID? = nil, replay: ProviderRules.RefreshRule,
        _ work: @escaping @Sendable (Credential, ProviderContext) async throws -> (CredentialChange, Result)
    ) async throws(AuthError) -> Result {
        let entry = try await engine.reader.usableEntry(account)
        return try await owned("perform") { engine in
            try await engine.lanes.with(entry.key) { lane in try await lane.perform(entry, replay.replay, work) }
        }
    }
}
