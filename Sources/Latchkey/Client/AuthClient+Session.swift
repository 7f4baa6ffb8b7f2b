extension AuthClient {
    /// Returns an account's session as it is kept, with what its provider keeps there. Sends nothing and waits for
    /// no request, so it also works offline.
    ///
    /// Providers read from it what only they know, such as a person's claims. For a token call
    /// ``accessToken(for:of:minimumValidity:)``: those in the session may have ended, or have been replaced by now.
    ///
    /// - Parameters:
    ///   - account: The account; `nil` means the current one.
    ///   - provider: The provider that the account must belong to; `nil` means any.
    /// - Throws: ``AuthError`` `signInRequired` if nobody is signed in, `locked`, a `store` code, or
    ///   `configuration(.invalid)` if the account belongs to another provider.
    public func session(
        of account: AccountID? = nil, at provider: ProviderID? = nil
    ) async throws(AuthError) -> AuthSession {
        let entry = try await engine.reader.usableEntry(account)
        guard provider == nil || provider == entry.binding.provider else { throw AuthError.otherProvider(provider) }
        return try await engine.lanes.with(entry.key) { lane throws(AuthError) in try await lane.session(of: entry) }
    }

    /// Returns how far the clock of an account's service is ahead of this machine's, as far as its answers have shown:
    /// by their `Date`, or by what its provider has read (``ProviderContext/noteServiceTime(_:at:)``). Sends nothing.
    ///
    /// - Throws: As ``session(of:at:)`` does.
    public func serviceClockOffset(of account: AccountID? = nil) async throws(AuthError) -> Duration {
        let entry = try await engine.reader.usableEntry(account)
        return engine.services.offset(of: entry.binding)
    }
}

extension Lane {
    /// The session of `entry`: as it is stored, or with what the store has not taken yet.
    func session(of entry: AccountEntry) async throws(AuthError) -> AuthSession {
        var record: CredentialRecord?
        let wasOwed = unstored(of: entry, over: nil) != nil
        do throws(AuthError) { record = try await read()?.record } catch {
            guard let session = unstored(of: entry, over: nil) else { throw error }
            return session
        }
        if let session = unstored(of: entry, over: record) { return session }
        // The store has taken it during the read, which may have seen the record before that.
        if wasOwed { record = try await read()?.record }
        // The person may have signed out through this process meanwhile, or in anew through another one.
        guard let record, let login = record.login(of: entry.account), !logins.hasEnded(login),
            var session = record.credential?.sessions.first(where: { $0.account == entry.account })
        else {
            let reason = record?.ending(of: entry.login)?.cause.reason ?? entry.required ?? .signedOut
            throw AuthError(.signInRequired(reason), reason.sentence, provider: entry.binding.provider)
        }
        // Minted tokens live in memory.
        if isShared { session.tokens = entry.tokens.mapValues(\.token) }
        return session
    }

    /// The session of `entry` in an answer or a sign-in that the store has not taken.
    private func unstored(of entry: AccountEntry, over record: CredentialRecord?) -> AuthSession? {
        func session(in credential: Credential) -> AuthSession? {
            credential.sessions.first { $0.account == entry.account }
        }
        if let waiting = unstored.signIn, waiting.login == entry.login { return session(in: waiting.credential) }
        guard let answer = unstored.answer, answer.sent.record.has(entry.login), record.map(answer.fits) ?? true
        else { return nil }
        var credential = record?.credential ?? answer.sent.credential
        credential.apply(answer.change)
        return session(in: credential)
    }
}

extension Answered {
    /// Whether the login that asked is still the one in `record`.
    fileprivate func fits(_ record: CredentialRecord) -> Bool { record.isLive(sent.record) }
}
