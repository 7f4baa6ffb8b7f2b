import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    func showUser(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        SupabaseReply.json(json(try caller(call).person))
    }

    /// Changes the account, completely or not at all.
    mutating func updateUser(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        let caller = try caller(call)
        try limit(.user, call)
        let body = try call.body()
        var person = caller.person
        let email = try body.string(SupabaseWire.email).map { $0.lowercased() }.flatMap {
            $0 == person.email ? nil : $0
        }
        let phone = try changedPhone(body, of: person)
        let hasPassword = body.members[SupabaseWire.password].map { $0 != .null } ?? false
        let password = hasPassword ? try body.string(SupabaseWire.password) ?? "" : nil
        guard try body.object(SupabaseWire.appMetadata) == nil else {
            throw SupabaseFailure(403, .notAdmin, "Updating app_metadata requires admin privileges")
        }
        if email != nil || phone != nil || password != nil, person.hasVerifiedFactor, caller.level == "aal1" {
            throw SupabaseFailure(
                401, .insufficientAAL,
                "AAL2 session is required to update email or password when MFA is enabled.")
        }
        if person.isAnonymous, password != nil, email == nil, phone == nil {
            throw .validation(
                "Updating password of an anonymous user without an email or phone is not allowed", status: 422)
        }
        let flow = try challenge(body)
        if let email, self.person(email: try Self.checkedEmail(email)) != nil {
            throw SupabaseFailure(
                422, .emailExists, "A user with this email address has already been registered")
        }
        if let phone, self.person(phone: phone) != nil {
            throw SupabaseFailure(422, .phoneExists, "A user with this phone number has already been registered")
        }
        if let password { try check(newPassword: password, body, caller) }
        let channel = try channel(body)
        if let data = try body.object(SupabaseWire.data) { Self.merge(data, into: &person.userMetadata) }
        if let email {
            person.newEmail = email
            try sendEmailChange(&person, call, flow: flow)
        }
        if let phone {
            person.newPhone = phone
            if settings.autoconfirmsPhone {
                changePhone(&person)
            } else {
                let mail = SupabaseMail(type: "phone_change", to: phone, channel: channel)
                try send(.phoneChange, mail, to: &person, call, flow: nil)
            }
        }
        if let password { change(password, of: &person, keeping: caller.session.id, changesEmail: email != nil) }
        store(person)
        return SupabaseReply.json(json(people[person.id] ?? person))
    }

    private func changedPhone(_ body: SupabaseBody, of person: SupabasePerson) throws(SupabaseFailure) -> String? {
        guard let phone = try body.string(SupabaseWire.phone) else { return nil }
        let number = try Self.checkedPhone(phone)
        return number == person.phone ? nil : number
    }

    /// Throws for a new password that is weak, unchanged, or without the confirmation that it needs.
    private func check(
        newPassword password: String, _ body: SupabaseBody, _ caller: SupabaseCaller
    ) throws(SupabaseFailure) {
        try check(password: password)
        let person = caller.person
        let cameByMail = caller.session.methods.contains { $0.name != "password" && !$0.isSecondFactor }
        if settings.needsCurrentPassword, let current = person.password, !cameByMail {
            guard let given = try body.string(SupabaseWire.currentPassword) else {
                throw SupabaseFailure(
                    400, .currentPasswordRequired, "Current password required when setting new password.")
            }
            guard constantTimeEqual(digest(given), current) else {
                throw SupabaseFailure(
                    400, .currentPasswordInvalid, "Current password required when setting new password.")
            }
        }
        if let age = settings.reauthenticationAge, now >= caller.session.createdAt + age {
            guard let nonce = try body.string(SupabaseWire.nonce) else {
                throw SupabaseFailure(
                    400, .reauthenticationNeeded, "Password update requires reauthentication")
            }
            let sent = oneTimes["\(person.id)/\(SupabaseOneTime.Kind.reauthentication.rawValue)"]
            guard let sent, now <= sent.sentAt + settings.codeLifetime,
                constantTimeEqual(Array(nonce.utf8), Array(sent.code.utf8))
            else {
                throw SupabaseFailure(422, .reauthenticationNotValid, "Nonce has expired or is invalid")
            }
        }
        if let old = person.password, constantTimeEqual(digest(password), old) {
            throw SupabaseFailure(
                422, .samePassword, "New password should be different from the old password.")
        }
    }

    /// Changes the password, which ends the other sessions and invalidates pending mails.
    mutating func change(
        _ password: String, of person: inout SupabasePerson, keeping session: String?, changesEmail: Bool
    ) {
        person.password = digest(password)
        endSessions(of: person.id) { $0.id != session }
        for kind in SupabaseOneTime.Kind.allCases {
            if changesEmail, kind == .emailChangeOld || kind == .emailChangeNew { continue }
            void(kind, of: person.id)
        }
        (person.recoverySentAt, person.reauthenticationSentAt, person.confirmationSentAt) = (nil, nil, nil)
    }
}
