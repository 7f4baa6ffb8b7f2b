import Latchkey
import LatchkeyJSON

/// Taking over a session of another client.
extension Conversation {
    /// One refresh proves the session, and brings the refresh token that is kept from now on. The service answers one
    /// that was refreshed already with the same successor, so whatever gets lost here can be tried again.
    ///
    /// A further factor is not asked for: the person goes on as they were signed in.
    func adopt(_ ticket: Secret) async throws -> Turn {
        guard let stored = try SupabaseImport(ticket: ticket) else { throw unsupported }
        try stored.check(provider)
        let answer = try await refreshed(stored)
        let account = AccountID(subject: stored.subject, of: provider.binding)
        guard AccountID(subject: answer.subject, of: provider.binding) == account else {
            throw AuthError(
                .untrusted(.subject), "The stored session is another person's than it says.", provider: provider.name)
        }
        var state = SessionState(.object([:]))
        state.providerTokens = stored.providerTokens
        let before = Session(id: Session.ID(context.world.randomName()), account: account, state: state.json())
        return .signedIn(Grant(renewal: answer.refresh, provider.session(answer, in: context, over: before)))
    }

    private func refreshed(_ stored: SupabaseImport) async throws -> SessionAnswer {
        do {
            return try await provider.refreshed(stored.refresh, service)
        } catch let refusal as Refusal where refusal.kind == .unexplained {
            // Nothing is kept here that could be tried again; the app still has it.
            throw AuthError(
                .serviceTrouble, "The stored session was refused for no reason that ends one; it may still be good.",
                provider: provider.name, requestID: refusal.requestID, serviceCode: refusal.code)
        }
    }
}
