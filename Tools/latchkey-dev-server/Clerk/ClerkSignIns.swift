import LatchkeyCrypto
import LatchkeyJSON

struct ClerkSignIn: Sendable {
    enum Status: String {
        case needsIdentifier = "needs_identifier"
        case needsFirst = "needs_first_factor"
        case needsSecond = "needs_second_factor"
        case needsTrust = "needs_client_trust"
        case needsPassword = "needs_new_password"
        case complete
    }

    var id: String
    var identifier = ""
    var person = ""
    var status = Status.needsFirst
    var external: ClerkExternal?
    var first: ClerkCode?
    var second: ClerkCode?
    var link: ClerkLink?
    var secondLink: ClerkLink?
    var passkey: String?
    /// The strategies that the person has proven.
    var firstProof: String?
    var secondProof: String?
    var session: String?
    var createdAt: Double
}

extension ClerkState {
    mutating func answerSignIn(
        _ call: ClerkCall, _ path: [String], _ client: inout ClerkClient
    ) throws(ClerkRefusal) -> ClerkReply {
        guard let id = path.first else {
            let attempt = try beginSignIn(call, &client)
            client.signIn = attempt
            return .wrapped(object(attempt, client))
        }
        guard var attempt = client.signIn, attempt.id == id else { throw ClerkRefusal(404, "resource_not_found") }
        // Wrong codes count even if the call fails.
        defer { client.signIn = attempt }
        switch (call.method, path.dropFirst().first) {
        case ("GET", nil): try redeem(call, &attempt.external)
        case ("POST", "prepare_first_factor"): try prepareFirst(call, &attempt, &client)
        case ("POST", "attempt_first_factor"): try attemptFirst(call, &attempt, &client)
        case ("POST", "prepare_second_factor"): try prepareSecond(call, &attempt)
        case ("POST", "attempt_second_factor"): try attemptSecond(call, &attempt, &client)
        case ("POST", "reset_password"):
            guard attempt.status == .needsPassword else { throw ClerkRefusal(400, "client_state_invalid") }
            let password = try call.required("password")
            try checkStrength(password, "password")
            people[attempt.person]?.password = password
            people[attempt.person]?.hasNewPassword = true
            if call.isTrue("sign_out_of_other_sessions") {
                endSessions("revoked") { $0.person == attempt.person }
                client.sessions.removeAll { $0.person == attempt.person }
            }
            passFirst(&attempt, &client)
        default: throw ClerkRefusal(404, "resource_not_found")
        }
        return .wrapped(object(attempt, client))
    }

    /// Takes the nonce that a browser brought back, once.
    func redeem(_ call: ClerkCall, _ external: inout ClerkExternal?) throws(ClerkRefusal) {
        guard let nonce = call.nonce else { return }
        guard let expected = external?.nonce, expected == nonce else {
            throw ClerkRefusal(403, "sync_nonce_already_consumed")
        }
        external?.nonce = nil
    }

    /// Refuses a new attempt on a client that already has its only session.
    func admit(_ client: inout ClerkClient) throws(ClerkRefusal) {
        guard settings.has(.singleSession), !client.signedIn.isEmpty else { return }
        throw ClerkRefusal(400, "session_exists")
    }

    private mutating func beginSignIn(
        _ call: ClerkCall, _ client: inout ClerkClient
    ) throws(ClerkRefusal) -> ClerkSignIn {
        try admit(&client)
        var attempt = ClerkSignIn(id: Self.name("sia"), createdAt: wall)
        let (strategy, identifier) = (call.form["strategy"] ?? "", call.form["identifier"] ?? "")
        if call.isTrue("transfer") {
            guard let email = client.signUp?.external?.email, let person = person(email) else {
                throw ClerkRefusal(400, "account_transfer_invalid")
            }
            attempt.person = person.id
            attempt.external = client.signUp?.external
            passFirst(&attempt, &client)
        } else if strategy == "ticket" {
            attempt.person = try redeem(ticket: try call.required("ticket"))
            attempt.firstProof = strategy
            passFirst(&attempt, &client)
        } else if Self.isElsewhere(strategy) {
            attempt.identifier = identifier
            attempt.external = try elsewhere(call, strategy, identifier)
            decide(&attempt, &client)
        } else if strategy == "passkey" {
            // The passkey says who the person is.
            attempt.passkey = Self.challenge()
        } else if strategy.isEmpty, identifier.isEmpty, call.form["password"] == nil {
            attempt.status = .needsIdentifier
        } else {
            try identify(call, &attempt, &client)
        }
        return attempt
    }

    private mutating func identify(
        _ call: ClerkCall, _ attempt: inout ClerkSignIn, _ client: inout ClerkClient
    ) throws(ClerkRefusal) {
        attempt.identifier = try call.required("identifier")
        guard let person = person(attempt.identifier) else {
            throw ClerkRefusal(422, "form_identifier_not_found", ["param_name": "identifier"])
        }
        if let session = client.signedIn.first(where: { $0.person == person.id }) {
            throw ClerkRefusal(400, "identifier_already_signed_in", ["session_id": .string(session.id)])
        }
        if person.isBanned { throw ClerkRefusal(403, "user_banned") }
        if person.isLocked { throw ClerkRefusal(403, "user_locked", ["lockout_expires_in_seconds": 3_600]) }
        attempt.person = person.id
        if let password = call.form["password"] {
            try check(password, of: person)
            attempt.firstProof = "password"
            passFirst(&attempt, &client)
        } else if let strategy = call.form["strategy"], !strategy.isEmpty, strategy != "password" {
            try prepareFirst(call, &attempt, &client)
        }
    }

    /// Returns the person of a ticket that is not used yet.
    private mutating func redeem(ticket: String) throws(ClerkRefusal) -> String {
        if let id = try spend(ticket: ticket), people[id] != nil { return id }
        guard let id = links[ticket] ?? settings.tickets[ticket], people[id] != nil else {
            throw ClerkRefusal(400, "ticket_invalid_code")
        }
        links[ticket] = nil
        return id
    }

    mutating func passFirst(_ attempt: inout ClerkSignIn, _ client: inout ClerkClient) {
        guard let person = people[attempt.person] else { return }
        client.lastStrategy = attempt.firstProof ?? attempt.external?.strategy ?? client.lastStrategy
        if person.hasSecondFactor {
            attempt.status = .needsSecond
        } else if settings.wantsClientTrust, attempt.firstProof == "password", !client.trusted.contains(person.id) {
            attempt.status = .needsTrust
        } else {
            finish(&attempt, &client, hasSecond: false)
        }
    }

    mutating func finish(_ attempt: inout ClerkSignIn, _ client: inout ClerkClient, hasSecond: Bool) {
        client.trusted.insert(attempt.person)
        attempt.status = .complete
        attempt.session = makeSession(attempt.person, &client, hasSecond: hasSecond)
    }

    mutating func makeSession(_ person: String, _ client: inout ClerkClient, hasSecond: Bool) -> String {
        let session = ClerkSession(
            id: Self.name("sess"), person: person, createdAt: wall, updatedAt: wall, firstFactorAt: wall,
            secondFactorAt: hasSecond ? wall : nil)
        people[person]?.lastSignInAt = wall
        client.sessions.append(session)
        client.lastActive = session.id
        return session.id
    }
}
