import LatchkeyJSON

/// What the instance says about itself. Clerk's clients refuse the whole environment for one member that is missing.
extension ClerkState {
    var environment: JSON {
        [
            "object": "environment", "id": "env_latchkey", "auth_config": authConfig, "display_config": display,
            "user_settings": userSettings, "organization_settings": organizationSettings,
            "api_keys_settings": [
                "object": "api_keys_settings", "id": "api_keys_settings_latchkey", "user_api_keys_enabled": false,
                "orgs_api_keys_enabled": false,
            ],
            "commerce_settings": [
                "object": "commerce_settings", "id": "commerce_settings_latchkey",
                "billing": [
                    "stripe_publishable_key": "", "free_trial_requires_payment_method": false,
                    "organization": ["enabled": false, "has_paid_plans": false],
                    "user": ["enabled": false, "has_paid_plans": false],
                ],
            ],
            "protect_config": ["object": "protect_config", "id": "protect_config_latchkey", "loaders": []],
            "client_debug_mode": false, "partitioned_cookies": false,
            "maintenance_mode": .bool(settings.isInMaintenance),
        ]
    }

    private var authConfig: JSON {
        let mail = settings.mailStrategy.map { JSON.string($0) }
        let social = settings.connections.sorted().map(JSON.string)
        let passwords: [JSON] = settings.hasPasswords ? ["password"] : []
        return [
            "object": "auth_config", "id": "auth_config_latchkey",
            "single_session_mode": .bool(settings.has(.singleSession)), "test_mode": true, "claimed_at": .null,
            "reverification": true, "url_based_session_syncing": true, "preferred_channels": .object([:]),
            "session_minter": .bool(settings.has(.sessionMinter)),
            "first_factors": .array(passwords + [mail].compactMap(\.self) + social),
            "second_factors": ["totp", "backup_code", "phone_code"],
            "identification_strategies": .array((settings.has(.ssoOnly) ? [] : ["email_address"]) + social),
            "identification_requirements": settings.has(.ssoOnly) ? [] : [["email_address"]],
            "email_address_verification_strategies": .array([mail].compactMap(\.self)),
            "native_settings": [
                "object": "native_settings", "api_enabled": .bool(settings.allowsNative),
                "trusted_device_sign_in_enabled": false,
                "trusted_device_enrollment_prompt_after_sign_in_enabled": false,
                "trusted_device_enrollment_prompt_after_sign_up_enabled": false,
            ],
        ]
    }

    /// Addresses of the instance's pages, all of them this server's front page: it has no hosted pages.
    private static let pages = [
        "after_sign_in_url", "after_sign_out_all_url", "after_sign_out_one_url", "after_sign_up_url",
        "after_switch_session_url", "home_url", "sign_in_url", "sign_up_url", "user_profile_url",
        "organization_profile_url", "create_organization_url", "after_leave_organization_url",
        "after_create_organization_url", "waitlist_url", "after_join_waitlist_url",
    ]

    private var display: JSON {
        var members: [String: JSON] = [
            "object": "display_config", "id": "display_config_latchkey", "application_name": "Latchkey",
            "branded": false, "captcha_public_key": .null, "captcha_widget_type": "smart",
            "captcha_public_key_invisible": .null, "captcha_provider": "turnstile", "captcha_oauth_bypass": [],
            "captcha_heartbeat": false, "instance_environment_type": "development", "logo_image_url": "",
            "favicon_image_url": "", "preferred_sign_in_strategy": settings.hasPasswords ? "password" : "otp",
            "support_email": .null, "google_one_tap_client_id": .null, "show_devmode_warning": false,
            "theme": ["general": .object([:]), "buttons": .object([:]), "accounts": .object([:])],
            "clerk_js_version": "6",
        ]
        for name in Self.pages { members[name] = .string("\(origin)/") }
        for (name, path) in [("terms_url", "terms"), ("privacy_policy_url", "privacy")] {
            members[name] = settings.has(.legal) ? .string("https://\(settings.host)/\(path)") : .null
        }
        return .object(members)
    }

    private var userSettings: JSON {
        var social: [String: JSON] = [:]
        for strategy in settings.connections {
            let name = strategy.dropFirst("oauth_".count)
            social[strategy] = [
                "enabled": true, "required": false, "authenticatable": true, "strategy": .string(strategy),
                "name": .string(name.prefix(1).uppercased() + name.dropFirst()), "logo_url": .null,
                "not_selectable": false, "block_email_subaddresses": false, "deprecated": false,
            ]
        }
        let mode = settings.has(.restricted) ? "restricted" : settings.has(.waitlist) ? "waitlist" : "public"
        return [
            "attributes": attributes, "social": .object(social),
            "actions": ["delete_self": true, "create_organization": true],
            "enterprise_sso": ["enabled": true, "self_serve_sso": false, "self_serve_directory_sync": false],
            "sign_in": ["second_factor": ["required": .bool(settings.has(.setupMFA))]],
            "sign_up": [
                "mode": .string(mode), "progressive": true, "captcha_enabled": false, "allowlist_only": false,
                "legal_consent_enabled": .bool(settings.has(.legal)), "custom_action_required": false,
                "mfa": ["required": .bool(settings.has(.setupMFA))],
            ],
            "password_settings": [
                "allowed_special_characters": "", "disable_hibp": true, "min_length": 8, "max_length": 0,
                "require_special_char": false, "require_numbers": false, "require_uppercase": false,
                "require_lowercase": false, "show_zxcvbn": false, "min_zxcvbn_strength": 0,
                "enforce_hibp_on_sign_in": false,
            ],
            "password": "", "passkey_settings": ["allow_autofill": true, "show_sign_in_button": true],
            "username_settings": ["min_length": 4, "max_length": 64],
            "attack_protection": [
                "enumeration_protection": ["enabled": false], "user_lockout": ["enabled": false],
                "email_link": ["require_same_client": true], "pii": ["enabled": false],
            ],
        ]
    }

    private var attributes: JSON {
        let mail = settings.mailStrategy.map { [$0] } ?? []
        let needed = Set(settings.neededFields)
        func attribute(_ name: String, first: [String] = [], second: [String] = [], isOn: Bool = true) -> JSON {
            [
                "enabled": .bool(isOn), "required": .bool(needed.contains(name)), "immutable": false,
                "verifications": .array(first.map(JSON.string)), "used_for_first_factor": .bool(isOn && !first.isEmpty),
                "first_factors": .array(first.map(JSON.string)), "used_for_second_factor": .bool(!second.isEmpty),
                "second_factors": .array(second.map(JSON.string)), "verify_at_sign_up": .bool(!first.isEmpty),
                "name": .string(name),
            ]
        }
        let hasAddresses = !settings.has(.ssoOnly)
        return [
            "email_address": attribute("email_address", first: mail, isOn: hasAddresses),
            "phone_number": attribute(
                "phone_number", first: hasAddresses ? ["phone_code"] : [], second: ["phone_code"]),
            "username": attribute("username"), "first_name": attribute("first_name"),
            "last_name": attribute("last_name"), "password": attribute("password", isOn: settings.hasPasswords),
            "web3_wallet": attribute("web3_wallet", isOn: false),
            "authenticator_app": attribute("authenticator_app", second: ["totp"]),
            "backup_code": attribute("backup_code", second: ["backup_code"]), "passkey": attribute("passkey"),
        ]
    }

    private var organizationSettings: JSON {
        [
            "enabled": true, "max_allowed_memberships": .integer(Int64(Self.largestOrganization)),
            "force_organization_selection": .bool(settings.wantsOrganization), "actions": ["admin_delete": true],
            "domains": [
                "enabled": true,
                "enrollment_modes": ["manual_invitation", "automatic_invitation", "automatic_suggestion"],
                "default_role": "org:member",
            ],
            "slug": ["disabled": false], "organization_creation_defaults": ["enabled": false],
        ]
    }

    static let largestOrganization = 100
}
