import LatchkeyCrypto
import LatchkeyJSON

/// A code that was sent.
struct ClerkCode: Sendable {
    var strategy: String
    var code: String
    var expires: Double
    var wrong = 0
}

/// Sending and checking the factors of a sign-in.
extension ClerkState {
    mutating func prepareFirst(
        _ call: ClerkCall, _ attempt: inout ClerkSignIn, _ client: inout ClerkClient
    ) throws(ClerkRefusal) {
        let strategy = try call.required("strategy")
        if Self.isElsewhere(strategy) {
            // Clients ask for the page once more, and take the newer answer's.
            let identifier = attempt.identifier.isEmpty ? people[attempt.person]?.email : attempt.identifier
            attempt.external = try elsewhere(call, strategy, identifier)
            return decide(&attempt, &client)
        }
        guard let person = people[attempt.person] else { throw ClerkRefusal(404, "resource_not_found") }
        switch strategy {
        case "passkey":
            guard person.passkeys.values.contains(where: { $0.challenge == nil }) else {
                throw ClerkRefusal(422, "passkey_not_registered")
            }
            attempt.passkey = Self.challenge()
        case "email_link":
            guard settings.mailStrategy != nil else { throw ClerkRefusal(400, "strategy_for_user_invalid") }
            attempt.link = try sendLink(call, to: try address(of: person, call, isMail: true))
        default: attempt.first = try code(for: person, call)
        }
    }

    mutating func prepareSecond(_ call: ClerkCall, _ attempt: inout ClerkSignIn) throws(ClerkRefusal) {
        guard let person = people[attempt.person] else { throw ClerkRefusal(404, "resource_not_found") }
        guard [.needsSecond, .needsTrust].contains(attempt.status) else {
            throw ClerkRefusal(400, "client_state_invalid")
        }
        let strategy = try call.required("strategy")
        guard secondFactors(of: person, isTrust: attempt.status == .needsTrust).contains(strategy) else {
            throw ClerkRefusal(400, "strategy_for_user_invalid")
        }
        if strategy == "email_link" {
            attempt.secondLink = try sendLink(
                call, to: try address(of: person, call, isMail: true), isNative: false)
        } else {
            attempt.second = try code(for: person, call)
        }
    }

    /// Sends a code by the strategy in the call.
    mutating func code(for person: ClerkPerson, _ call: ClerkCall) throws(ClerkRefusal) -> ClerkCode {
        let strategy = try call.required("strategy")
        let isReset = strategy.hasPrefix("reset_password_")
        let isMail = ["email_code", "reset_password_email_code"].contains(strategy)
        let isKnown = isMail || ["phone_code", "reset_password_phone_code"].contains(strategy)
        guard isKnown, !isReset || settings.hasPasswords, strategy != "email_code" || settings.mailStrategy == strategy,
            !settings.has(.ssoOnly), let address = try address(of: person, call, isMail: isMail)
        else { throw ClerkRefusal(400, "strategy_for_user_invalid") }
        return ClerkCode(strategy: strategy, code: sendCode(to: address), expires: now + settings.codeLifetime)
    }

    /// Returns the address that the call names, or else the person's first one.
    private func address(of person: ClerkPerson, _ call: ClerkCall, isMail: Bool) throws(ClerkRefusal) -> String? {
        let name = isMail ? "email_address_id" : "phone_number_id"
        guard let id = call.form[name], !id.isEmpty else { return isMail ? person.email : person.phone }
        if id == (isMail ? person.emailID : person.phoneID) { return isMail ? person.email : person.phone }
        guard let entry = (isMail ? person.emails : person.phones)[id], entry.code == nil else {
            throw ClerkRefusal(422, "form_resource_not_found", ["param_name": .string(name)])
        }
        return entry.address
    }

    mutating func attemptFirst(
        _ call: ClerkCall, _ attempt: inout ClerkSignIn, _ client: inout ClerkClient
    ) throws(ClerkRefusal) {
        let strategy = try call.required("strategy")
        if attempt.status == .needsFirst, strategy == "passkey" {
            defer { attempt.passkey = nil }
            let signer = try signer(call, of: attempt.passkey)
            guard attempt.person.isEmpty || attempt.person == signer.id else {
                throw ClerkRefusal(401, "passkey_authentication_failure")
            }
            (attempt.person, attempt.firstProof, client.lastStrategy) = (signer.id, strategy, strategy)
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
        }
        attempt.firstProof = strategy
        guard !strategy.hasPrefix("reset_password") else {
            attempt.status = .needsPassword
            return
        }
        passFirst(&attempt, &client)
    }

    mutating func attemptSecond(
        _ call: ClerkCall, _ attempt: inout ClerkSignIn, _ client: inout ClerkClient
    ) throws(ClerkRefusal) {
        guard [.needsSecond, .needsTrust].contains(attempt.status), let person = people[attempt.person] else {
            throw ClerkRefusal(400, "client_state_invalid")
        }
        let strategy = try call.required("strategy")
        guard attempt.status == .needsTrust || ["totp", "backup_code", "phone_code"].contains(strategy) else {
            throw ClerkRefusal(400, "strategy_for_user_invalid")
        }
        try checkSecond(try call.required("code"), strategy, of: person, &attempt.second)
        attempt.secondProof = strategy
        finish(&attempt, &client, hasSecond: attempt.status == .needsSecond)
    }

    /// Checks a second factor, and spends it if it is a backup code.
    mutating func checkSecond(
        _ code: String, _ strategy: String, of person: ClerkPerson, _ sent: inout ClerkCode?
    ) throws(ClerkRefusal) {
        switch strategy {
        case "totp": try check(code, by: person.totp)
        case "backup_code":
            guard let index = person.backupCodes.firstIndex(of: code) else {
                throw ClerkRefusal(422, "form_code_incorrect", ["param_name": "code"])
            }
            people[person.id]?.backupCodes.remove(at: index)
        default: try take(code, strategy, &sent)
        }
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

    func check(_ password: String, of person: ClerkPerson) throws(ClerkRefusal) {
        guard settings.hasPasswords, let known = person.password else {
            throw ClerkRefusal(400, "strategy_for_user_invalid")
        }
        guard constantTimeEqual(Array(known.utf8), Array(password.utf8)) else {
            throw ClerkRefusal(422, "form_password_incorrect", ["param_name": "password"])
        }
    }

    func check(_ code: String, by key: String?) throws(ClerkRefusal) {
        guard let key else { throw ClerkRefusal(400, "strategy_for_user_invalid") }
        let codes = [-30.0, 0, 30].compactMap { DevServer.TOTP.code(secret: key, at: wall + $0) }
        guard codes.contains(code) else { throw ClerkRefusal(422, "form_code_incorrect", ["param_name": "code"]) }
    }

    func checkStrength(_ password: String, _ name: String) throws(ClerkRefusal) {
        guard password.count >= 8 else {
            throw ClerkRefusal(422, "form_password_length_too_short", ["param_name": .string(name)])
        }
    }
}
