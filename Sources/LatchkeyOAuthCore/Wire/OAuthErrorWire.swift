public import Latchkey

/// The error codes that are registered for OAuth answers. Only these may be shown.
///
/// RFC 6749, sections 4.1.2.1 and 5.2; OpenID Connect Core, section 3.1.2.6; RFC 7009, section 2.2.1; RFC 8628,
/// section 3.5; RFC 8707, section 2; RFC 9449, section 12.2; RFC 9470, section 5. Any other code is foreign text.
@nonexhaustive
public enum OAuthErrorCode: String, Hashable, Sendable, CaseIterable {
    /// The request is malformed or lacks something.
    case invalidRequest = "invalid_request"
    /// Client authentication failed.
    case invalidClient = "invalid_client"
    /// The code or refresh token was used, expired, was revoked, or belongs to another client.
    case invalidGrant = "invalid_grant"
    /// This client may not use this grant or response type.
    case unauthorizedClient = "unauthorized_client"
    /// The service does not support the grant type.
    case unsupportedGrantType = "unsupported_grant_type"
    /// A scope is unknown, or exceeds what may be granted.
    case invalidScope = "invalid_scope"
    /// A resource is unknown, or tokens for it may not be requested.
    case invalidTarget = "invalid_target"
    /// The person or the service declined.
    case accessDenied = "access_denied"
    /// The service does not support the response type.
    case unsupportedResponseType = "unsupported_response_type"
    /// The service failed.
    case serverError = "server_error"
    /// The service is overloaded or in maintenance.
    case temporarilyUnavailable = "temporarily_unavailable"
    /// The person would have to do something, and `prompt=none` forbids it.
    case interactionRequired = "interaction_required"
    /// The person would have to sign in, and `prompt=none` forbids it.
    case loginRequired = "login_required"
    /// The person would have to choose an account, and `prompt=none` forbids it.
    case accountSelectionRequired = "account_selection_required"
    /// The person would have to consent, and `prompt=none` forbids it.
    case consentRequired = "consent_required"
    /// The request URI cannot be fetched, or holds something else.
    case invalidRequestURI = "invalid_request_uri"
    /// The request object is wrong.
    case invalidRequestObject = "invalid_request_object"
    /// The service does not support request objects.
    case requestNotSupported = "request_not_supported"
    /// The service does not support request URIs.
    case requestURINotSupported = "request_uri_not_supported"
    /// The service does not support registration by request.
    case registrationNotSupported = "registration_not_supported"
    /// The service cannot give the requested authentication.
    case unmetAuthenticationRequirements = "unmet_authentication_requirements"
    /// The person has not decided yet on the other device: poll again.
    case authorizationPending = "authorization_pending"
    /// The person has not decided yet, and the polls come too often: wait longer.
    case slowDown = "slow_down"
    /// The device code has expired.
    case expiredToken = "expired_token"
    /// The service cannot revoke this kind of token.
    case unsupportedTokenType = "unsupported_token_type"
    /// The access token is expired, revoked or malformed.
    case invalidToken = "invalid_token"
    /// The access token lacks a scope that is needed.
    case insufficientScope = "insufficient_scope"
    /// The person must sign in with a stronger proof, or again.
    case insufficientUserAuthentication = "insufficient_user_authentication"
    /// A proof of possession is wrong.
    case invalidDPoPProof = "invalid_dpop_proof"
    /// A proof of possession must carry the service's nonce.
    case useDPoPNonce = "use_dpop_nonce"
}

extension OAuthErrorCode {
    /// Whether this is an error of a token endpoint by RFC 6749, section 5.2, after which nothing
    /// was issued. Later codes promise less: `invalid_target` may come after the refresh token was replaced.
    public var isTokenError: Bool {
        switch self {
        case .invalidRequest, .invalidClient, .invalidGrant, .unauthorizedClient, .unsupportedGrantType, .invalidScope:
            true
        default: false
        }
    }

    /// What the code means for the caller if it ends a sign-in.
    public var authCode: AuthError.Code {
        switch self {
        case .accessDenied: .declined
        case .invalidGrant, .expiredToken: .refused(.expired)
        case .invalidScope, .invalidTarget, .insufficientScope: .refused(.scope)
        case .interactionRequired, .loginRequired, .accountSelectionRequired, .consentRequired: .refused(.denied)
        case .unmetAuthenticationRequirements, .insufficientUserAuthentication: .refused(.factorRequired)
        case .serverError, .temporarilyUnavailable, .authorizationPending, .slowDown: .serviceTrouble
        case .invalidClient, .unauthorizedClient: .configuration(.clientRefused)
        case .invalidRequest: .configuration(.invalid)
        case .unsupportedGrantType, .unsupportedResponseType, .invalidRequestURI, .invalidRequestObject,
            .requestNotSupported, .requestURINotSupported, .registrationNotSupported, .unsupportedTokenType,
            .invalidDPoPProof, .useDPoPNonce:
            .configuration(.unsupported)
        case .invalidToken: .refused(.other)
        }
    }
}
