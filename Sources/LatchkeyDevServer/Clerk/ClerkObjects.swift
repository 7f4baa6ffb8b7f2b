import LatchkeyJSON

/// The service's objects in JSON.
extension ClerkState {
    func object(_ client: ClerkClient) -> JSON {
        [
            "object": "client", "id": .string(client.id), "sessions": .array(client.sessions.map(object)),
            "sign_in": client.signIn.map { object($0, client) } ?? .null,
            "sign_up": client.signUp.map(object) ?? .null,
            "last_active_session_id": client.sessions.last.map { .string($0.id) } ?? .null,
            "last_authentication_strategy": .null, "cookie_expires_at": .null, "captcha_bypass": false,
            "created_at": .integer(Int64(client.createdAt * 1_000)),
            "updated_at": .integer(Int64(client.updatedAt * 1_000)),
        ]
    }

    func object(_ session: ClerkSession) -> JSON {
        let second = session.secondFactorAt.map { Int64((wall - $0) / 60) } ?? -1
        return [
            "object": "session", "id": .string(session.id), "status": isPending(session) ? "pending" : "active",
            "expire_at": .integer(Int64((session.createdAt + 604_800) * 1_000)),
            "abandon_at": .integer(Int64((session.createdAt + 2_592_000) * 1_000)),
            "last_active_at": .integer(milliseconds), "actor": .null,
            "tasks": isPending(session) ? [["key": "choose-organization"]] : .null,
            "last_active_organization_id": session.organization.map(JSON.string) ?? .null,
            "factor_verification_age": [.integer(Int64((wall - session.firstFactorAt) / 60)), .integer(second)],
            "last_active_token": (try? token(session, organization: session.organization)).map { token($0) } ?? .null,
            "user": people[session.person].map(object) ?? .null,
            "created_at": .integer(Int64(session.createdAt * 1_000)), "updated_at": .integer(milliseconds),
        ]
    }

    private func isPending(_ session: ClerkSession) -> Bool {
        settings.mustChooseOrganization && session.organization == nil
    }

    /// Returns the challenge that a passkey has to sign.
    func passkey(_ challenge: String?, _ person: ClerkPerson?) -> JSON {
        guard let challenge else { return .null }
        let options = requestOptions(challenge, of: person).serialized()
        return [
            "object": "verification_passkey", "status": "unverified", "strategy": "passkey",
            "nonce": .string(String(decoding: options, as: UTF8.self)),
        ]
    }

    func token(_ jwt: String) -> JSON { ["object": "token", "jwt": .string(jwt)] }

    func object(_ person: ClerkPerson) -> JSON {
        func text(_ value: String?) -> JSON { value.map(JSON.string) ?? .null }
        func email(_ id: String, _ address: String, _ isVerified: Bool) -> JSON {
            [
                "object": "email_address", "id": .string(id), "email_address": .string(address),
                "verification": ["status": isVerified ? "verified" : "unverified", "strategy": "email_code"],
            ]
        }
        let emails =
            [person.email.map { email(person.emailID, $0, true) }].compactMap(\.self)
            + person.emails.sorted { $0.key < $1.key }.map { email($0.key, $0.value.address, $0.value.code == nil) }
        func phone(_ id: String, _ number: String, _ isVerified: Bool) -> JSON {
            [
                "object": "phone_number", "id": .string(id), "phone_number": .string(number),
                "verification": ["status": isVerified ? "verified" : "unverified", "strategy": "phone_code"],
            ]
        }
        let phones =
            [person.phone.map { phone(person.phoneID, $0, true) }].compactMap(\.self)
            + person.phones.sorted { $0.key < $1.key }.map { phone($0.key, $0.value.address, $0.value.code == nil) }
        return [
            "object": "user", "id": .string(person.id), "username": text(person.username),
            "first_name": text(person.firstName), "last_name": text(person.lastName),
            "primary_email_address_id": text(person.email.map { _ in person.emailID }),
            "primary_phone_number_id": text(person.phone.map { _ in person.phoneID }),
            "password_enabled": .bool(person.password != nil), "totp_enabled": .bool(person.totp != nil),
            "two_factor_enabled": .bool(person.hasSecondFactor),
            "backup_code_enabled": .bool(!person.backupCodes.isEmpty),
            "email_addresses": .array(emails), "public_metadata": .object([:]), "unsafe_metadata": person.metadata,
            "phone_numbers": .array(phones), "image_url": text(person.image),
            "passkeys": .array(person.passkeys.sorted { $0.key < $1.key }.map { object($0.value, $0.key) }),
            "external_accounts": .array(
                person.external.sorted { $0.key < $1.key }.map { id, strategy in
                    ["object": "external_account", "id": .string(id), "provider": .string(strategy)]
                }),
        ]
    }

    func object(_ signIn: ClerkSignIn, _ client: ClerkClient) -> JSON {
        let person = people[signIn.person]
        return [
            "object": "sign_in_attempt", "id": .string(signIn.id), "status": .string(signIn.status.rawValue),
            "identifier": signIn.identifier.isEmpty ? .null : .string(signIn.identifier),
            "supported_identifiers": ["email_address", "phone_number"],
            "supported_first_factors": .array(person.map(firstFactors) ?? []),
            "supported_second_factors": .array(person.map { secondFactors($0, signIn) } ?? []),
            "first_factor_verification": signIn.external.map { verification($0, of: signIn) }
                ?? (signIn.passkey == nil ? verification(signIn.first) : passkey(signIn.passkey, person)),
            "second_factor_verification": verification(signIn.second),
            "created_session_id": signIn.session.map(JSON.string) ?? .null, "user_data": .null,
        ]
    }

    private func verification(_ code: ClerkCode?) -> JSON {
        guard let code else { return .null }
        return [
            "object": "verification_otp", "status": "unverified", "strategy": .string(code.strategy),
            "attempts": .integer(Int64(code.wrong)), "expire_at": .integer(Int64(code.expires * 1_000)),
        ]
    }

    func firstFactors(_ person: ClerkPerson) -> [JSON] {
        var factors: [JSON] = person.password == nil ? [] : [["strategy": "password"]]
        if person.passkeys.values.contains(where: { $0.challenge == nil }) { factors.append(["strategy": "passkey"]) }
        if let email = person.email {
            for strategy in ["email_code", "email_link", "reset_password_email_code"] {
                factors.append([
                    "strategy": .string(strategy), "safe_identifier": .string("\(email.prefix(1))**@…"),
                    "email_address_id": .string(person.emailID), "primary": true,
                ])
            }
        }
        if person.phone != nil {
            factors.append([
                "strategy": "phone_code", "safe_identifier": "+1…", "phone_number_id": .string(person.phoneID),
            ])
        }
        return factors
    }

    private func secondFactors(_ person: ClerkPerson, _ signIn: ClerkSignIn) -> [JSON] {
        if signIn.status == .needsTrust {
            return [
                [
                    "strategy": "email_code", "safe_identifier": "a**@…", "email_address_id": .string(person.emailID),
                    "primary": true,
                ]
            ]
        }
        var factors: [JSON] = person.totp == nil ? [] : [["strategy": "totp"]]
        if !person.backupCodes.isEmpty { factors.append(["strategy": "backup_code"]) }
        return factors
    }

    var environment: JSON {
        [
            "auth_config": ["single_session_mode": false, "native_settings": ["api_enabled": true]],
            "display_config": ["instance_environment_type": "development", "application_name": "Latchkey"],
            "user_settings": ["social": .object([:])], "maintenance_mode": false,
        ]
    }
}
