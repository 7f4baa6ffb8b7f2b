public import Latchkey
import LatchkeyLocked

extension AuthClient {
    /// Makes a session of another Supabase client one of this client, so that nobody signs in again.
    ///
    /// The service is asked once, for a refresh. Only what it answers is stored; until this returns, the bytes are the
    /// app's, and nothing that fails makes them worse. Delete them afterwards without signing out through the other
    /// client: it is the same session, and would end here too.
    ///
    /// Whoever is signed in here already stays so: their session is returned, and nothing is sent. Processes that adopt
    /// the same at once get the same session.
    ///
    /// - Parameters:
    ///   - stored: What the other client stored.
    ///   - name: Which of several Supabase providers; `nil`: the only one.
    /// - Returns: The session, stored.
    /// - Throws: `signInRequired` when the service says that the session is over; `untrusted(.issuer)` when it is of
    ///   another project (see ``SupabaseProvider/issuer``); `untrusted(.subject)` when it is another person's than it
    ///   says; `busy` while the same is adopted already; `offline`, `serviceTrouble`, `rateLimited`: try again later.
    public func adopt(
        _ stored: SupabaseImport, for name: ProviderID? = nil
    ) async throws(AuthError) -> Session {
        let provider = try provider(SupabaseProvider.self, named: name)
        try stored.check(provider)
        let account = AccountID(subject: stored.subject, of: provider.binding)
        // A second one would end the first one's session, which is its own, as one that was replaced.
        guard provider.adoptions.withLock({ $0.insert(account).inserted }) else {
            throw AuthError(.busy, "The same session is being adopted already.", provider: provider.name)
        }
        defer { provider.adoptions.withLock { _ = $0.remove(account) } }
        if let known = try await accounts().first(where: { $0.id == account }), known.state.hasSession {
            return try await held(by: account, provider)
        }
        return try await signIn(with: provider.name, .ticket(stored.ticket))
    }

    private func held(by account: AccountID, _ provider: SupabaseProvider) async throws(AuthError) -> Session {
        try await perform(on: account, replay: .notRotated) { credential, _ in
            guard let session = credential.sessions.first(where: { $0.account == account }) else {
                throw NotSent(
                    AuthError(
                        .signInRequired(.signedOut), "The session is not part of the credential.",
                        provider: provider.name))
            }
            return (Renewal(), session)
        }
    }
}

extension AccountState {
    /// Whether something is held that may still be good.
    fileprivate var hasSession: Bool {
        switch self {
        case .signedOut: false
        case .signInRequired(let reason): reason == .refusedWithoutReason
        default: true
        }
    }
}
