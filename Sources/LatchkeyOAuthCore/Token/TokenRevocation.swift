public import FoundationEssentials
public import Latchkey

/// Revokes tokens ([RFC 7009](https://www.rfc-editor.org/rfc/rfc7009)).
public enum TokenRevocation {
    /// The kind of token to revoke.
    public enum Hint: String, Hashable, Sendable {
        /// A refresh token. Revoking it ends the whole grant.
        case refreshToken = "refresh_token"
        /// An access token. Revoking it may end the whole grant as well, or only this token.
        case accessToken = "access_token"
    }

    /// The outcome of a revocation.
    @nonexhaustive
    public enum Outcome: Hashable, Sendable {
        /// The token is revoked, or the service does not know it.
        case done
        /// The service refused the client itself.
        case clientRefused
        /// The service cannot revoke this kind of token.
        case unsupported
        /// The token is still valid: try again.
        case notDone(status: Int, retryAfter: Duration?)
    }

    /// Returns the request (section 2.1).
    public static func request(
        _ token: Secret, _ hint: Hint, to endpoint: String, clientID: String, authentication: ClientAuthentication
    ) -> TransportRequest {
        let form = FormParameters([
            (OAuthWire.token, token.revealText()), (OAuthWire.tokenTypeHint, hint.rawValue),
        ])
        return .form(form, to: endpoint, clientID: clientID, authentication: authentication)
    }

    /// Returns whether a service with this metadata lets such a client revoke tokens.
    public static func isOffered(by metadata: ServerMetadata, to authentication: ClientAuthentication) -> Bool {
        guard metadata.revocationEndpoint != nil else { return false }
        // A way to send a secret often works even if the list leaves it out.
        guard authentication == .none, let methods = metadata.revocationMethods, !methods.isEmpty else { return true }
        if methods.contains(OAuthWire.noAuthentication) { return true }
        // Some services name no public clients in either list, but serve them at both endpoints
        // (Keycloak). The absence therefore counts only if this list lacks other ways too.
        return metadata.tokenMethods.map { Set($0).isSubset(of: methods) } ?? false
    }

    /// Judges the answer (section 2.2). A 200 with an `error` in its body means that the service
    /// does not know the token, which counts as done.
    public static func judge(
        _ response: TransportResponse, members: [String] = TokenAnswer.errorMembers, now: Date
    ) -> Outcome {
        let code = TokenAnswer.errorCode(in: response.body, members).flatMap(OAuthErrorCode.init(rawValue:))
        switch (response.status, code) {
        case (200...299, _): return .done
        case (401, _), (400...499, .invalidClient), (400...499, .unauthorizedClient): return .clientRefused
        case (400, .invalidToken), (400, .invalidGrant): return .done
        case (400, .unsupportedTokenType): return .unsupported
        default:
            return .notDone(status: response.status, retryAfter: RetryAfter.read(response.fields, now: now))
        }
    }
}
