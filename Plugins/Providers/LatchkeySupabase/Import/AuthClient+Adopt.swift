public import Latchkey

extension AuthClient {
    /// Makes a session of another Supabase client one of this client, so that nobody signs in again.
    ///
    /// It is stored first, and then refreshed, as every session here is: whatever comes between, be it the end of this
    /// process, nothing is lost. Where the service cannot be reached it is refreshed later. Once this has returned, delete
    /// the bytes, without signing out through the other client: it is the same session, and would end here too.
    ///
    /// Whoever is signed in here already stays so: their session is returned. However many tasks and processes adopt the
    /// same at once, the service is asked once, and all get the same session.
    ///
    /// - Parameters:
    ///   - stored: What the other client stored.
    ///   - name: Which of several Supabase providers; `nil`: the only one.
    /// - Returns: The session, stored; without tokens where the service could not be reached.
    /// - Throws: `store` when it could not be stored: the bytes are still good. `signInRequired` when the service says that
    ///   the session is over, or it was signed out here; `untrusted(.issuer)` when it is of another project (see
    ///   ``SupabaseProvider/issuer``); `untrusted(.subject)` when it is another person's than it says. In all of these
    ///   nobody is signed in by it. `signInRequired(.refusedWithoutReason)` and `untrusted(.malformed)` when the service's
    ///   answer says nothing about the session: it is stored, and tried again.
    public func adopt(
        _ stored: SupabaseImport, for name: ProviderID? = nil
    ) async throws(AuthError) -> AuthSession {
        let provider = try provider(SupabaseProvider.self, named: name)
        try stored.check(provider)
        let session = try await signIn(with: provider.name, .ticket(stored.ticket))
        guard session.tokens.isEmpty else { return session }
        do throws(AuthError) {
            _ = try await accessToken(of: session.account)
        } catch {
            switch error.code {
            case .offline, .serviceTrouble, .rateLimited, .busy: return session
            case .signInRequired where error.serviceCode == SupabaseImport.otherPerson:
                throw AuthError(
                    .untrusted(.subject), "The stored session is another person's than it says.",
                    provider: provider.name)
            default: throw error
            }
        }
        return try await held(by: session.account, provider)
    }

    private func held(by account: AccountID, _ provider: SupabaseProvider) async throws(AuthError) -> AuthSession {
        try await perform(on: account, replay: .fixed) { credential, _ in
            guard let session = credential.sessions.first(where: { $0.account == account }) else {
                throw NotSent(
                    AuthError(
                        .signInRequired(.signedOut), "The session is not part of the credential.",
                        provider: provider.name))
            }
            return (CredentialChange(), session)
        }
    }
}
