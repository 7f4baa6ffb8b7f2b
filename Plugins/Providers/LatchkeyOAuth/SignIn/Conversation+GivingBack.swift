import Latchkey
import LatchkeyOAuthCore

/// Tokens of a sign-in that is refused.
extension Conversation {
    /// Judges the answer to an exchange. If it is refused, its tokens are handed back, to be revoked: they would live on
    /// at the service, and no program would know of them.
    func judging<Judged>(_ response: TransportResponse, _ judge: () async throws -> Judged) async throws -> Judged {
        do { return try await judge() } catch {
            giveBack(response)
            throw error
        }
    }

    /// Hands over the tokens of an answer that is refused, however wrong it is.
    func giveBack(_ response: TransportResponse) {
        let tokens = GivenTokens(response)
        guard !tokens.isEmpty else { return }
        let access = tokens.access.map { [Audience.standard: AccessToken($0, lifetime: nil)] } ?? [:]
        // The ID token is not checked, and tells only which session at the service the tokens may belong to.
        let session = AuthSession(
            id: AuthSession.ID(context.world.randomName()), account: provider.unnamedAccount(in: context),
            tokens: access, state: SessionState(refused: tokens.id).json())
        context.giveBack(
            Credential(
                id: Credential.ID(context.world.randomName()), binding: provider.binding, refreshToken: tokens.refresh,
                sessions: [session]))
    }
}
