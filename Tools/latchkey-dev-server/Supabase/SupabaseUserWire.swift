import LatchkeyJSON

extension SupabaseState {
    /// Returns a person as the service shows them.
    ///
    /// `confirmed_at` is a column that the database computes. An answer that is made from a row as it was written,
    /// and not read again, has its value from before: none after a sign-up.
    func json(_ person: SupabasePerson, isSignUp: Bool = false) -> JSON {
        json(person, confirmedAt: isSignUp ? nil : person.confirmedAt)
    }

    /// Returns a person of a list. The service reads neither identities nor factors for it.
    func listed(_ person: SupabasePerson) -> JSON {
        guard case .object(var members) = json(person) else { return .null }
        members["identities"] = .null
        members["factors"] = nil
        return .object(members)
    }

    func json(_ person: SupabasePerson, confirmedAt: Double?) -> JSON {
        var members: [String: JSON] = [
            "id": .string(person.id), "aud": "authenticated",
            "role": .string(person.role), "email": .string(person.email), "phone": .string(person.phone),
            "app_metadata": .object(person.appMetadata), "user_metadata": .object(person.userMetadata),
            "identities": .array(person.identities.map { json($0, of: person) }),
            "created_at": timestamp(person.createdAt), "updated_at": timestamp(person.updatedAt),
            "is_anonymous": .bool(person.isAnonymous),
        ]
        let times: [(String, Double?)] = [
            ("email_confirmed_at", person.emailConfirmedAt), ("phone_confirmed_at", person.phoneConfirmedAt),
            ("confirmed_at", confirmedAt), ("invited_at", person.invitedAt),
            ("confirmation_sent_at", person.confirmationSentAt), ("recovery_sent_at", person.recoverySentAt),
            ("email_change_sent_at", person.emailChangeSentAt), ("phone_change_sent_at", person.phoneChangeSentAt),
            ("reauthentication_sent_at", person.reauthenticationSentAt), ("last_sign_in_at", person.lastSignInAt),
            ("banned_until", person.bannedUntil), ("deleted_at", person.deletedAt),
        ]
        for (name, time) in times { members[name] = time.map(timestamp) }
        members["new_email"] = person.newEmail.map(JSON.string)
        members["new_phone"] = person.newPhone.map(JSON.string)
        if !person.factors.isEmpty { members["factors"] = .array(person.factors.map(json)) }
        return .object(members)
    }

    private func json(_ identity: SupabaseIdentity, of person: SupabasePerson) -> JSON {
        var members: [String: JSON] = [
            "identity_id": .string(identity.rowID), "id": .string(identity.subject), "user_id": .string(person.id),
            "provider": .string(identity.provider),
            "last_sign_in_at": timestamp(identity.lastSignInAt), "created_at": timestamp(identity.createdAt),
            "updated_at": timestamp(identity.updatedAt),
        ]
        if !identity.data.isEmpty { members["identity_data"] = .object(identity.data) }
        members["email"] = identity.email.map(JSON.string)
        return .object(members)
    }

    func json(_ factor: SupabaseFactor) -> JSON {
        var members: [String: JSON] = [
            "id": .string(factor.id), "created_at": timestamp(factor.createdAt),
            "updated_at": timestamp(factor.updatedAt), "status": factor.isVerified ? "verified" : "unverified",
            "factor_type": .string(factor.kind.rawValue), "phone": .string(factor.phone),
            "last_challenged_at": factor.challengedAt.map(timestamp) ?? .null,
        ]
        if factor.credential != nil {
            members["web_authn_aaguid"] = "00000000-0000-0000-0000-000000000000"
            members["last_webauthn_challenge_data"] = factor.lastAnswer
        }
        if !factor.name.isEmpty { members["friendly_name"] = .string(factor.name) }
        return .object(members)
    }

    /// Returns the answer for a sign-up with an address that is taken. It reveals nothing of the account.
    func decoy(email: String, phone: String, data: [String: JSON]) -> JSON {
        var person = SupabasePerson(now: now)
        (person.email, person.phone, person.userMetadata) = (email, phone, data)
        person.confirmationSentAt = now
        let provider = email.isEmpty ? "phone" : "email"
        person.appMetadata = ["provider": .string(provider), "providers": .array([.string(provider)])]
        guard case .object(var members) = json(person) else { return .null }
        members["role"] = ""
        return .object(members)
    }

    /// Returns a time in RFC 3339, in UTC, by the clock that the server shows.
    func timestamp(_ time: Double) -> JSON { .string(RFC3339.string(time + wall - now)) }
}
