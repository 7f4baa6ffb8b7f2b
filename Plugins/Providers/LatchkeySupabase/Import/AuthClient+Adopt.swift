public import Latchkey

extension AuthClient {
    /// Takes over a session that another Supabase client stored, so that the person need not sign in again.
    ///
    /// The session is stored first and then refreshed, like every session here, so nothing is lost
    /// even if this process ends in between. If the service cannot be reached, the session is
    /// refreshed later. When this call has returned, delete the bytes, but do not sign out through
    /// the other client: it is the same session, and would end here too.
    ///
    /// If the person is already signed in here, their existing session stays and is returned.
    /// However many tasks and processes adopt the same session at once, the service is asked once,
    /// and all of them get the same session.
    ///
    /// - Parameters:
    ///   - stored: The session that the other client stored.
    ///   - name: The provider's name; `nil` if the client has only one Supabase provider.
    /// - Returns: The stored session. It has no tokens if the service could not be reached.
    /// - Throws: `store` if the session could not be stored: the bytes are still good.
    ///   `signInRequired` if the service says that the session is over, or if it was signed out
    ///   here. `untrusted(.issuer)` if it belongs to another project (see
    ///   ``SupabaseProvider/issuer`` and ``SupabaseProvider/trustedIssuers``). `untrusted(.subject)` if it belongs to another person than
    ///   it says. After any of these, the session has signed nobody in.
    ///   `signInRequired(.refusedWithoutReason)` and `untrusted(.malformed)` if the service's
    ///   answer says nothing about the session: it is stored, and will be tried again.
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
