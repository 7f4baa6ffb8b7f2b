import Latchkey

/// What each code of the Frontend API means for the caller
/// ([Clerk, Frontend API errors](https://clerk.com/docs/guides/development/errors/frontend-api)).
///
/// The meaning of a code that is not here is not guessed: its status decides.
enum ClerkErrorCodes {
    /// Returns the meaning of a published code.
    static func meaning(_ code: String) -> AuthError.Code? { meanings[code] }

    /// All known codes.
    static var known: Set<String> { Set(meanings.keys) }

    private static let meanings: [String: AuthError.Code] = {
        var all: [String: AuthError.Code] = [:]
        for (code, words) in groups {
            for word in words.split(whereSeparator: \.isWhitespace) { all[String(word)] = code }
        }
        return all
    }()

    private static let groups: [(AuthError.Code, String)] = [
        (.refused(.wrongInput), typed), (.refused(.passwordNotAccepted), unfitPasswords), (.refused(.expired), tooLate),
        (.refused(.denied), denied),
        (.refused(.captcha), protection), (.refused(.factorRequired), factors), (.refused(.other), others),
        (.signInRequired(.refused), sessionOver), (.signInRequired(.banned), banned), (.rateLimited, limits),
        (.serviceTrouble, trouble), (.configuration(.clientRefused), client), (.configuration(.invalid), settings),
        (.configuration(.unsupported), notOffered),
    ]

    /// The person must correct what they typed; `meta.param_name` names the field.
    private static let typed = """
        form_param_duplicate form_identifier_not_found form_code_incorrect form_incorrect_signature
        form_param_format_invalid form_param_value_invalid form_username_invalid_character form_username_invalid_length form_username_needs_non_number_char legal_not_accepted form_param_missing
        form_param_nil form_param_array_size_exceeded form_param_max_length_exceeded form_param_exceeds_allowed_size
        form_password_incorrect form_password_validation_failed invalid_totp_secret_code verification_failed sign_in_no_identification_for_user password_required
        passkey_authentication_failure passkey_invalid_public_key_credential passkey_invalid_verification
        enterprise_sso_email_address_domain_mismatch saml_email_address_domain_mismatch
        """

    /// The instance's rules, or a list of leaked passwords, forbid the password.
    private static let unfitPasswords = """
        form_password_length_too_long form_password_length_too_short form_password_no_lowercase form_password_no_number
        form_password_no_special_char form_password_not_strong_enough form_password_no_uppercase
        form_password_size_in_bytes_exceeded form_password_pwned form_password_compromised
        """

    /// The attempt no longer exists: begin again.
    private static let tooLate = """
        verification_expired verification_link_token_invalid verification_link_token_source_invalid
        verification_link_token_expired verification_missing verification_not_sent verification_already_verified
        ticket_expired_code ticket_invalid_code sign_in_token_already_used_code sign_in_token_not_in_sign_in_code
        sign_in_token_cannot_be_used_code sign_in_token_revoked_code actor_token_already_used_code
        actor_token_not_in_sign_in_code actor_token_cannot_be_used_code actor_token_revoked_code
        actor_token_subject_not_found revoked_invitation invitation_already_accepted invitation_account_exists
        invitation_account_not_exists organization_invitation_already_accepted organization_invitation_revoked_code
        organization_invitation_not_pending organization_invitation_to_deleted_organization client_state_invalid
        sign_in_email_link_not_same_client sign_up_email_link_not_same_client sign_in_identification_or_user_deleted
        oauth_callback_invalid google_one_tap_token_invalid sync_nonce_already_consumed invalid_handshake
        saml_response_invalid saml_response_relaystate_missing resource_not_found form_resource_not_found
        approval_token_consumed approval_token_expired approval_token_invalid pkce_verification_failed flow_not_approved
        """

    /// The instance does not admit this person or this country.
    private static let denied = """
        not_allowed_access authorization_invalid unsupported_country_code action_blocked device_blocked
        resource_forbidden sign_up_mode_restricted sign_up_restricted_waitlist waitlist_not_accepting_entries user_locked
        oauth_access_denied missing_organization_permission not_a_member_in_organization user_delete_self_not_enabled
        user_create_organization_not_enabled organization_admin_delete_not_enabled user_quota_exceeded
        organization_membership_quota_exceeded organization_membership_plan_quota_exceeded
        organization_membership_quota_exceeded_for_sso organization_domain_quota_exceeded
        organization_unlimited_membership_required organization_membership_enterprise_connection_cannot_remove
        """

    /// The dashboard asks native programs for a proof that only a browser or an attested device can give.
    private static let protection = """
        requires_captcha captcha_invalid captcha_missing_token requires_assertion requires_device_attestation
        invalid_device_attestation_assertion invalid_device_attestation_challenge
        device_attestation_challenge_client_mismatch device_attestation_verification_failed
        """

    /// The person must prove more first.
    private static let factors = "session_reverification_required session_reverification_missing"

    /// Trying again does not help, whatever the person or the program changes.
    private static let others = """
        form_identifier_exists identifier_already_signed_in identification_claimed session_exists
        oauth_account_already_connected oauth_identification_claimed external_account_not_found
        external_account_email_address_verification_required external_account_missing_refresh_token
        oauth_fetch_user_error oauth_missing_access_token oauth_missing_refresh_token oauth_token_exchange_error
        passkey_not_registered passkey_identification_not_verified backup_codes_not_available totp_already_enabled
        no_password_set no_second_factors primary_identification_not_found too_many_unverified_identifications
        image_not_found already_a_member_in_organization organization_domain_already_exists organization_domain_blocked
        organization_domain_common organization_domain_mismatch organization_invitation_identification_already_exists
        organization_invitation_identification_not_exist organization_invitation_not_found
        organization_invitation_not_unique organization_not_found_or_unauthorized
        organization_suggestion_already_accepted enterprise_sso_hosted_domain_mismatch
        enterprise_sso_user_attribute_missing saml_user_attribute_missing account_transfer_invalid
        enterprise_sso_additional_identifications_disabled session_creation_not_allowed invalid_action_for_session
        invalid_action_for_session_reverification annual_plan_period_not_supported checkout_already_in_progress
        checkout_not_found commerce_statement_not_found invalid_plan_change invalid_plan_type
        max_payment_methods_quota_exceeded missing_payer_email missing_plan_id payee_not_active payee_not_found
        payer_not_found payment_attempt_failed_card_declined payment_attempt_failed_card_expired
        payment_attempt_failed_card_insufficient_funds payment_attempt_failed_processing_error payment_source_expired
        payment_source_in_use payment_source_not_found plan_already_active plan_not_found subscription_item_not_found
        """

    /// The client token no longer opens anything.
    private static let sessionOver = """
        authentication_invalid signed_out client_not_found action_for_session_not_authorized
        """

    private static let banned = "deprovisioned user_banned user_deactivated"

    private static let limits = """
        too_many_requests signup_rate_limit_exceeded verification_code_too_many_requests dev_monthly_sms_limit_exceeded
        """

    private static let trouble = """
        maintenance_mode internal_clerk_error verification_status_unknown sms_send_error missing_expired_token
        """

    /// The dashboard does not know this program: the Native API is off, or its redirect address is not on the list.
    private static let client = """
        native_api_disabled host_invalid origin_invalid request_invalid_for_environment redirect_uri_mismatch
        invalid_redirect_url redirect_url_domain_mismatch invalid_url_scheme instance_type_invalid
        proxy_request_invalid_secret_key proxy_request_missing_secret_key dev_browser_unauthenticated
        """

    /// This program, or a setting of the instance, is wrong.
    private static let settings = """
        authorization_header_format_invalid csrf_token_invalid user_settings_invalid request_header_missing
        multiple_authorization_header_values_forbidden multiple_origin_header_values_forbidden
        origin_authorization_headers_conflict origin_missing bad_request form_param_unknown form_param_type_invalid
        form_conditional_param_disallowed invalid_query_parameter_value request_body_invalid
        malformed_request_parameters missing_query_parameter unsupported_content_type resource_missmatch
        misconfigured_oauth_provider oauth_config_missing oauth_shared_credentials_not_supported
        device_attestation_misconfigured verification_strategy_invalid external_payments_not_setup
        invalid_gateway_type invalid_use_of_test_card
        """

    /// The dashboard, or this client, has the feature switched off.
    private static let notOffered = """
        url_based_session_syncing_disabled aws_cognito_admin_user_password_auth_not_enabled
        aws_cognito_user_password_auth_not_enabled billing_not_enabled operation_not_allowed_on_satellite_domain
        enterprise_sso_sign_in_connection_missing enterprise_sso_sign_up_connection_missing feature_not_enabled
        feature_requires_dynamic_oauth_client_registration feature_requires_oauth2_consent_screen_enabled
        feature_requires_oidc_provider form_param_value_disabled device_attestation_not_configured
        device_attestation_unsupported_platform captcha_not_enabled oauth_non_authenticatable_provider
        oauth_provider_not_enabled oauth_unsupported_provider organization_domain_enrollment_mode_not_enabled
        organization_not_enabled_in_instance saml_connection_active_not_found saml_connection_not_found
        saml_email_address_domain_reserved strategy_for_user_invalid updating_user_password_deprecated
        """
}
