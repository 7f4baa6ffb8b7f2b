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
}
