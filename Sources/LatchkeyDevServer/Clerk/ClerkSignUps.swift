import LatchkeyCrypto
import LatchkeyJSON

extension ClerkState {
    private static let fields = [
        "email_address", "phone_number", "username", "password", "first_name", "last_name", "legal_accepted",
    ]

    mutating func answerSignUp(
        _ call: ClerkCall, _ path: [String], _ client: inout ClerkClient
    ) throws(ClerkRefusal) -> ClerkReply {
        var attempt: ClerkSignUp
        if let id = path.first {
            guard let found = client.signUp, found.id == id else { throw ClerkRefusal(404, "resource_not_found") }
            attempt = found
        } else {
            attempt = ClerkSignUp(id: Self.name("sua"), values: [:])
        }
        defer { client.signUp = attempt }
        switch (call.method, path.dropFirst().first) {
        case ("POST", nil) where path.isEmpty && call.form["transfer"] == "true":
            guard let email = client.signIn?.external?.email, person(email) == nil else {
                throw ClerkRefusal(400, "account_transfer_invalid")
            }
            // The other service has reported a verified address, so no password is needed.
            (attempt.values, attempt.verified) = (["email_address": email, "password": ""], ["email_address"])
        case ("POST", nil) where path.isEmpty: try fill(call, &attempt)
        case ("PATCH", nil) where !path.isEmpty: try fill(call, &attempt)
        case ("GET", nil): break
        case ("POST", "prepare_verification"):
            let (name, address) = try unverified(try call.required("strategy"), attempt)
            attempt.codes[name] = ClerkCode(
                strategy: call.form["strategy"] ?? "", code: sendCode(to: address), expires: now + settings.codeLifetime
            )
        case ("POST", "attempt_verification"):
            let strategy = try call.required("strategy")
            let (name, _) = try unverified(strategy, attempt)
            try take(try call.required("code"), strategy, &attempt.codes[name])
            attempt.verified.insert(name)
        default: throw ClerkRefusal(404, "resource_not_found")
        }
        if attempt.person == nil, missing(attempt).isEmpty, open(attempt).isEmpty {
            let person = make(attempt)
            attempt.person = person.id
            attempt.session = makeSession(person.id, &client, hasSecond: false)
        }
        return .wrapped(object(attempt))
    }

    private func unverified(
        _ strategy: String, _ attempt: ClerkSignUp
    ) throws(ClerkRefusal) -> (name: String, address: String) {
        let name = strategy == "email_code" ? "email_address" : strategy == "phone_code" ? "phone_number" : ""
        guard let address = attempt.values[name] else { throw ClerkRefusal(400, "verification_strategy_invalid") }
        guard !attempt.verified.contains(name) else { throw ClerkRefusal(400, "verification_already_verified") }
        return (name, address)
    }

    private func fill(_ call: ClerkCall, _ attempt: inout ClerkSignUp) throws(ClerkRefusal) {
        for name in Self.fields {
            guard let value = call.form[name], !value.isEmpty else { continue }
            if name == "email_address", !value.contains("@") {
                throw ClerkRefusal(422, "form_param_format_invalid", ["param_name": .string(name)])
            }
            if name == "password", value.count < 8 {
                throw ClerkRefusal(422, "form_password_length_too_short", ["param_name": .string(name)])
            }
            if ["email_address", "phone_number", "username"].contains(name), person(value) != nil {
                throw ClerkRefusal(422, "form_identifier_exists", ["param_name": .string(name)])
            }
            if attempt.values.updateValue(value, forKey: name) != value { attempt.verified.remove(name) }
        }
    }

    private func missing(_ attempt: ClerkSignUp) -> [String] {
        settings.requiredFields.filter { attempt.values[$0] == nil }
    }

    private func open(_ attempt: ClerkSignUp) -> [String] {
        ["email_address", "phone_number"].filter { attempt.values[$0] != nil && !attempt.verified.contains($0) }
    }

    private mutating func make(_ attempt: ClerkSignUp) -> ClerkPerson {
        // The ID is the same for an address on every server, so that recordings can be replayed.
        let address = ["email_address", "phone_number", "username"].compactMap { attempt.values[$0] }.joined(
            separator: " ")
        var person = ClerkPerson(id: "user_" + Base64URL.encode(Hash.digest(Array(address.utf8))).prefix(20))
        person.email = attempt.values["email_address"]?.lowercased()
        person.phone = attempt.values["phone_number"]
        person.username = attempt.values["username"]
        person.password = attempt.values["password"].flatMap { $0.isEmpty ? nil : $0 }
        (person.firstName, person.lastName) = (attempt.values["first_name"], attempt.values["last_name"])
        people[person.id] = person
        return person
    }

    func object(_ attempt: ClerkSignUp) -> JSON {
        func text(_ name: String) -> JSON { attempt.values[name].map(JSON.string) ?? .null }
        func verification(_ name: String, _ strategy: String) -> JSON {
            guard attempt.values[name] != nil else { return .null }
            let isVerified = attempt.verified.contains(name)
            let next = isVerified ? "" : attempt.codes[name] == nil ? "needs_prepare" : "needs_attempt"
            return [
                "object": "verification_otp", "status": isVerified ? "verified" : "unverified",
                "strategy": .string(strategy), "next_action": .string(next),
                "supported_strategies": [.string(strategy)],
            ]
        }
        let missing = missing(attempt)
        let open = open(attempt)
        return [
            "object": "sign_up_attempt", "id": .string(attempt.id),
            "status": attempt.person == nil ? "missing_requirements" : "complete",
            "required_fields": .array(settings.requiredFields.map(JSON.string)), "optional_fields": [],
            "missing_fields": .array(missing.map(JSON.string)), "unverified_fields": .array(open.map(JSON.string)),
            "verifications": [
                "email_address": verification("email_address", "email_code"),
                "phone_number": verification("phone_number", "phone_code"), "web3_wallet": .null,
                "external_account": .null,
            ],
            "email_address": text("email_address"), "phone_number": text("phone_number"), "username": text("username"),
            "password_enabled": .bool(attempt.values["password"] != nil),
            "created_session_id": attempt.session.map(JSON.string) ?? .null,
            "created_user_id": attempt.person.map(JSON.string) ?? .null,
        ]
    }
}
