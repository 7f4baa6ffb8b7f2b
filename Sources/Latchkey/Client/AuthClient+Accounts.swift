import LatchkeySystem

extension AuthClient {
    /// Reads the store again, so that changes made by other processes become visible. Sends nothing.
    ///
    /// - Returns: Every account, whatever its state, the current one first.
    /// - Throws: ``AuthError`` `locked`, or a `store` code if nothing at all could be read.
    @discardableResult
    public func restore() async throws(AuthError) -> [Account] {
        try await engine.gate.requireOpen()
        try await engine.reader.restore(again: true)
        return try listed()
    }

    /// Returns the accounts that this process knows, the current one first. Reads the store if it
    /// has not been read yet.
    public func accounts() async throws(AuthError) -> [Account] {
        try await engine.reader.restore()
        return try listed()
    }

    /// The accounts as this process knows them, in no order. Reads nothing, so that asking changes nothing.
    package var knownAccounts: [Account] {
        engine.table.entries.map { engine.accounts.account($0, hidesLabels: engine.gate.hidesLabels) }
    }

    /// Whether the store has been read once, from when on the client follows it.
    package var hasReadStore: Bool { engine.table.isRestored }

    /// Returns why records of the store cannot be read, one error for each; empty if all can. The
    /// accounts of these records are missing in ``accounts()``; the others are there. Reads the store
    /// if it has not been read yet.
    ///
    /// - Throws: ``AuthError`` if the store cannot be read at all.
    public func unreadableRecords() async throws(AuthError) -> [AuthError] {
        try await engine.reader.restore()
        return engine.reader.failures
    }

    private func listed() throws(AuthError) -> [Account] {
        let accounts = engine.table.entries.map { entry in
            engine.accounts.account(entry, hidesLabels: engine.gate.hidesLabels)
        }
        if accounts.isEmpty, let failure = engine.reader.anyFailure { throw failure }
        return accounts.sorted { first, second in
            first.isCurrent != second.isCurrent ? first.isCurrent : first.id.value < second.id.value
        }
    }

    /// The account that calls use when you name none, or `nil` before the store has been read.
    public var currentAccount: AccountID? { engine.table.current }

    /// Makes `account` the current one for every process that uses the store.
    ///
    /// - Throws: ``AuthError`` `signInRequired(.signedOut)` if the account is not signed in, or a `store` code.
    public func switchAccount(to account: AccountID) async throws(AuthError) {
        try await engine.reader.restore()
        try await engine.reader.open(account)
        guard engine.table.entry(account) != nil else {
            throw engine.reader.failure(of: account)
                ?? AuthError(.signInRequired(.signedOut), "That account is not signed in.")
        }
        try await owned("switch") { engine in try await engine.reader.choose(account) }
    }

    /// Signs out: first on this device, immediately and always, then at the service.
    ///
    /// With ``SignOutScope/others`` this session stays, and the service is asked to end the
    /// person's other sessions.
    ///
    /// - Parameters:
    ///   - account: The account to sign out; `nil` means the current one.
    ///   - scope: Which sessions the service ends.
    /// - Returns: Whether the service has revoked the session or will be asked again later.
    /// - Throws: ``AuthError`` with a `store` code if the session could not be removed from the
    ///   store. It is already gone from memory; call again to retry. With `others`: any error on
    ///   the way to the service, and `configuration(.unsupported)` if the service cannot do that;
    ///   nothing is retried automatically.
    @discardableResult
    public func signOut(
        of account: AccountID? = nil, scope: SignOutScope = .thisSession
    ) async throws(AuthError) -> SignOutResult {
        // Signing out needs no unlock, but a locked store cannot be written.
        try await engine.reader.restore()
        let named = account ?? engine.table.current
        if let named { try await engine.reader.open(named) }
        let unstored = named.flatMap { id in engine.accounts.unstoredSignOuts.withLock { $0[id] } }
        guard let entry = engine.table.entry(account) ?? unstored else {
            if let failure = named.flatMap(engine.reader.failure) { throw failure }
            return .nothingToDo
        }
        if scope == .others { return try await signOutOthers(of: entry.account) }
        return try await owned("sign out") { engine in
            do {
                let result = try await engine.lanes.with(entry.key) { lane in
                    try await lane.signOut(entry.account, login: entry.login, scope: scope)
                }
                engine.accounts.unstoredSignOuts.withLock { $0[entry.account] = nil }
                if engine.table.current == entry.account {
                    // Choosing the next current account is a convenience; the sign-out itself is done.
                    try? await engine.reader.choose(engine.reader.nextCurrent)
                }
                await engine.gate.clear()
                return result
            } catch {
                engine.accounts.unstoredSignOuts.withLock { $0[entry.account] = entry }
                throw error
            }
        }
    }

    private func signOutOthers(of account: AccountID) async throws(AuthError) -> SignOutResult {
        // The service may require an access token that is still valid.
        _ = try await accessToken(of: account)
        do throws(AuthError) {
            return try await endOthers(of: account)
        } catch  where error.code == .signInRequired(.notAccepted) {
            try await refresh(of: account)
            return try await endOthers(of: account)
        }
    }

    private func endOthers(of account: AccountID) async throws(AuthError) -> SignOutResult {
        try await perform(on: account, replay: .fixed) { [engine] credential, context in
            let name = credential.binding.provider
            guard let provider = engine.services.providers[name] as? any SessionRevoking,
                provider.rules.capabilities.contains(.signOutOfOthers)
            else {
                throw NotSent(
                    AuthError(
                        .configuration(.unsupported),
                        "Provider \"\(name.name)\" cannot end the person's other sessions.",
                        provider: name))
            }
            let session = credential.sessions.first { $0.account == account }
            try await provider.revoke(Revocation(credential, session: session?.id, scope: .others), in: context)
            return (CredentialChange(), .revoked)
        }
    }
}
