public import Latchkey

/// The error codes that are registered for OAuth answers, so the ones that may be shown.
///
/// RFC 6749, sections 4.1.2.1 and 5.2; OpenID Connect Core, section 3.1.2.6; RFC 7009, section 2.2.1; RFC 8628,
/// section 3.5; RFC 8707, section 2; RFC 9449, section 12.2; RFC 9470, section 5. Any other code is foreign text.
@nonexhaustive
public enum OAuthErrorCode: String, Hashable, Sendable, CaseIterable {
    /// The request has a fault.
    case invalidRequest = "invalid_request"
    /// Client authentication failed.
    case invalidClient = "invalid_client"
    /// The code or refresh token is used, expired, revoked or another client's.
    case invalidGrant = "invalid_grant"
    /// This client may not do that.
    case unauthorizedClient = "unauthorized_client"
    /// The grant type is not known.
    case unsupportedGrantType = "unsupported_grant_type"
    /// A scope is unknown or more than may be granted.
    case invalidScope = "invalid_scope"
    /// A resource is unknown or may not be asked for.
    case invalidTarget = "invalid_target"
    /// The person, or the service, said no.
    case accessDenied = "access_denied"
    /// The response type is not known.
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
    /// The request URI does not answer or holds something else.
    case invalidRequestURI = "invalid_request_uri"
    /// The request object is wrong.
    case invalidRequestObject = "invalid_request_object"
    /// Request objects are not taken.
    case requestNotSupported = "request_not_supported"
    /// Request URIs are not taken.
    case requestURINotSupported = "request_uri_not_supported"
    /// Registration by request is not taken.
    case registrationNotSupported = "registration_not_supported"
    /// The wanted proof cannot be given.
    case unmetAuthenticationRequirements = "unmet_authentication_requirements"
    /// The device's person has not decided yet.
    case authorizationPending = "authorization_pending"
    /// The same, and the polls come too often.
    case slowDown = "slow_down"
    /// The device code is too old.
    case expiredToken = "expired_token"
    /// This kind of token cannot be revoked here.
    case unsupportedTokenType = "unsupported_token_type"
    /// The access token is expired, revoked or malformed.
    case invalidToken = "invalid_token"
    /// The access token does not reach far enough.
    case insufficientScope = "insufficient_scope"
    /// The person must prove more, or again.
    case insufficientUserAuthentication = "insufficient_user_authentication"
    /// A proof of possession is wrong.
    case invalidDPoPProof = "invalid_dpop_proof"
    /// A proof of possession must carry the service's nonce.
    case useDPoPNonce = "use_dpop_nonce"
}

extension OAuthErrorCode {
    /// Whether it is an error of a token endpoint by RFC 6749, section 5.2: then nothing was issued. The codes that came
    /// later say less: `invalid_target` may come after the refresh token was replaced.
    public var isTokenError: Bool {
        switch self {
        case .invalidRequest, .invalidClient, .invalidGrant, .unauthorizedClient, .unsupportedGrantType, .invalidScope:
            true
        default: false
        }
    }

    /// What a code that ends a sign-in means for the caller.
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
