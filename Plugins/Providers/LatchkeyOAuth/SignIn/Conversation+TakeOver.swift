import Latchkey
import LatchkeyOAuthCore

/// Taking over a session that another program began.
extension Conversation {
    /// Refreshes once with `token`, which says who is signed in if the service sends an ID token
    /// with it. If the service sends no new refresh token, this one is kept.
    ///
    /// If it sends a new one, `token` is spent. Then the new one is kept, whatever is wrong with the rest of the
    /// answer: the session has no name and no access token, until a refresh brings one.
    func takeOver(_ token: Secret, _ options: SignInOptions) async throws -> Turn {
        let metadata = try await directory.metadata()
        let asked = try scopes(options, metadata)
        let resources = try resources(options)
        // Before the refresh token is spent, which can be used only once.
        if asked.contains(OAuthWire.Scope.openid) { try directory.demandKeys(metadata) }
        let grant = TokenGrant.refresh(token)
        let (response, request) = try await send(grant, to: metadata, for: options.audience)
        do {
            var tokens = try tokens(in: response, to: request, grant)
            tokens.refreshToken = tokens.refreshToken ?? token
            // Without an ID token the answer does not say who it is for (OpenID Connect Core, section 12.2).
            let scopes = (tokens.scopes ?? asked).filter { $0 != OAuthWire.Scope.openid || tokens.idToken != nil }
            return try await signedIn(
                tokens, response, metadata,
                SignInDemand(
                    scopes: tokens.idToken == nil ? scopes : scopes.including(OAuthWire.Scope.openid),
                    resources: resources, first: FirstAudience(options.audience), isTakenOver: true))
        } catch {
            guard let rotated = TokenAnswer.rotatedToken(response) else { throw error }
            let session = AuthSession(
                id: AuthSession.ID(context.world.randomName()),
                account: AccountID(subject: context.world.randomName(), of: provider.binding),
                state: SessionState(isTakenOver: true).json())
            let state = CredentialState(scopes: asked, resources: resources)
            return .signedIn(Grant(refreshToken: rotated, session, state: state.json))
        }
    }
}

extension [String] {
    /// Returns the list with `scope` in it.
    fileprivate func including(_ scope: String) -> [String] { contains(scope) ? self : self + [scope] }
}
