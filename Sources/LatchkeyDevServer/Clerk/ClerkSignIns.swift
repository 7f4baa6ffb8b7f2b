import LatchkeyCrypto
import LatchkeyJSON

extension ClerkState {
    mutating func answerSignIn(
        _ call: ClerkCall, _ path: [String], _ client: inout ClerkClient
    ) throws(ClerkRefusal) -> ClerkReply {
        guard let id = path.first else { return try beginSignIn(call, &client) }
        guard var attempt = client.signIn, attempt.id == id else { throw ClerkRefusal(404, "resource_not_found") }
        // Wrong codes count even if the call fails.
        defer { client.signIn = attempt }
        switch (call.method, path.dropFirst().first) {
        case ("GET", nil):
            guard let nonce = call.nonce else { break }
            guard let expected = attempt.external?.nonce, expected == nonce else {
                throw ClerkRefusal(403, "sync_nonce_already_consumed")
            }
            attempt.external?.nonce = nil
        case ("POST", "prepare_first_factor"): try prepare(call, &attempt, isSecond: false)
        case ("POST", "attempt_first_factor"): try attemptFirst(call, &attempt, &client)
        case ("POST", "prepare_second_factor"): try prepare(call, &attempt, isSecond: true)
        case ("POST", "attempt_second_factor"): try attemptSecond(call, &attempt, &client)
        case ("POST", "reset_password"):
            guard attempt.status == .needsPassword else { throw ClerkRefusal(400, "client_state_invalid") }
            let password = try call.required("password")
            guard password.count >= 8 else {
                throw ClerkRefusal(422, "form_password_length_too_short", ["param_name": "password"])
            }
            people[attempt.person]?.password = password
            passFirst(&attempt, &client)
        default: throw ClerkRefusal(404, "resource_not_found")
        }
        return .wrapped(object(attempt, client))
    }

    private mutating func beginSignIn(_ call: ClerkCall, _ client: inout ClerkClient) throws(ClerkRefusal) -> ClerkReply
    {
        if let strategy = call.form["strategy"],
            strategy == "ticket" || strategy.hasPrefix("oauth_") || strategy == "enterprise_sso"
        {
            let attempt = try beginElsewhere(call, strategy, &client)
            client.signIn = attempt
            return .wrapped(object(attempt, client))
        }
        if call.form["strategy"] == "passkey" {
            // The passkey says who the person is.
            var attempt = ClerkSignIn(id: Self.name("sia"), identifier: "", person: "")
            attempt.passkey = Self.challenge()
            client.signIn = attempt
            return .wrapped(object(attempt, client))
        }
        let identifier = try call.required("identifier")
        guard let person = person(identifier) else {
            throw ClerkRefusal(422, "form_identifier_not_found", ["param_name": "identifier"])
        }
        if let session = client.sessions.first(where: { $0.person == person.id }) {
            throw ClerkRefusal(400, "identifier_already_signed_in", ["session_id": .string(session.id)])
        }
        var attempt = ClerkSignIn(id: Self.name("sia"), identifier: identifier, person: person.id)
        let strategy = call.form["strategy"]
        if let password = call.form["password"] {
            try check(password, of: person)
            passFirst(&attempt, &client)
        } else if let strategy, strategy != "password" {
            try prepare(call, &attempt, isSecond: false)
        }
        client.signIn = attempt
        return .wrapped(object(attempt, client))
    }

    func check(_ password: String, of person: ClerkPerson) throws(ClerkRefusal) {
        guard let known = person.password else { throw ClerkRefusal(400, "strategy_for_user_invalid") }
        guard constantTimeEqual(Array(known.utf8), Array(password.utf8)) else {
            throw ClerkRefusal(422, "form_password_incorrect", ["param_name": "password"])
        }
    }

    private mutating func prepare(
        _ call: ClerkCall, _ attempt: inout ClerkSignIn, isSecond: Bool
    ) throws(ClerkRefusal) {
        guard let person = people[attempt.person] else { throw ClerkRefusal(404, "resource_not_found") }
        if call.form["strategy"] == "passkey", !isSecond {
            guard person.passkeys.values.contains(where: { $0.challenge == nil }) else {
                throw ClerkRefusal(422, "passkey_not_registered")
            }
            attempt.passkey = Self.challenge()
            return
        }
        if call.form["strategy"] == "email_link", !isSecond { return try sendLink(call, &attempt, person) }
        let code = try code(for: person, call)
        if isSecond { attempt.second = code } else { attempt.first = code }
    }

    /// Sends a code by the strategy in the call.
    mutating func code(for person: ClerkPerson, _ call: ClerkCall) throws(ClerkRefusal) -> ClerkCode {
        let strategy = try call.required("strategy")
        let address =
            switch strategy {
            case "email_code", "reset_password_email_code": person.email
            case "phone_code", "reset_password_phone_code": person.phone
            default: String?.none
            }
        guard let address else { throw ClerkRefusal(400, "strategy_for_user_invalid") }
        return ClerkCode(strategy: strategy, code: sendCode(to: address), expires: now + settings.codeLifetime)
    }

    private mutating func attemptFirst(
        _ call: ClerkCall, _ attempt: inout ClerkSignIn, _ client: inout ClerkClient
    ) throws(ClerkRefusal) {
        let strategy = try call.required("strategy")
        if attempt.status == .needsFirst, strategy == "passkey" {
            defer { attempt.passkey = nil }
            let signer = try signer(call, of: attempt.passkey)
            guard attempt.person.isEmpty || attempt.person == signer.id else {
                throw ClerkRefusal(401, "passkey_authentication_failure")
            }
            attempt.person = signer.id
            // The device has verified the person before it signed, which counts as the second factor.
            return finish(&attempt, &client, hasSecond: true)
        }
        guard attempt.status == .needsFirst, let person = people[attempt.person] else {
            throw ClerkRefusal(400, "client_state_invalid")
        }
        if strategy == "password" {
            try check(try call.required("password"), of: person)
        } else {
            try take(try call.required("code"), strategy, &attempt.first)
            if strategy.hasPrefix("reset_password") {
                attempt.status = .needsPassword
                return
            }
        }
        passFirst(&attempt, &client)
    }

    /// Compares a code, and counts wrong ones.
    func take(_ code: String, _ strategy: String, _ sent: inout ClerkCode?) throws(ClerkRefusal) {
        guard let expected = sent, expected.strategy == strategy else {
            throw ClerkRefusal(400, "verification_missing")
        }
        guard now < expected.expires else { throw ClerkRefusal(400, "verification_expired") }
        guard expected.wrong < settings.codeTries else { throw ClerkRefusal(400, "verification_failed") }
        guard constantTimeEqual(Array(expected.code.utf8), Array(code.utf8)) else {
            sent?.wrong += 1
            throw ClerkRefusal(422, "form_code_incorrect", ["param_name": "code"])
        }
    }

    private mutating func attemptSecond(
        _ call: ClerkCall, _ attempt: inout ClerkSignIn, _ client: inout ClerkClient
    ) throws(ClerkRefusal) {
        guard [.needsSecond, .needsTrust].contains(attempt.status), let person = people[attempt.person] else {
            throw ClerkRefusal(400, "client_state_invalid")
        }
        let (strategy, code) = (try call.required("strategy"), try call.required("code"))
        switch strategy {
        case "totp" where attempt.status == .needsSecond: try check(code, by: person.totp)
        case "backup_code" where attempt.status == .needsSecond:
            guard let index = person.backupCodes.firstIndex(of: code) else {
                throw ClerkRefusal(422, "form_code_incorrect", ["param_name": "code"])
            }
            people[person.id]?.backupCodes.remove(at: index)
        default: try take(code, strategy, &attempt.second)
        }
        client.trusted.insert(person.id)
        finish(&attempt, &client, hasSecond: attempt.status == .needsSecond)
    }

    func check(_ code: String, by key: String?) throws(ClerkRefusal) {
        guard let key else { throw ClerkRefusal(400, "strategy_for_user_invalid") }
        let codes = [-30.0, 0, 30].compactMap { DevServer.TOTP.code(secret: key, at: wall + $0) }
        guard codes.contains(code) else { throw ClerkRefusal(422, "form_code_incorrect", ["param_name": "code"]) }
    }

    mutating func passFirst(_ attempt: inout ClerkSignIn, _ client: inout ClerkClient) {
        guard let person = people[attempt.person] else { return }
        if person.hasSecondFactor {
            attempt.status = .needsSecond
        } else if settings.asksForClientTrust, !client.trusted.contains(person.id) {
            attempt.status = .needsTrust
        } else {
            finish(&attempt, &client, hasSecond: false)
        }
    }

    private mutating func finish(_ attempt: inout ClerkSignIn, _ client: inout ClerkClient, hasSecond: Bool) {
        attempt.status = .complete
        attempt.session = makeSession(attempt.person, &client, hasSecond: hasSecond)
    }

    mutating func makeSession(_ person: String, _ client: inout ClerkClient, hasSecond: Bool) -> String {
        let session = ClerkSession(
            id: Self.name("sess"), person: person, createdAt: wall, firstFactorAt: wall,
            secondFactorAt: hasSecond ? wall : nil)
        client.sessions.append(session)
        return session.id
    }
}
