import LatchkeySystem

extension AuthClient {
    /// Returns an access token that is valid now. Refreshes it first if it is about to end, or beside the caller
    /// (``EngineSettings/staleTokens``).
    ///
    /// If the token is valid, the call takes one lock and reads the clock once. Otherwise all
    /// callers share one refresh; cancelling a caller ends its wait, not the refresh. If the
    /// service cannot be reached, a token that has not ended yet is still returned.
    ///
    /// - Parameters:
    ///   - audience: What the token is for.
    ///   - account: The account; `nil` means the current one.
    ///   - minimumValidity: How long the token must still be valid. A freshly issued token is
    ///     returned even if it is shorter-lived, because the service gives no better one.
    /// - Throws: ``AuthError``; its ``AuthError/recovery`` says what to do.
    @inlinable
    nonisolated(nonsending)
        public func accessToken(
            for audience: Audience = .standard, of account: AccountID? = nil, minimumValidity: Duration? = nil
        ) async throws(AuthError) -> AccessToken
    {
        // Inlined, so that a caller in a loop or on the main actor pays for a call that waits only where it waits.
        if let token = presentToken(audience, account, minimumValidity) { return token }
        return try await awaitedToken(audience, account, minimumValidity)
    }

    /// The token, if it is good for as long as that.
    @usableFromInline
    func presentToken(_ audience: Audience, _ account: AccountID?, _ minimumValidity: Duration?) -> AccessToken? {
        let now = engine.now
        if account == nil, minimumValidity == nil, audience.name.isEmpty {
            guard let token = table.currentToken(at: now, freshOnly: true) else { return nil }
            firstToken.note(.stored)
            return token
        }
        var end: MonotonicInstant?
        if let minimumValidity, minimumValidity != .zero { end = now + minimumValidity }
        guard let token = table.token(audience, of: account, at: now, freshOnly: true, beyond: end) else {
            return nil
        }
        firstToken.note(.stored)
        return token
    }

    /// The token, with whatever has to be waited for.
    @usableFromInline
    nonisolated(nonsending)
        func awaitedToken(
            _ audience: Audience, _ account: AccountID?, _ minimumValidity: Duration?
        ) async throws(AuthError) -> AccessToken
    {
        try await slowToken(audience, account, minimumValidity ?? .zero)
    }

    /// Returns the access token if one is valid now, otherwise `nil`. Never refreshes, waits or throws.
    public func currentToken(for audience: Audience = .standard, of account: AccountID? = nil) -> AccessToken? {
        let now = engine.now
        let token =
            account == nil && audience.name.isEmpty
            ? table.currentToken(at: now, freshOnly: false)
            : table.token(audience, of: account, at: now, freshOnly: false)
        if token != nil { firstToken.note(.stored) }
        return token
    }

    /// Refreshes now, however long the token is still valid, and returns the new one. Pauses between tries do
    /// not hold it up, except one that the service has asked for (`Retry-After`), in this process or
    /// another.
    ///
    /// - Parameters:
    ///   - audience: What the token is for.
    ///   - account: The account; `nil` means the current one.
    ///   - ignoresPause: Whether to ask even before a pause is over that the service has asked for. Only a person should.
    /// - Throws: ``AuthError``; `rateLimited` with the rest of the pause, and nothing is sent. A failure does not
    ///   end the session, unless the service itself refuses it.
    @discardableResult
    public func refresh(
        for audience: Audience = .standard, of account: AccountID? = nil, ignoresPause: Bool = false
    ) async throws(AuthError) -> AccessToken {
        try await slowToken(audience, account, .zero, isForced: true, ignoresPause)
    }

    private func slowToken(
        _ audience: Audience, _ account: AccountID?, _ validity: Duration, isForced: Bool = false,
        _ ignoresPause: Bool = false
    ) async throws(AuthError) -> AccessToken {
        var entry = try await engine.reader.usableEntry(account)
        while true {
            do throws(AuthError) {
                let token = try await slowToken(audience, entry, validity, isForced, ignoresPause)
                firstToken.note(token == entry.tokens[audience]?.token ? .stored : .refreshed)
                return token
            } catch {
                let error = engine.accounts.lastWord(after: error, of: entry)
                // The login that was asked for is over. What became of the account since was told already, and counts.
                guard case .signInRequired = error.code, let next = engine.table.entry(entry.account),
                    next.login != entry.login
                else { throw error }
                entry = next
            }
        }
    }

    private func slowToken(
        _ audience: Audience, _ entry: AccountEntry, _ validity: Duration, _ isForced: Bool,
        _ ignoresPause: Bool
    ) async throws(AuthError) -> AccessToken {
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
        let demand = Demand(
            want: Want(account: entry.account, audience: audience), old: snapshot?.token, isRefused: isForced,
            forcedAt: isForced ? now : nil, ignoresPause: ignoresPause)
        if !isForced, let snapshot, engine.handsOut(snapshot, of: entry, for: validity, at: now) {
            await engine.refreshInBackground(demand, entry)
            return snapshot.token
        }
        return try await engine.token(demand, entry)
    }

    /// Runs a provider's own operation on the credential. For one that concerns a person, take
    /// ``perform(as:at:replay:shown:_:)``, which says whose session it is.
    ///
    /// The operation holds the session's refresh lock, so it runs alone. It is noted in the store
    /// before it runs, and its change is merged and stored before the result is returned.
    ///
    /// - Parameters:
    ///   - account: The account whose credential is used; `nil` means the current one.
    ///   - replay: What the service does if the credential is sent again after `work`'s request.
    ///     If that is worse than after a refresh, the next refresh waits until this request can no
    ///     longer arrive. ``ProviderRules/RefreshRule/fixed`` means that the request spends nothing.
    ///   - shown: The result, if a credential that was refreshed after the request had left (`now`) shows that the service
    ///     has acted on it; else `nil`. Where `replay` is ``ProviderRules/RefreshRule/killsFamily`` and the service forgives
    ///     an old token for a known time (``ProviderRules/reuseInterval``), the session is refreshed while the answer is
    ///     waited for, so that it outlives a lost one; what this returns takes the place of the answer.
    ///   - work: Sends at most one request that spends the credential, and returns what the
    ///     answer changed. A definite ``Refusal`` ends the session, once the store confirms that it
    ///     still holds what was sent.
    /// - Throws: ``AuthError``; what `work` throws, translated.
    public func perform<Result: Sendable>(
        on account: AccountID? = nil, replay: ProviderRules.RefreshRule,
        shown: (@Sendable (_ before: Credential, _ now: Credential) -> Result?)? = nil,
        _ work: @escaping @Sendable (Credential, ProviderContext) async throws -> (CredentialChange, Result)
    ) async throws(AuthError) -> Result {
        let entry = try await engine.reader.usableEntry(account)
        return try await owned("perform") { engine in
            try await engine.lanes.with(entry.key) { lane in
                try await lane.perform(entry, replay.replay, shown: shown, work)
            }
        }
    }
}
