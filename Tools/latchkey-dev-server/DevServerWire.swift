/// The names on the wire.
enum DevServerWire {
    /// Parameters and members of RFC 6749, 7636, 8628, 7009, OpenID Connect Core, RFC 9207 and RFC 8707.
    static let accessToken = "access_token"
    static let algorithms = "id_token_signing_alg_values_supported"
    static let atHash = "at_hash"
    static let challengeMethods = "code_challenge_methods_supported"
    static let authTime = "auth_time"
    static let clientAssertion = "client_assertion"
    static let clientID = "client_id"
    static let clientSecret = "client_secret"
    static let code = "code"
    static let codeChallenge = "code_challenge"
    static let codeChallengeMethod = "code_challenge_method"
    static let codeVerifier = "code_verifier"
    static let deviceCode = "device_code"
    static let emailVerified = "email_verified"
    static let error = "error"
    static let errorDescription = "error_description"
    static let expiresIn = "expires_in"
    static let grantType = "grant_type"
    static let idToken = "id_token"
    static let issParameterSupported = "authorization_response_iss_parameter_supported"
    static let interval = "interval"
    static let iss = "iss"
    static let issuer = "issuer"
    static let loginHint = "login_hint"
    static let nonce = "nonce"
    static let preferredUsername = "preferred_username"
    static let prompt = "prompt"
    static let redirectURI = "redirect_uri"
    static let refreshExpiresIn = "refresh_expires_in"
    static let refreshToken = "refresh_token"
    static let request = "request"
    static let requestURI = "request_uri"
    static let resource = "resource"
    static let responseMode = "response_mode"
    static let responseType = "response_type"
    static let scope = "scope"
    static let state = "state"
    static let token = "token"
    static let tokenEndpoint = "token_endpoint"
    static let tokenType = "token_type"
    static let userCode = "user_code"
    static let verificationURI = "verification_uri"
    static let verificationURIComplete = "verification_uri_complete"

    /// Scopes that the server interprets.
    static let openid = "openid"
    static let profile = "profile"
    static let email = "email"
    static let offlineAccess = "offline_access"

    /// The server's own names: the control endpoints' header and members, the form fields of the pages, the cookie.
    static let controlField = "X-Latchkey-Control"
    static let cookie = "latchkey_dev"
    static let transaction = "transaction"
    static let username = "username"
    static let password = "password"
    static let decision = "decision"
    static let paused = "paused"
}

/// Error codes of RFC 6749 sections 4.1.2.1 and 5.2, RFC 6750 section 3.1, RFC 8628 section 3.5, RFC 8707 and
/// OpenID Connect Core section 3.1.2.6.
enum ErrorCode: String {
    case accessDenied = "access_denied"
    case authorizationPending = "authorization_pending"
    case expiredToken = "expired_token"
    case insufficientScope = "insufficient_scope"
    case interactionRequired = "interaction_required"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case invalidRequest = "invalid_request"
    case invalidScope = "invalid_scope"
    case invalidTarget = "invalid_target"
    case invalidToken = "invalid_token"
    case requestNotSupported = "request_not_supported"
    case requestURINotSupported = "request_uri_not_supported"
    case serverError = "server_error"
    case slowDown = "slow_down"
    case temporarilyUnavailable = "temporarily_unavailable"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedGrantType = "unsupported_grant_type"
    case unsupportedResponseType = "unsupported_response_type"
}

extension DevServer {
    /// A grant type, by its name on the wire.
    public enum Grant: String, Hashable, Sendable, CaseIterable {
        /// RFC 6749 section 4.1.
        case authorizationCode = "authorization_code"
        /// RFC 6749 section 6.
        case refreshToken = "refresh_token"
        /// RFC 6749 section 4.4.
        case clientCredentials = "client_credentials"
        /// RFC 8628 section 3.4.
        case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
    }
}
