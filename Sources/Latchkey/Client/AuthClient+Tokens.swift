import LatchkeyLocked

extension AuthClient {
    /// Returns an access token that is valid now. Refreshes it first if it is about to end.
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
    nonisolated(nonsending)
        public func accessToken(
            for audience: Audience = .standard, of account: AccountID? = nil, minimumValidity: Duration? = nil
        ) async throws(AuthError) -> AccessToken
    {
        let now = engine.now
        if account == nil, minimumValidity == nil, audience.name.isEmpty {
            if let token = table.currentToken(at: now, unless: true) { return token }
            return try await slowToken(audience, account, .zero, by: .need)
        }
        var end: MonotonicInstant?
        if let minimumValidity, minimumValidity != .zero { end = now + minimumValidity }
        if let token = table.token(audience, of: account, at: now, unless: true, beyond: end) { return token }
        return try await slowToken(audience, account, minimumValidity ?? .zero, by: .need)
    }

    /// Returns the access token if one is valid now, otherwise `nil`. Never refreshes, waits or throws.
    public func currentToken(for audience: Audience = .standard, of account: AccountID? = nil) -> AccessToken? {
        let now = engine.now
        if account == nil, audience.name.isEmpty { return table.currentToken(at: now, unless: false) }
        return table.token(audience, of: account, at: now, unless: false)
    }

    /// Refreshes now, however long the token is still valid, and returns the new one.
    ///
    /// - Throws: ``AuthError``. A failure does not end the session, unless the service itself refuses it.
    @discardableResult
    public func refresh(
        for audience: Audience = .standard, of account: AccountID? = nil
    ) async throws(AuthError) -> AccessToken {
        try await slowToken(audience, account, .zero, by: .force)
    }

    enum Pressure { case need, force }

    private func slowToken(
        _ audience: Audience, _ account: AccountID?, _ validity: Duration, by pressure: Pressure
    ) async throws(AuthError) -> AccessToken {
        let entry = try await engine.usableEntry(account)
        let now = engine.clock.now()
        let snapshot = entry.tokens[audience]
        if pressure == .need {
            if let snapshot, now < snapshot.staleAt, validity == .zero || now + validity < snapshot.endsAt {
                return snapshot.token
            }
            if let (failure, until) = entry.rest(audience, at: now) {
                if let snapshot, now < snapshot.endsAt { return snapshot.token }
                throw engine.explained(failure, entry, retryAfter: until - now)
            }
        }
        do throws(AuthError) {
            return try await engine.withLane(entry.key) { lane throws(AuthError) in
                try await lane.token(
                    Lane.Want(account: entry.account, audience: audience), newerThan: snapshot?.token,
                    isRefused: pressure == .force, isForced: pressure == .force)
            }
        } catch {
            throw engine.explained(error, entry, retryAfter: error.retryAfter)
        }
    }

    /// Runs a provider's own operation on the credential.
    ///
    /// The operation holds the session's refresh lock, so it runs alone. It is noted in the store
    /// before it runs, and its change is merged and stored before the result is returned.
    ///
    /// - Parameters:
    ///   - account: The account whose credential is used; `nil` means the current one.
    ///   - replay: What the service does if the credential is sent again after `work`'s request.
    ///     If that is worse than after a refresh, the next refresh waits until this request can no
    ///     longer arrive. ``ProviderRules/RefreshRule/fixed`` means that the request spends nothing.
    ///   - work: Sends at most one request that spends the credential, and returns what the
    ///     answer changed. A definite ``Refusal`` ends the session, once the store confirms that it
    ///     still holds what was sent.
    /// - Throws: ``AuthError``; what `work` throws, translated.
    public func perform<Result: Sendable>(
        on account: AccountID? = nil, replay: ProviderRules.RefreshRule,
        _ work: @escaping @Sendable (Credential, ProviderContext) async throws -> (CredentialChange, Result)
    ) async throws(AuthError) -> Result {
        let entry = try await engine.usableEntry(account)
        return try await owned("perform") { engine in
            try await engine.withLane(entry.key) { lane in try await lane.perform(entry, replay.replay, work) }
        }
    }
}

extension Engine {
    /// Throws `locked` while the gate is closed.
    func admit() async throws(AuthError) {
        if gate.hasRecord { try await gate.recall(self) }
        guard isOpen else { throw AuthError(.locked, "The sessions are locked.") }
    }

    /// Returns the entry of `account`, or of the current one. Reads the store first, and throws
    /// `locked` while the gate is closed.
    func usableEntry(_ account: AccountID?) async throws(AuthError) -> AccountEntry {
        try await admit()
        try await restore()
        if let entry = table.entry(account) {
            if let problem = entry.problem { throw problem }
            return entry
        }
        if let account = account ?? table.current, let failure = failure(of: account) { throw failure }
        if account == nil, let failure = failedRecords.withLock({ $0.values.first }) { throw failure }
        throw AuthError(.signInRequired(.signedOut), AuthError.SignInRequiredReason.signedOut.sentence)
    }

    /// Returns why the record of `account` could not be read.
    func failure(of account: AccountID) -> AuthError? {
        let failed = failedRecords.withLock { $0 }
        return failed.isEmpty ? nil : keys(of: account).lazy.compactMap { failed[$0] }.first
    }

    /// Returns the failure as callers see it: once the offline grace period is over, `offline` says so.
    func explained(_ failure: AuthError, _ entry: AccountEntry, retryAfter: Duration?) -> AuthError {
        var failure = failure
        failure.retryAfter = retryAfter
        if case .offline(.unreachable) = failure.code, let now = table.entry(entry.account), isGraceOver(now) {
            failure.code = .offline(.graceOver)
        }
        return failure
    }
}
