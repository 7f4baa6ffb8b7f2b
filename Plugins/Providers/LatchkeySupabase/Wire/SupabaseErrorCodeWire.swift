/// The service's own code for a refusal. The list is open: a code of a newer service is kept as it came.
///
/// ```swift
/// catch let error where error.supabase == .otpExpired { … }
/// ```
public struct SupabaseErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code as the service writes it.
    public let rawValue: String

    /// Creates a code from the service's text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Reads a code from an answer: lower-case letters, digits and underscores, at most 64; `nil`
    /// for any other text.
    init?(wire text: String) {
        guard (1...64).contains(text.utf8.count), text.utf8.first.map({ (0x61...0x7A).contains($0) }) == true,
            text.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F })
        else { return nil }
        rawValue = text
    }

    /// The code.
    public var description: String { rawValue }
}

extension SupabaseErrorCode {
    /// The link or visit was started on another device or installation, which alone can complete
    /// it. Let the person open the link there, or type the code from its mail here. Not a code of
    /// the service: detected before anything is sent.
    public static let linkOfAnotherDevice = Self(rawValue: "link_of_another_device")

    /// A link or an answer brought a session that was not asked for here, such as another person's.
    /// It was dropped, and ended at the service if possible. Not a code of the service.
    public static let sessionNotAskedFor = Self(rawValue: "session_not_asked_for")

    /// The project does not offer anonymous sign-in.
    public static let anonymousProviderDisabled = Self(rawValue: "anonymous_provider_disabled")
    /// The link or visit belongs to another request; a newer one may have replaced it.
    public static let badCodeVerifier = Self(rawValue: "bad_code_verifier")
    /// The service could not read the request.
    public static let badJSON = Self(rawValue: "bad_json")
    /// The service did not accept the access token; it may have just expired.
    public static let badJWT = Self(rawValue: "bad_jwt")
    /// The identity provider sent the browser back with an answer that the service cannot read.
    public static let badOAuthCallback = Self(rawValue: "bad_oauth_callback")
    /// The visit to the identity provider took too long, or was answered before.
    public static let badOAuthState = Self(rawValue: "bad_oauth_state")
    /// The service wants a captcha, or did not accept the one that was given.
    public static let captchaFailed = Self(rawValue: "captcha_failed")
    /// The session is being changed by another request.
    public static let conflict = Self(rawValue: "conflict")
    /// The current password is wrong.
    public static let currentPasswordInvalid = Self(rawValue: "current_password_invalid")
    /// The service wants the current password too.
    public static let currentPasswordRequired = Self(rawValue: "current_password_required")
    /// The project has no custom provider of that name.
    public static let customProviderNotFound = Self(rawValue: "custom_provider_not_found")
    /// The service does not accept this mail address.
    public static let emailAddressInvalid = Self(rawValue: "email_address_invalid")
    /// The project may not send mail to this address.
    public static let emailAddressNotAuthorized = Self(rawValue: "email_address_not_authorized")
    /// The identity provider gave no mail address.
    public static let emailAddressNotProvided = Self(rawValue: "email_address_not_provided")
    /// The identity cannot be unlinked, because its mail address belongs to another account.
    public static let emailConflictIdentityNotDeletable = Self(rawValue: "email_conflict_identity_not_deletable")
    /// Another account has this mail address.
    public static let emailExists = Self(rawValue: "email_exists")
    /// The mail address has not been confirmed.
    public static let emailNotConfirmed = Self(rawValue: "email_not_confirmed")
    /// The project does not offer signing in by mail address.
    public static let emailProviderDisabled = Self(rawValue: "email_provider_disabled")
    /// The project does not offer this.
    public static let featureDisabled = Self(rawValue: "feature_disabled")
    /// The visit to the identity provider was answered before.
    public static let flowStateAlreadyUsed = Self(rawValue: "flow_state_already_used")
    /// The link or visit is too old; ask for a new one.
    public static let flowStateExpired = Self(rawValue: "flow_state_expired")
    /// The link or visit was answered before, or is not known.
    public static let flowStateNotFound = Self(rawValue: "flow_state_not_found")
    /// A hook of the project answered in a form that the service cannot read.
    public static let hookPayloadInvalidContentType = Self(rawValue: "hook_payload_invalid_content_type")
    /// A hook of the project answered with too much data.
    public static let hookPayloadOverSizeLimit = Self(rawValue: "hook_payload_over_size_limit")
    /// A hook of the project did not answer in time.
    public static let hookTimeout = Self(rawValue: "hook_timeout")
    /// A hook of the project did not answer in time.
    public static let hookTimeoutAfterRetry = Self(rawValue: "hook_timeout_after_retry")
    /// The identity belongs to an account already.
    public static let identityAlreadyExists = Self(rawValue: "identity_already_exists")
    /// The account has no such identity.
    public static let identityNotFound = Self(rawValue: "identity_not_found")
    /// This needs a further factor: raise the session first.
    public static let insufficientAAL = Self(rawValue: "insufficient_aal")
    /// The address or the password is wrong.
    public static let invalidCredentials = Self(rawValue: "invalid_credentials")
    /// The invitation was used before, or is too old.
    public static let inviteNotFound = Self(rawValue: "invite_not_found")
    /// The project does not let people link identities.
    public static let manualLinkingDisabled = Self(rawValue: "manual_linking_disabled")
    /// The factor was not proven in time.
    public static let mfaChallengeExpired = Self(rawValue: "mfa_challenge_expired")
    /// Another factor of the person has this name.
    public static let mfaFactorNameConflict = Self(rawValue: "mfa_factor_name_conflict")
    /// The person has no such factor, or the challenge is no longer known.
    public static let mfaFactorNotFound = Self(rawValue: "mfa_factor_not_found")
    /// The challenge was answered before, or from another network.
    public static let mfaIPAddressMismatch = Self(rawValue: "mfa_ip_address_mismatch")
    /// The project does not offer telephones as factors.
    public static let mfaPhoneEnrollNotEnabled = Self(rawValue: "mfa_phone_enroll_not_enabled")
    /// The project does not accept telephones as factors.
    public static let mfaPhoneVerifyNotEnabled = Self(rawValue: "mfa_phone_verify_not_enabled")
    /// The project does not offer authenticator apps as factors.
    public static let mfaTOTPEnrollNotEnabled = Self(rawValue: "mfa_totp_enroll_not_enabled")
    /// The project does not accept authenticator apps as factors.
    public static let mfaTOTPVerifyNotEnabled = Self(rawValue: "mfa_totp_verify_not_enabled")
    /// The code of the factor is wrong.
    public static let mfaVerificationFailed = Self(rawValue: "mfa_verification_failed")
    /// A hook of the project refused the factor.
    public static let mfaVerificationRejected = Self(rawValue: "mfa_verification_rejected")
    /// The person has this factor already.
    public static let mfaVerifiedFactorExists = Self(rawValue: "mfa_verified_factor_exists")
    /// The project does not offer passkeys as factors.
    public static let mfaWebAuthnEnrollNotEnabled = Self(rawValue: "mfa_webauthn_enroll_not_enabled")
    /// The project does not accept passkeys as factors.
    public static let mfaWebAuthnVerifyNotEnabled = Self(rawValue: "mfa_webauthn_verify_not_enabled")
    /// The service does not let this session do that.
    public static let noAuthorization = Self(rawValue: "no_authorization")
    /// Only an administrator may do that.
    public static let notAdmin = Self(rawValue: "not_admin")
    /// The authorization is not known, or was decided before.
    public static let oauthAuthorizationNotFound = Self(rawValue: "oauth_authorization_not_found")
    /// The project has no such OAuth client.
    public static let oauthClientNotFound = Self(rawValue: "oauth_client_not_found")
    /// The visit to the identity provider took too long.
    public static let oauthClientStateExpired = Self(rawValue: "oauth_client_state_expired")
    /// The visit to the identity provider is not known.
    public static let oauthClientStateNotFound = Self(rawValue: "oauth_client_state_not_found")
    /// The person gave no such consent.
    public static let oauthConsentNotFound = Self(rawValue: "oauth_consent_not_found")
    /// The project does not let clients register themselves.
    public static let oauthDynamicClientRegistrationDisabled = Self(
        rawValue: "oauth_dynamic_client_registration_disabled")
    /// The visit to the identity provider is not known.
    public static let oauthInvalidState = Self(rawValue: "oauth_invalid_state")
    /// The service does not know this identity provider.
    public static let oauthProviderNotSupported = Self(rawValue: "oauth_provider_not_supported")
    /// The service does not send a code to this address; it may have no account.
    public static let otpDisabled = Self(rawValue: "otp_disabled")
    /// The code is wrong, was used, or is too old.
    public static let otpExpired = Self(rawValue: "otp_expired")
    /// The project has too many custom providers.
    public static let overCustomProviderQuota = Self(rawValue: "over_custom_provider_quota")
    /// The service sends no more mail for now; wait before asking again.
    public static let overEmailSendRateLimit = Self(rawValue: "over_email_send_rate_limit")
    /// The service received too many requests; wait before sending more.
    public static let overRequestRateLimit = Self(rawValue: "over_request_rate_limit")
    /// The service sends no more text messages for now; wait before asking again.
    public static let overSMSSendRateLimit = Self(rawValue: "over_sms_send_rate_limit")
    /// The project does not offer passkeys.
    public static let passkeyDisabled = Self(rawValue: "passkey_disabled")
    /// Another account has this telephone number.
    public static let phoneExists = Self(rawValue: "phone_exists")
    /// The telephone number has not been confirmed.
    public static let phoneNotConfirmed = Self(rawValue: "phone_not_confirmed")
    /// The project does not offer signing in by telephone number.
    public static let phoneProviderDisabled = Self(rawValue: "phone_provider_disabled")
    /// The project does not offer this identity provider.
    public static let providerDisabled = Self(rawValue: "provider_disabled")
    /// The mail address of the identity provider must be confirmed first; the service sent a mail.
    public static let providerEmailNeedsVerification = Self(rawValue: "provider_email_needs_verification")
    /// The service wants a fresh proof first; call ``SupabaseHandle/reauthenticate()`` to send a
    /// nonce by mail or text message.
    public static let reauthenticationNeeded = Self(rawValue: "reauthentication_needed")
    /// The nonce is wrong or too old.
    public static let reauthenticationNotValid = Self(rawValue: "reauthentication_not_valid")
    /// The refresh token was used before, and its session is over.
    public static let refreshTokenAlreadyUsed = Self(rawValue: "refresh_token_already_used")
    /// The session is over.
    public static let refreshTokenNotFound = Self(rawValue: "refresh_token_not_found")
    /// The request is too large for the service.
    public static let requestEntityTooLarge = Self(rawValue: "request_entity_too_large")
    /// The service did not finish in time and changed nothing.
    public static let requestTimeout = Self(rawValue: "request_timeout")
    /// The new password is the same as the old one.
    public static let samePassword = Self(rawValue: "same_password")
    /// The identity provider gave no mail address.
    public static let samlAssertionNoEmail = Self(rawValue: "saml_assertion_no_email")
    /// The identity provider did not name the person.
    public static let samlAssertionNoUserID = Self(rawValue: "saml_assertion_no_user_id")
    /// The identity provider has another entity id than the project expects.
    public static let samlEntityIDMismatch = Self(rawValue: "saml_entity_id_mismatch")
    /// The project has this identity provider already.
    public static let samlIDPAlreadyExists = Self(rawValue: "saml_idp_already_exists")
    /// The project does not know this identity provider.
    public static let samlIDPNotFound = Self(rawValue: "saml_idp_not_found")
    /// The metadata of the identity provider could not be fetched.
    public static let samlMetadataFetchFailed = Self(rawValue: "saml_metadata_fetch_failed")
    /// The project does not offer enterprise sign-in.
    public static let samlProviderDisabled = Self(rawValue: "saml_provider_disabled")
    /// The visit to the identity provider took too long.
    public static let samlRelayStateExpired = Self(rawValue: "saml_relay_state_expired")
    /// The visit to the identity provider is not known.
    public static let samlRelayStateNotFound = Self(rawValue: "saml_relay_state_not_found")
    /// The session is too old, or was replaced by a newer one.
    public static let sessionExpired = Self(rawValue: "session_expired")
    /// The session is over.
    public static let sessionNotFound = Self(rawValue: "session_not_found")
    /// The project does not accept new accounts.
    public static let signupDisabled = Self(rawValue: "signup_disabled")
    /// The last identity of an account cannot be unlinked.
    public static let singleIdentityNotDeletable = Self(rawValue: "single_identity_not_deletable")
    /// The service could not send the text message.
    public static let smsSendFailed = Self(rawValue: "sms_send_failed")
    /// Another identity provider has this domain.
    public static let ssoDomainAlreadyExists = Self(rawValue: "sso_domain_already_exists")
    /// The identity provider of this organization is switched off.
    public static let ssoProviderDisabled = Self(rawValue: "sso_provider_disabled")
    /// No identity provider is known for this organization.
    public static let ssoProviderNotFound = Self(rawValue: "sso_provider_not_found")
    /// The person has too many factors.
    public static let tooManyEnrolledMFAFactors = Self(rawValue: "too_many_enrolled_mfa_factors")
    /// The person has too many passkeys.
    public static let tooManyPasskeys = Self(rawValue: "too_many_passkeys")
    /// The account belongs to another audience.
    public static let unexpectedAudience = Self(rawValue: "unexpected_audience")
    /// The service failed.
    public static let unexpectedFailure = Self(rawValue: "unexpected_failure")
    /// The service refused without a code, as hooks of a project do.
    public static let unknown = Self(rawValue: "unknown")
    /// There is an account with this address already.
    public static let userAlreadyExists = Self(rawValue: "user_already_exists")
    /// The account is banned.
    public static let userBanned = Self(rawValue: "user_banned")
    /// The account no longer exists.
    public static let userNotFound = Self(rawValue: "user_not_found")
    /// The account is managed by an organization and cannot be changed here.
    public static let userSSOManaged = Self(rawValue: "user_sso_managed")
    /// The service found the request invalid.
    public static let validationFailed = Self(rawValue: "validation_failed")
    /// The password is too weak.
    public static let weakPassword = Self(rawValue: "weak_password")
    /// The project does not offer wallets.
    public static let web3ProviderDisabled = Self(rawValue: "web3_provider_disabled")
    /// The service does not know this chain.
    public static let web3UnsupportedChain = Self(rawValue: "web3_unsupported_chain")
    /// The passkey was not used in time.
    public static let webAuthnChallengeExpired = Self(rawValue: "webauthn_challenge_expired")
    /// The passkey's challenge was answered before, or is not known.
    public static let webAuthnChallengeNotFound = Self(rawValue: "webauthn_challenge_not_found")
    /// The account has this passkey already.
    public static let webAuthnCredentialExists = Self(rawValue: "webauthn_credential_exists")
    /// The account has no such passkey.
    public static let webAuthnCredentialNotFound = Self(rawValue: "webauthn_credential_not_found")
    /// The passkey's answer was not accepted.
    public static let webAuthnVerificationFailed = Self(rawValue: "webauthn_verification_failed")
}

extension SupabaseErrorCode {
    /// The grant is no longer good: the answer of services before 2024 to a dead refresh token.
    static let invalidGrant = Self(rawValue: "invalid_grant")
    /// The session was made through the OAuth server, which alone can refresh it.
    static let invalidClient = Self(rawValue: "invalid_client")
}
