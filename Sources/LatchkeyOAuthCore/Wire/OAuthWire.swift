/// The names of parameters and members, as the RFCs write them.
package enum OAuthWire {
    package static let accessToken = "access_token"
    package static let acrValues = "acr_values"
    package static let authorizationEndpoint = "authorization_endpoint"
    package static let claims = "claims"
    package static let claimsParameterSupported = "claims_parameter_supported"
    package static let clientID = "client_id"
    package static let clientSecret = "client_secret"
    package static let code = "code"
    package static let codeChallenge = "code_challenge"
    package static let codeChallengeMethod = "code_challenge_method"
    package static let codeChallengeMethods = "code_challenge_methods_supported"
    package static let codeVerifier = "code_verifier"
    package static let deviceCode = "device_code"
    package static let deviceEndpoint = "device_authorization_endpoint"
    package static let endSessionEndpoint = "end_session_endpoint"
    package static let error = "error"
    package static let expiresIn = "expires_in"
    package static let grantType = "grant_type"
    package static let idToken = "id_token"
    package static let idTokenAlgorithms = "id_token_signing_alg_values_supported"
    package static let interval = "interval"
    package static let iss = "iss"
    package static let issParameterSupported = "authorization_response_iss_parameter_supported"
    package static let issuer = "issuer"
    package static let jwksURI = "jwks_uri"
    package static let keys = "keys"
    package static let loginHint = "login_hint"
    package static let maxAge = "max_age"
    package static let noAuthentication = "none"
    package static let nonce = "nonce"
    package static let prompt = "prompt"
    package static let pushedEndpoint = "pushed_authorization_request_endpoint"
    package static let redirectURI = "redirect_uri"
    package static let refreshExpiresIn = "refresh_expires_in"
    package static let refreshToken = "refresh_token"
    package static let refreshTokenExpiresIn = "refresh_token_expires_in"
    package static let requirePushed = "require_pushed_authorization_requests"
    package static let resource = "resource"
    package static let responseType = "response_type"
    package static let responseTypesSupported = "response_types_supported"
    package static let revocationEndpoint = "revocation_endpoint"
    package static let revocationMethods = "revocation_endpoint_auth_methods_supported"
    package static let scope = "scope"
    package static let scopesSupported = "scopes_supported"
    package static let state = "state"
    package static let sub = "sub"
    package static let subjectTypesSupported = "subject_types_supported"
    package static let token = "token"
    package static let tokenEndpoint = "token_endpoint"
    package static let basicAuthentication = "client_secret_basic"
    package static let postAuthentication = "client_secret_post"
    package static let tokenEndpointAuthMethods = "token_endpoint_auth_methods_supported"
    package static let tokenType = "token_type"
    package static let tokenTypeHint = "token_type_hint"
    package static let uiLocales = "ui_locales"
    package static let userCode = "user_code"
    package static let userinfoEndpoint = "userinfo_endpoint"
    package static let verificationURI = "verification_uri"
    package static let verificationURIComplete = "verification_uri_complete"
    package static let verificationURL = "verification_url"

    /// Parameters that the protocol itself sets, in a request for authorization, a device code or tokens (RFC 6749,
    /// section 11.2.2; RFC 7521, 7636, 8628, 8693, 8707, 9101, 9126 and 9449; OAuth 2.0 Multiple Response Types).
    package static let ownParameters: Set<String> = [
        clientID, clientSecret, code, codeChallenge, codeChallengeMethod, codeVerifier, deviceCode, grantType, nonce,
        redirectURI, refreshToken, resource, responseType, scope, state, token, userCode, "actor_token",
        "actor_token_type", "assertion", "client_assertion", "client_assertion_type", "dpop_jkt", "password", "request",
        "request_uri", "requested_token_type", "response_mode", "subject_token", "subject_token_type", "username",
    ]

    /// Parameters that mean something in a request for authorization alone (OpenID Connect Core, section 3.1.2.1).
    package static let authorizationParameters: Set<String> = [
        acrValues, claims, "display", "id_token_hint", loginHint, maxAge, prompt, uiLocales,
    ]

    /// The members by which a token answer is known.
    package static let tokenMembers = [accessToken, refreshToken, idToken, tokenType]

    /// Values of `grant_type`.
    package enum GrantType {
        package static let authorizationCode = "authorization_code"
        package static let clientCredentials = "client_credentials"
        package static let deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
        package static let refreshToken = "refresh_token"
    }

    /// Scopes with a meaning of their own (OpenID Connect Core, sections 3.1.2.1 and 11).
    package enum Scope {
        package static let openid = "openid"
        package static let offlineAccess = "offline_access"
    }
}
