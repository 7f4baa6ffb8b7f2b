public import Latchkey
import LatchkeyOAuthCore

extension OAuthProvider: SessionRevoking {
    /// Revokes the refresh token, which ends the whole grant, or the access tokens if there is no
    /// refresh token (RFC 7009).
    ///
    /// A service can end this grant only: `everywhere` does the same as `thisSession`.
    ///
    /// The service's lists of what it supports are hints: a client without a secret asks, whatever they say.
    ///
    /// - Throws: `configuration(.unsupported)` for the scope `others`, or if the service does not
    ///   offer revocation, or refuses it to this client or for this token: it is not asked again. Any other error means
    ///   that the tokens are still valid.
    public func revoke(_ revocation: Revocation, in context: ProviderContext) async throws {
        guard revocation.scope != .others else {
            throw AuthError(
                .configuration(.unsupported), "OAuth cannot end the person's other sessions.", provider: name)
        }
        try demandSecret()
        let directory = ServiceDirectory(provider: self, context: context)
        let metadata = try await directory.metadata()
        guard let url = metadata.revocationEndpoint else {
            var error = lacks("revocation endpoint", OAuthWire.revocationEndpoint, metadata)
            // Whatever the document has instead, asking again does not help.
            error.code = .configuration(.unsupported)
            throw error
        }
        let endpoint = RevocationEndpoint(
            url: url,
            authentication: authentication.fitting(metadata.revocationMethods ?? metadata.tokenMethods),
            isUnlisted: TokenRevocation.isUnlisted(authentication, by: metadata))
        if let token = revocation.credential.refreshToken {
            return try await revoke(token, .refreshToken, at: endpoint, context)
        }
        for session in revocation.credential.sessions where revocation.session ?? session.id == session.id {
            for token in session.tokens.sorted(by: { $0.key.name < $1.key.name }).map(\.value) {
                try await revoke(token.value, .accessToken, at: endpoint, context)
            }
        }
    }

    /// Where and how revocations are asked for.
    private struct RevocationEndpoint {
        var url: String
        var authentication: ClientAuthentication
        /// Whether the service's lists leave this client out.
        var isUnlisted: Bool
    }

    private func revoke(
        _ token: Secret, _ hint: TokenRevocation.Hint, at endpoint: RevocationEndpoint, _ context: ProviderContext
    ) async throws {
        let request = TokenRevocation.request(
            token, hint, to: endpoint.url, clientID: clientID, authentication: endpoint.authentication)
        let response = try await context.send(request)
        let text = ServiceText(response, to: request, by: endpoint.authentication)
        let outcome = TokenRevocation.judge(
            response, members: errorMembers, from: endpoint.url, isUnlisted: endpoint.isUnlisted, now: context.serverNow
        )
        switch outcome {
        case .done: return
        case .clientRefused: throw refused("The service does not let this client revoke its tokens.").saying(text)
        case .unsupported: throw refused("The service cannot revoke this kind of token.").saying(text)
        case .refused(let code): throw refused("The service refuses to revoke the token (`\(code)`).").saying(text)
        case .foreign(let answer, let retryAfter): throw AuthError(answer, provider: name, retryAfter: retryAfter)
        case .notDone(let status, let retryAfter):
            throw AuthError(
                status == 429 ? .rateLimited : .serviceTrouble, "The revocation endpoint answered HTTP \(status).",
                provider: name, retryAfter: retryAfter)
        }
    }

    /// Throws if the client has a secret that is not at hand: without it the service would refuse what is right.
    func demandSecret() throws {
        guard lacksSecret else { return }
        throw NotSent(
            AuthError(
                .configuration(.invalid), "The client's secret is not at hand, so nothing was sent.", provider: name))
    }

    /// The error of a request that will not fare better if it is repeated, so that it is not.
    private func refused(_ message: String) -> AuthError {
        var error = AuthError(.configuration(.unsupported), message, provider: name)
        error.isRevocationRefused = true
        return error
    }
}
