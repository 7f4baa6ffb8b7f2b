import Latchkey

/// What a failure means for a refresh.
extension TokenFailure {
    /// Whether a code that speaks of the client means the refresh token, where the same request has worked before.
    ///
    /// The client is what `invalid_client` is for, and the status 401 says that its authentication failed (RFC 6749,
    /// section 5.2); Keycloak answers 401 with `unauthorized_client` to a wrong secret. Gitea answers 400 with
    /// `unauthorized_client` to a spent, expired or garbled refresh token, mockoidc 401 with `invalid_request`.
    package func meansTheToken(_ status: Int) -> Bool {
        guard case .clientRefused(let code?) = self else { return false }
        switch OAuthErrorCode(rawValue: code) {
        case .unauthorizedClient: return status != 401
        case .invalidRequest: return true
        default: return false
        }
    }

    /// Whether the service has said that it issued nothing: with an error of RFC 6749, section 5.2, and its status.
    package func issuedNothing(_ status: Int) -> Bool {
        switch self {
        case .requestRefused(let code): code.isTokenError && [400, 401].contains(status)
        case .clientRefused(let code?):
            OAuthErrorCode(rawValue: code)?.isTokenError == true && [400, 401].contains(status)
        default: false
        }
    }
}
