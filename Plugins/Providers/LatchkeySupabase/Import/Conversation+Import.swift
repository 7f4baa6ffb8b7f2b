import Latchkey
import LatchkeyJSON

/// Takes over a session of another client.
extension Conversation {
    /// Sends nothing: stores what the other client had. The first refresh, like every other, brings
    /// the refresh token that is kept from then on. No further factor is asked for: the person
    /// stays signed in as they were.
    func adopt(_ ticket: Secret) throws -> Turn {
        guard let stored = try SupabaseImport(ticket: ticket) else { throw unsupported }
        try stored.check(provider)
        var state = SessionState(.object([:]))
        state.providerTokens = stored.providerTokens
        let session = AuthSession(
            id: AuthSession.ID(stored.session), account: AccountID(subject: stored.subject, of: provider.binding),
            state: state.json())
        var grant = Grant(refreshToken: stored.refresh, session)
        grant.isTakenOver = true
        return .signedIn(grant)
    }

    /// Refreshes once with a token that says nothing about its person. The answer names them, and brings the token that is
    /// kept. No further factor is asked for, as above.
    func takeOver(_ token: Secret) async throws -> Turn {
        guard !token.isEmpty else {
            throw AuthError(
                .configuration(.invalid), "The refresh token is empty; nothing was sent.", provider: provider.name)
        }
        do {
            return grant(try await service.session(.refresh(token)))
        } catch let failure as SupabaseFailure {
            guard case .gone = RefreshVerdict(failure.answer), failure.code != .userBanned else { throw failure }
            var error = failure.authError(provider.name)
            error.code = .refused(.expired)
            throw error
        }
    }
}
