import LatchkeyCrypto
import LatchkeyJSON

struct ClerkSignUp: Sendable {
    var id: String
    var values: [String: String] = [:]
    var verified: Set<String> = []
    var codes: [String: ClerkCode] = [:]
    var link: ClerkLink?
    var external: ClerkExternal?
    /// The strategies of the other services where the person has an account.
    var accounts: Set<String> = []
    var metadata: JSON = .object([:])
    var session: String?
    var person: String?
    var createdAt: Double
}

extension ClerkState {
    static let signUpFields = [
        "email_address", "phone_number", "username", "password", "first_name", "last_name", "legal_accepted",
    ]

    mutating func answerSignUp(
        _ call: ClerkCall, _ path: [String], _ client: inout ClerkClient
    ) throws(ClerkRefusal) -> ClerkReply {
        guard let id = path.first else { return try beginSignUp(call, &client) }
        guard var attempt = client.signUp, attempt.id == id else { throw ClerkRefusal(404, "resource_not_found") }
        // Wrong codes count even if the call fails.
        defer { client.signUp = attempt }
        switch (call.method, path.dropFirst().first) {
        case ("GET", nil): try redeem(call, &attempt.external)
        case ("PATCH", nil): try fill(call, &attempt)
        case ("POST", "prepare_verification"): try prepare(call, &attempt)
        case ("POST", "attempt_verification"):
            let strategy = try call.required("strategy")
            let (name, _) = try unverified(strategy, attempt)
            try take(try call.required("code"), strategy, &attempt.codes[name])
            attempt.verified.insert(name)
        case ("GET", "enterprise_connections"): return .wrapped(page(call, connections(of: attempt)))
        default: throw ClerkRefusal(404, "resource_not_found")
        }
        finish(&attempt, &client)
        return .wrapped(object(attempt))
    }

    private mutating func beginSignUp(
        _ call: ClerkCall, _ client: inout ClerkClient
    ) throws(ClerkRefusal) -> ClerkReply {
        try admit(&client)
        if call.form["ticket"] == nil {
            if settings.has(.restricted) { throw ClerkRefusal(403, "sign_up_mode_restricted") }
            if settings.has(.waitlist) { throw ClerkRefusal(403, "sign_up_restricted_waitlist") }
        }
        var attempt = ClerkSignUp(id: Self.name("sua"), createdAt: wall)
        if call.isTrue("transfer") {
            guard let external = client.signIn?.external, external.email.flatMap({ person($0) }) == nil,
                external.email != nil
            else { throw ClerkRefusal(400, "account_transfer_invalid") }
            attempt.external = external
            takeOver(&attempt)
        }
        try fill(call, &attempt)
        finish(&attempt, &client)
        client.signUp = attempt
        return .wrapped(object(attempt))
    }

    /// Takes over the address that another service has reported and verified, so that no password is needed.
    func takeOver(_ attempt: inout ClerkSignUp) {
        guard let external = attempt.external, let email = external.email, person(email) == nil else { return }
        attempt.accounts.insert(external.strategy)
        // An address that the person typed stays theirs.
        guard attempt.values["email_address"] == nil else { return }
        attempt.values["email_address"] = email
        attempt.verified.insert("email_address")
    }

    private mutating func prepare(_ call: ClerkCall, _ attempt: inout ClerkSignUp) throws(ClerkRefusal) {
        let strategy = try call.required("strategy")
        if Self.isElsewhere(strategy) {
            attempt.external = try elsewhere(call, strategy, attempt.values["email_address"])
            return takeOver(&attempt)
        }
        let (name, address) = try unverified(strategy, attempt)
        if strategy == "email_link" {
            attempt.link = try sendLink(call, to: address)
        } else {
            attempt.codes[name] = ClerkCode(
                strategy: strategy, code: sendCode(to: address), expires: now + settings.codeLifetime)
        }
    }

    private func unverified(
        _ strategy: String, _ attempt: ClerkSignUp
    ) throws(ClerkRefusal) -> (name: String, address: String) {
        let name =
            strategy == settings.mailStrategy ? "email_address" : strategy == "phone_code" ? "phone_number" : ""
        guard let address = attempt.values[name] else { throw ClerkRefusal(400, "verification_strategy_invalid") }
        guard !attempt.verified.contains(name) else { throw ClerkRefusal(400, "verification_already_verified") }
        return (name, address)
    }

    private mutating func fill(_ call: ClerkCall, _ attempt: inout ClerkSignUp) throws(ClerkRefusal) {
        for name in Self.signUpFields {
            guard let value = call.form[name], !value.isEmpty else { continue }
            if name == "legal_accepted" {
                attempt.values[name] = call.isTrue(name) ? "true" : nil
                continue
            }
            try check(value, for: name)
            if attempt.values.updateValue(value, forKey: name) != value { attempt.verified.remove(name) }
        }
        if let text = call.form["unsafe_metadata"] {
            guard let metadata = try? JSON.parse(Array(text.utf8)), metadata.object != nil else {
                throw ClerkRefusal(422, "form_param_format_invalid", ["param_name": "unsafe_metadata"])
            }
            attempt.metadata = metadata
        }
        guard let strategy = call.form["strategy"], !strategy.isEmpty else { return }
        if strategy == "ticket" { throw ClerkRefusal(400, "ticket_invalid_code") }
        try prepare(call, &attempt)
    }

    private func check(_ value: String, for name: String) throws(ClerkRefusal) {
        let meta: JSON = ["param_name": .string(name)]
        if name == "password" {
            guard settings.hasPasswords else { throw ClerkRefusal(422, "form_param_unknown", meta) }
            try checkStrength(value, name)
        }
        guard ["email_address", "phone_number", "username"].contains(name) else { return }
        guard !settings.has(.ssoOnly) else { throw ClerkRefusal(422, "form_param_unknown", meta) }
        if name == "email_address", !value.contains("@") {
            throw ClerkRefusal(422, "form_param_format_invalid", meta)
        }
        if person(value) != nil { throw ClerkRefusal(422, "form_identifier_exists", meta) }
    }

    func missing(_ attempt: ClerkSignUp) -> [String] {
        settings.neededFields.filter { name in
            attempt.values[name] == nil && !attempt.accounts.contains(name)
                && (name != "password" || attempt.external?.email == nil)
        }
    }

    func open(_ attempt: ClerkSignUp) -> [String] {
        ["email_address", "phone_number"].filter { attempt.values[$0] != nil && !attempt.verified.contains($0) }
    }

    /// Makes the account once nothing is missing.
    mutating func finish(_ attempt: inout ClerkSignUp, _ client: inout ClerkClient) {
        let isWaiting = attempt.external.map { $0.email == nil } ?? false
        guard attempt.person == nil, missing(attempt).isEmpty, open(attempt).isEmpty, !isWaiting,
            attempt.external?.email.flatMap({ person($0) }) == nil
        else { return }
        let made = make(attempt)
        attempt.person = made.id
        attempt.session = makeSession(made.id, &client, hasSecond: false)
        client.lastStrategy = attempt.external?.strategy ?? settings.mailStrategy
    }

    private mutating func make(_ attempt: ClerkSignUp) -> ClerkPerson {
        // The ID is the same for an address on every server, so that recordings can be replayed.
        let address = ["email_address", "phone_number", "username"].compactMap { attempt.values[$0] }.joined(
            separator: " ")
        var person = ClerkPerson(id: "user_" + Base64URL.encode(Hash.digest(Array(address.utf8))).prefix(20))
        person.email = attempt.values["email_address"]?.lowercased()
        person.phone = attempt.values["phone_number"]
        person.username = attempt.values["username"]
        person.password = attempt.values["password"]
        person.hasNewPassword = person.password != nil
        (person.firstName, person.lastName) = (attempt.values["first_name"], attempt.values["last_name"])
        person.metadata = attempt.metadata
        (person.createdAt, person.updatedAt) = (wall, wall)
        person.legalAcceptedAt = attempt.values["legal_accepted"].map { _ in wall }
        people[person.id] = person
        return person
    }

    private func connections(of attempt: ClerkSignUp) -> [JSON] {
        guard let email = attempt.values["email_address"], hasCompany(email) else { return [] }
        return [
            [
                "object": "enterprise_connection", "id": .string(Self.companyConnection), "name": "Company",
                "provider": "saml_custom", "logo_public_url": .null,
            ]
        ]
    }
}
