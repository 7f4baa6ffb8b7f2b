extension AuthClient {
    /// Returns the account that a call acts for: `account`, or the current one. Sends nothing.
    ///
    /// A provider's handle asks once for each of its calls, and names the account in all that the call does. Another
    /// task or process may switch the current account between two requests of a call.
    ///
    /// - Parameters:
    ///   - account: The account; `nil` means the current one.
    ///   - provider: The provider that the account must belong to; `nil` means any.
    /// - Throws: As ``session(of:at:)`` does.
    public func account(
        for account: AccountID? = nil, at provider: ProviderID? = nil
    ) async throws(AuthError) -> AccountID {
        let entry = try await engine.reader.usableEntry(account)
        guard provider == nil || provider == entry.binding.provider else { throw AuthError.otherProvider(provider) }
        return entry.account
    }

    /// Runs a provider's own operation for one person, as ``perform(on:replay:shown:_:)`` does.
    ///
    /// Several people may share the credential, so `work` gets the session of the one that it acts for, and need not
    /// look for it.
    ///
    /// - Parameters:
    ///   - account: The person's account; `nil` means the current one.
    ///   - provider: The provider that the account must belong to; `nil` means any.
    ///   - replay: As for ``perform(on:replay:shown:_:)``.
    ///   - shown: As for ``perform(on:replay:shown:_:)``, with the person's session before and now.
    ///   - work: As for ``perform(on:replay:shown:_:)``, with the person and their session.
    /// - Throws: ``AuthError``; `signInRequired(.signedOut)` if the person has signed out meanwhile, and
    ///   `configuration(.invalid)` if the account belongs to another provider; what `work` throws, translated.
    public func perform<Result: Sendable>(
        as account: AccountID? = nil, at provider: ProviderID? = nil, replay: ProviderRules.RefreshRule,
        shown: (@Sendable (_ before: AuthSession, _ now: AuthSession) -> Result?)? = nil,
        _ work: @escaping @Sendable (Principal, ProviderContext) async throws -> (CredentialChange, Result)
    ) async throws(AuthError) -> Result {
        let person = try await self.account(for: account, at: provider)
        var isShown: (@Sendable (Credential, Credential) -> Result?)?
        if let shown {
            isShown = { before, now in
                guard let before = before.sessions.first(where: { $0.account == person }),
                    let now = now.sessions.first(where: { $0.account == person })
                else { return nil }
                return shown(before, now)
            }
        }
        return try await perform(on: person, replay: replay, shown: isShown) { credential, context in
            guard provider == nil || provider == credential.binding.provider else {
                throw NotSent(AuthError.otherProvider(provider))
            }
            guard let session = credential.sessions.first(where: { $0.account == person }) else {
                throw NotSent(
                    AuthError(
                        .signInRequired(.signedOut), "That account is not signed in.",
                        provider: credential.binding.provider))
            }
            return try await work(Principal(credential, session: session), context)
        }
    }
}

extension AuthError {
    static func otherProvider(_ provider: ProviderID?) -> AuthError {
        AuthError(.configuration(.invalid), "The account does not belong to this provider.", provider: provider)
    }
}
