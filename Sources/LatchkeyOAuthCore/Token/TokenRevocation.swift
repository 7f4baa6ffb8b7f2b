public import FoundationEssentials
public import Latchkey

/// Telling the service that a token is no longer wanted ([RFC 7009](https://www.rfc-editor.org/rfc/rfc7009)).
public enum TokenRevocation {
    /// Which kind of token.
    public enum Hint: String, Hashable, Sendable {
        /// Ends the whole grant.
        case refreshToken = "refresh_token"
        /// May end the grant as well, or only this token.
        case accessToken = "access_token"
    }

    /// What became of it.
    @nonexhaustive
    public enum Outcome: Hashable, Sendable {
        /// The token is revoked, or the service knows no such token.
        case done
        /// The client itself was refused.
        case clientRefused
        /// This kind of token cannot be revoked here.
        case unsupported
        /// The token lives on; try again.
        case notDone(status: Int, retryAfter: Duration?)
    }

    /// The request (section 2.1).
    public static func request(
        _ token: Secret, _ hint: Hint, to endpoint: String, clientID: String, authentication: ClientAuthentication
    ) -> TransportRequest {
        let form = FormParameters([
            (OAuthWire.token, token.revealText()), (OAuthWire.tokenTypeHint, hint.rawValue),
        ])
        return .form(form, to: endpoint, clientID: clientID, authentication: authentication)
    }

    /// Whether a service with this metadata can be told by such a client at all.
    public static func isOffered(by metadata: ServerMetadata, to authentication: ClientAuthentication) -> Bool {
        guard metadata.revocationEndpoint != nil else { return false }
        // What such a list leaves out of the ways with a secret often works all the same.
        guard authentication == .none, let methods = metadata.revocationMethods, !methods.isEmpty else { return true }
        if methods.contains(OAuthWire.noAuthentication) { return true }
        // Some services name no public clients in either list, and serve them at both endpoints (Keycloak): then it says
        // something only where it is the shorter one.
        return metadata.tokenMethods.map { Set($0).isSubset(of: methods) } ?? false
    }

    /// Judges the answer (section 2.2). A 200 with an `error` in its body is done: the token is unknown there.
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
