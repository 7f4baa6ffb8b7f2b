import Latchkey

extension SupabaseErrorCode {
    /// The error code that a service code becomes, and its message.
    struct Meaning: Sendable {
        var outcome: AuthError.Code
        var sentence: String

        init(_ outcome: AuthError.Code, _ sentence: String) {
            self.outcome = outcome
            self.sentence = sentence
        }
    }

    /// Every code of the service as of commit `bc32168`, August 2026.
    static let meanings: [SupabaseErrorCode: Meaning] = [
        .anonymousProviderDisabled: Meaning(
            .configuration(.unsupported), "The project does not let people in anonymously."),
        .badCodeVerifier: Meaning(
            .refused(.expired), "The link or visit belongs to another request; a newer one may have replaced it."),
        .badJSON: Meaning(.configuration(.invalid), "The service could not read the request."),
        .badJWT: Meaning(.serviceTrouble, "The service did not accept the access token; it may have just expired."),
        .badOAuthCallback: Meaning(
            .refused(.denied),
            "The identity provider sent the browser back with an answer that the service cannot read."),
        .badOAuthState: Meaning(
            .refused(.expired), "The visit to the identity provider took too long, or was answered before."),
        .captchaFailed: Meaning(
            .refused(.captcha), "The service wants a captcha, or did not accept the one that was given."),
        .conflict: Meaning(.serviceTrouble, "The session is being changed by another request."),
        .currentPasswordInvalid: Meaning(.refused(.wrongInput), "The current password is wrong."),
        .currentPasswordRequired: Meaning(.refused(.factorRequired), "The service wants the current password too."),
        .customProviderNotFound: Meaning(.configuration(.invalid), "The project has no custom provider of that name."),
        .emailAddressInvalid: Meaning(.refused(.wrongInput), "The service does not take this mail address."),
        .emailAddressNotAuthorized: Meaning(.refused(.denied), "The project may not send mail to this address."),
        .emailAddressNotProvided: Meaning(.refused(.other), "The identity provider gave no mail address."),
        .emailConflictIdentityNotDeletable: Meaning(
            .refused(.other), "The identity cannot be unlinked, because its mail address belongs to another account."),
        .emailExists: Meaning(.refused(.other), "Another account has this mail address."),
        .emailNotConfirmed: Meaning(.refused(.factorRequired), "The mail address has not been confirmed."),
        .emailProviderDisabled: Meaning(
            .configuration(.unsupported), "The project does not offer signing in by mail address."),
        .featureDisabled: Meaning(.configuration(.unsupported), "The project does not offer this."),
        .flowStateAlreadyUsed: Meaning(.refused(.expired), "The visit to the identity provider was answered before."),
        .flowStateExpired: Meaning(.refused(.expired), "The link or visit is too old; ask for a new one."),
        .flowStateNotFound: Meaning(.refused(.expired), "The link or visit was answered before, or is not known."),
        .hookPayloadInvalidContentType: Meaning(
            .serviceTrouble, "A hook of the project answered in a form that the service cannot read."),
        .hookPayloadOverSizeLimit: Meaning(.serviceTrouble, "A hook of the project answered with too much."),
        .hookTimeout: Meaning(.serviceTrouble, "A hook of the project did not answer in time."),
        .hookTimeoutAfterRetry: Meaning(.serviceTrouble, "A hook of the project did not answer in time."),
        .identityAlreadyExists: Meaning(.refused(.other), "The identity belongs to an account already."),
        .identityNotFound: Meaning(.refused(.other), "The account has no such identity."),
        .insufficientAAL: Meaning(.refused(.factorRequired), "A further factor is wanted for this."),
        .invalidCredentials: Meaning(.refused(.wrongInput), "The address or the password is wrong."),
        .inviteNotFound: Meaning(.refused(.expired), "The invitation was used before, or is too old."),
        .manualLinkingDisabled: Meaning(
            .configuration(.unsupported), "The project does not let people link identities."),
        .mfaChallengeExpired: Meaning(.refused(.expired), "The factor was not proven in time."),
        .mfaFactorNameConflict: Meaning(.refused(.other), "Another factor of the person has this name."),
        .mfaFactorNotFound: Meaning(
            .refused(.expired), "The person has no such factor, or the challenge is not known any more."),
        .mfaIPAddressMismatch: Meaning(
            .refused(.expired), "The challenge was answered before, or from another network."),
        .mfaPhoneEnrollNotEnabled: Meaning(
            .configuration(.unsupported), "The project does not offer telephones as factors."),
        .mfaPhoneVerifyNotEnabled: Meaning(
            .configuration(.unsupported), "The project does not take telephones as factors."),
        .mfaTOTPEnrollNotEnabled: Meaning(
            .configuration(.unsupported), "The project does not offer authenticator apps as factors."),
        .mfaTOTPVerifyNotEnabled: Meaning(
            .configuration(.unsupported), "The project does not take authenticator apps as factors."),
        .mfaVerificationFailed: Meaning(.refused(.wrongInput), "The code of the factor is wrong."),
        .mfaVerificationRejected: Meaning(.refused(.denied), "A hook of the project refused the factor."),
        .mfaVerifiedFactorExists: Meaning(.refused(.other), "The person has this factor already."),
        .mfaWebAuthnEnrollNotEnabled: Meaning(
            .configuration(.unsupported), "The project does not offer passkeys as factors."),
        .mfaWebAuthnVerifyNotEnabled: Meaning(
            .configuration(.unsupported), "The project does not take passkeys as factors."),
        .noAuthorization: Meaning(.refused(.denied), "The service does not let this session do that."),
        .notAdmin: Meaning(.refused(.denied), "Only an administrator may do that."),
        .oauthAuthorizationNotFound: Meaning(
            .refused(.expired), "The authorization is not known, or was decided before."),
        .oauthClientNotFound: Meaning(.configuration(.invalid), "The project has no such OAuth client."),
        .oauthClientStateExpired: Meaning(.refused(.expired), "The visit to the identity provider took too long."),
        .oauthClientStateNotFound: Meaning(.refused(.expired), "The visit to the identity provider is not known."),
        .oauthConsentNotFound: Meaning(.refused(.other), "The person gave no such consent."),
        .oauthDynamicClientRegistrationDisabled: Meaning(
            .configuration(.unsupported), "The project does not let clients register themselves."),
        .oauthInvalidState: Meaning(.refused(.expired), "The visit to the identity provider is not known."),
        .oauthProviderNotSupported: Meaning(
            .configuration(.unsupported), "The service does not know this identity provider."),
        .otpDisabled: Meaning(.refused(.other), "The service sends no code to this address; it may have no account."),
        .otpExpired: Meaning(.refused(.wrongInput), "The code is wrong, was used, or is too old."),
        .overCustomProviderQuota: Meaning(.refused(.other), "The project has too many custom providers."),
        .overEmailSendRateLimit: Meaning(.rateLimited, "The service sends no more mail for now."),
        .overRequestRateLimit: Meaning(.rateLimited, "The service wants fewer requests."),
        .overSMSSendRateLimit: Meaning(.rateLimited, "The service sends no more text messages for now."),
        .passkeyDisabled: Meaning(.configuration(.unsupported), "The project does not offer passkeys."),
        .phoneExists: Meaning(.refused(.other), "Another account has this telephone number."),
        .phoneNotConfirmed: Meaning(.refused(.factorRequired), "The telephone number has not been confirmed."),
        .phoneProviderDisabled: Meaning(
            .configuration(.unsupported), "The project does not offer signing in by telephone number."),
        .providerDisabled: Meaning(.configuration(.unsupported), "The project does not offer this identity provider."),
        .providerEmailNeedsVerification: Meaning(
            .refused(.factorRequired),
            "The mail address of the identity provider must be confirmed first; the service sent a mail."),
        .reauthenticationNeeded: Meaning(
            .refused(.factorRequired), "The service wants a fresh proof first; ask for a nonce by mail or text message."
        ),
        .reauthenticationNotValid: Meaning(.refused(.wrongInput), "The nonce is wrong or too old."),
        .refreshTokenAlreadyUsed: Meaning(
            .signInRequired(.refused), "The refresh token was used before, and its session is over."),
        .refreshTokenNotFound: Meaning(.signInRequired(.refused), "The session is over."),
        .requestEntityTooLarge: Meaning(.configuration(.invalid), "The request is too large for the service."),
        .requestTimeout: Meaning(.serviceTrouble, "The service did not finish in time and changed nothing."),
        .samePassword: Meaning(.refused(.passwordNotAccepted), "The new password is the old one."),
        .samlAssertionNoEmail: Meaning(.refused(.other), "The identity provider gave no mail address."),
        .samlAssertionNoUserID: Meaning(.refused(.other), "The identity provider named nobody."),
        .samlEntityIDMismatch: Meaning(
            .configuration(.invalid), "The identity provider has another entity id than the project expects."),
        .samlIDPAlreadyExists: Meaning(.refused(.other), "The project has this identity provider already."),
        .samlIDPNotFound: Meaning(.configuration(.invalid), "The project does not know this identity provider."),
        .samlMetadataFetchFailed: Meaning(
            .serviceTrouble, "The metadata of the identity provider could not be fetched."),
        .samlProviderDisabled: Meaning(.configuration(.unsupported), "The project does not offer enterprise sign-in."),
        .samlRelayStateExpired: Meaning(.refused(.expired), "The visit to the identity provider took too long."),
        .samlRelayStateNotFound: Meaning(.refused(.expired), "The visit to the identity provider is not known."),
        .sessionExpired: Meaning(.signInRequired(.refused), "The session is too old, or was replaced by a newer one."),
        .sessionNotFound: Meaning(.signInRequired(.refused), "The session is over."),
        .signupDisabled: Meaning(.refused(.denied), "The project takes no new accounts."),
        .singleIdentityNotDeletable: Meaning(.refused(.other), "The last identity of an account cannot be unlinked."),
        .smsSendFailed: Meaning(.serviceTrouble, "The service could not send the text message."),
        .ssoDomainAlreadyExists: Meaning(.refused(.other), "Another identity provider has this domain."),
        .ssoProviderDisabled: Meaning(
            .configuration(.unsupported), "The identity provider of this organization is switched off."),
        .ssoProviderNotFound: Meaning(.refused(.other), "No identity provider is known for this organization."),
        .tooManyEnrolledMFAFactors: Meaning(.refused(.other), "The person has too many factors."),
        .tooManyPasskeys: Meaning(.refused(.other), "The person has too many passkeys."),
        .unexpectedAudience: Meaning(.configuration(.invalid), "The account belongs to another audience."),
        .unexpectedFailure: Meaning(.serviceTrouble, "The service failed."),
        .unknown: Meaning(.refused(.other), "The service refused without a code, as hooks of a project do."),
        .userAlreadyExists: Meaning(.refused(.other), "There is an account with this address already."),
        .userBanned: Meaning(.signInRequired(.banned), "The account is banned."),
        .userNotFound: Meaning(.signInRequired(.refused), "The account does not exist any more."),
        .userSSOManaged: Meaning(
            .refused(.denied), "The account is managed by an organization and cannot be changed here."),
        .validationFailed: Meaning(.refused(.other), "The service found the request invalid."),
        .weakPassword: Meaning(.refused(.passwordNotAccepted), "The password is too weak."),
        .web3ProviderDisabled: Meaning(.configuration(.unsupported), "The project does not offer wallets."),
        .web3UnsupportedChain: Meaning(.configuration(.unsupported), "The service does not know this chain."),
        .webAuthnChallengeExpired: Meaning(.refused(.expired), "The passkey was not used in time."),
        .webAuthnChallengeNotFound: Meaning(
            .refused(.expired), "The passkey's challenge was answered before, or is not known."),
        .webAuthnCredentialExists: Meaning(.refused(.other), "The account has this passkey already."),
        .webAuthnCredentialNotFound: Meaning(.refused(.other), "The account has no such passkey."),
        .webAuthnVerificationFailed: Meaning(.refused(.wrongInput), "The passkey's answer was not accepted."),
    ]
}
