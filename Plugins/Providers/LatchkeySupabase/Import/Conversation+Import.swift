import Latchkey
import LatchkeyJSON

/// Taking over a session of another client.
extension Conversation {
    /// Asks nothing of the service: what the other client had is stored, and the first refresh, like every other, brings
    /// the refresh token that is kept from then on. A further factor is not asked for: the person goes on as they were
    /// signed in.
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
}
