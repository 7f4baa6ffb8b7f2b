import LatchkeyJSON

/// A person in JSON, with addresses, passkeys and accounts at other services.
extension ClerkState {
    func object(_ person: ClerkPerson) -> JSON {
        var members: [String: JSON] = [
            "object": "user", "id": .string(person.id), "external_id": text(person.externalID),
            "username": text(person.username), "first_name": text(person.firstName), "last_name": text(person.lastName),
            "primary_email_address_id": text(person.primaryEmail ?? person.email.map { _ in person.emailID }),
            "primary_phone_number_id": text(person.primaryPhone ?? person.phone.map { _ in person.phoneID }),
            "primary_web3_wallet_id": .null,
            "image_url": .string(imageURL(person.image, person.id)), "has_image": .bool(person.image != nil),
            "profile_image_url": .string(imageURL(person.image, person.id)), "profile_image_id": "",
            "password_enabled": .bool(person.password != nil && settings.hasPasswords),
            "totp_enabled": .bool(person.totp != nil), "two_factor_enabled": .bool(person.hasSecondFactor),
            "backup_code_enabled": .bool(!person.backupCodes.isEmpty), "public_metadata": person.publicMetadata,
            "unsafe_metadata": person.metadata, "banned": .bool(person.isBanned), "locked": .bool(person.isLocked),
            "deprovisioned": false, "lockout_expires_in_seconds": .null, "verification_attempts_remaining": 100,
            "create_organization_enabled": true, "create_organizations_limit": .null, "delete_self_enabled": true,
            "bypass_client_trust": false, "mfa_enabled_at": .null, "mfa_disabled_at": .null,
            "password_last_updated_at": .null, "locale": .null,
            "legal_accepted_at": person.legalAcceptedAt.map(time) ?? .null,
            "last_sign_in_at": person.lastSignInAt.map(time) ?? .null, "last_active_at": time(wall),
            "created_at": time(person.createdAt), "updated_at": time(person.updatedAt),
        ]
        let lists: [String: [JSON]] = [
            "email_addresses": person.allEmails.map { email($0.id, $0.address, $0.code, person) },
            "phone_numbers": person.allPhones.map { phone($0.id, $0.address, $0.code, person) },
            "web3_wallets": [], "saml_accounts": [], "enterprise_accounts": enterpriseAccounts(person),
            "passkeys": person.passkeys.sorted { $0.key < $1.key }.map { object($0.value, $0.key, person) },
            "external_accounts": person.connections.sorted { $0.key < $1.key }.map {
                connection($0.value, $0.key, person)
            },
            "organization_memberships": person.organizations.sorted { $0.key < $1.key }.map {
                membership($0.key, person)
            },
        ]
        for (name, entries) in lists { members[name] = .array(entries) }
        return .object(members)
    }

    private func proof(_ code: ClerkCode?, _ strategy: String) -> JSON {
        // An address that is not proven has a code from the start, which is empty until one is sent.
        guard let code else {
            return ClerkVerification(strategy: strategy, status: "verified", attempts: 1, expires: now).json
        }
        return code.code.isEmpty ? .null : code.verification(now < code.expires ? "unverified" : "expired").json
    }

    func email(_ id: String, _ address: String, _ code: ClerkCode?, _ person: ClerkPerson) -> JSON {
        [
            "object": "email_address", "id": .string(id), "email_address": .string(address), "reserved": false,
            "verification": proof(code, "email_code"), "linked_to": [],
            "matches_sso_connection": .bool(hasCompany(address)), "created_at": time(person.createdAt),
            "updated_at": time(person.updatedAt),
        ]
    }

    func phone(_ id: String, _ number: String, _ code: ClerkCode?, _ person: ClerkPerson) -> JSON {
        let isSecond = person.secondPhones.contains(id)
        return [
            "object": "phone_number", "id": .string(id), "phone_number": .string(number), "reserved": false,
            "reserved_for_second_factor": .bool(isSecond),
            "default_second_factor": .bool(isSecond && person.totp == nil && person.secondPhones.sorted().first == id),
            "verification": proof(code, "phone_code"), "linked_to": [], "backup_codes": [],
            "created_at": time(person.createdAt), "updated_at": time(person.updatedAt),
        ]
    }

    func connection(_ account: ClerkConnection, _ id: String, _ person: ClerkPerson) -> JSON {
        var state = ClerkVerification(strategy: account.strategy)
        if account.email == nil {
            state.redirect = "\(origin)\(Self.browserPath)\(id)"
        } else {
            state.status = "verified"
        }
        return [
            "object": "external_account", "id": .string(id),
            "provider": .string(account.strategy.replacing("oauth_", with: "", maxReplacements: 1)),
            "identification_id": .string("idn_\(id)"), "provider_user_id": .string("\(id)_there"),
            "approved_scopes": "openid email profile", "email_address": .string(account.email ?? ""),
            "email_address_verified": .bool(account.email != nil), "first_name": "", "last_name": "", "username": .null,
            "phone_number": .null, "image_url": .string(imageURL(nil, id)), "label": .null,
            "public_metadata": .object([:]), "verification": state.json, "created_at": time(account.createdAt),
            "updated_at": time(account.createdAt),
        ]
    }

    /// Returns the accounts at the person's company.
    private func enterpriseAccounts(_ person: ClerkPerson) -> [JSON] {
        guard let email = person.email, hasCompany(email) else { return [] }
        return [
            [
                "object": "enterprise_account", "id": .string("eac_\(person.id)"), "active": true,
                "email_address": .string(email), "first_name": text(person.firstName),
                "last_name": text(person.lastName), "protocol": "saml", "provider": "saml_custom",
                "provider_user_id": .null, "public_metadata": .object([:]),
                "verification": ClerkVerification(strategy: "enterprise_sso", status: "verified").json,
                "last_authenticated_at": person.lastSignInAt.map(time) ?? .null,
                "enterprise_connection_id": .string(Self.companyConnection),
                "enterprise_connection": company(String(email.drop { $0 != "@" }.dropFirst())),
            ]
        ]
    }

    /// Returns the connection to a company's single sign-on.
    func company(_ domain: String) -> JSON {
        [
            "object": "enterprise_account_connection", "id": .string(Self.companyConnection), "active": true,
            "allow_idp_initiated": false, "allow_subdomains": false, "disable_additional_identifications": false,
            "domain": .string(domain), "logo_public_url": .string(imageURL(nil, Self.companyConnection)),
            "name": "Company", "protocol": "saml", "provider": "saml_custom", "sync_user_attributes": true,
            "allow_organization_account_linking": false, "created_at": 0, "updated_at": 0,
            "enterprise_connection_id": .string(Self.companyConnection),
        ]
    }
}
