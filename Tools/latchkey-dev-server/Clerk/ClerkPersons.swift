import LatchkeyJSON

/// Requests of signed-in people about themselves.
extension ClerkState {
    mutating func answerPerson(_ call: ClerkCall, _ session: ClerkSession) throws(ClerkRefusal) -> ClerkReply {
        guard let person = people[session.person] else { throw ClerkRefusal(401, "signed_out") }
        let path = Array(call.path.dropFirst())
        if let reply = try answerRest(call, path, person) { return reply }
        switch (call.method, path.first) {
        case ("GET", nil): return .wrapped(object(person))
        case ("PATCH", nil), ("PATCH", "metadata"), ("POST", "change_password"):
            try change(call, path.first, session)
        case (_, "totp"), ("POST", "backup_codes"): return .wrapped(try answerFactor(call, path, person))
        case (_, "email_addresses"): return try answerAddress(call, path, person, .mail)
        case (_, "phone_numbers"): return try answerAddress(call, path, person, .phone)
        case (_, "passkeys"): return .wrapped(try answerPasskey(call, path, person))
        case ("DELETE", "external_accounts") where path.count == 3 && path[2] == "tokens": break
        case (_, "external_accounts"): return .wrapped(try answerExternal(call, path, person))
        case (_, "profile_image"): return .wrapped(try changeImage(call, person))
        case (_, "organization_invitations"): return .wrapped(try answerInvitation(call, path, person))
        case (_, "organization_suggestions"): return .wrapped(try answerSuggestion(call, path, person))
        case (_, "organization_memberships"): return .wrapped(try answerMembership(call, path, person))
        case ("POST", "remove_password"):
            try check(try call.required("current_password"), of: person)
            people[person.id]?.password = nil
        case ("DELETE", nil):
            for client in clients.all { clients[client.id]?.sessions.removeAll { $0.person == person.id } }
            people[person.id] = nil
            return .wrapped(deleted("user", person.id))
        case (_, "sessions"): return try answerSessions(call, path, session)
        default: throw ClerkRefusal(404, "resource_not_found")
        }
        return .wrapped(people[person.id].map { object($0) } ?? .null)
    }

    private mutating func change(
        _ call: ClerkCall, _ what: String?, _ session: ClerkSession
    ) throws(ClerkRefusal) {
        guard var person = people[session.person] else { throw ClerkRefusal(401, "signed_out") }
        switch what {
        case nil:
            if call.form["unsafe_metadata"] != nil { throw ClerkRefusal(422, "form_param_unknown") }
            func taken(_ name: String, _ old: String?) -> String? {
                call.form[name].map { $0.isEmpty ? nil : $0 } ?? old
            }
            person.firstName = taken("first_name", person.firstName)
            person.lastName = taken("last_name", person.lastName)
            person.username = taken("username", person.username)
            if let id = call.form["primary_email_address_id"] {
                guard person.allEmails.contains(where: { $0.id == id && $0.code == nil }) else {
                    throw ClerkRefusal(404, "resource_not_found")
                }
                person.primaryEmail = id
            }
            if let id = call.form["primary_phone_number_id"] {
                guard person.allPhones.contains(where: { $0.id == id && $0.code == nil }) else {
                    throw ClerkRefusal(404, "resource_not_found")
                }
                person.primaryPhone = id
            }
        case "metadata":
            guard let patch = try? JSON.parse(Array(call.required("unsafe_metadata").utf8)), patch.object != nil else {
                throw ClerkRefusal(422, "form_param_format_invalid", ["param_name": "unsafe_metadata"])
            }
            person.metadata = Self.merge(patch, into: person.metadata)
        default:
            if let known = person.password, call.form["current_password"] != known {
                throw ClerkRefusal(422, "form_password_incorrect", ["param_name": "current_password"])
            }
            let password = try call.required("new_password")
            try checkStrength(password, "new_password")
            (person.password, person.hasNewPassword) = (password, true)
            if call.isTrue("sign_out_of_other_sessions") {
                endSessions("revoked") { $0.person == person.id && $0.id != session.id }
            }
        }
        person.updatedAt = wall
        people[person.id] = person
    }

    /// Merges as in RFC 7396.
    static func merge(_ patch: JSON, into target: JSON) -> JSON {
        guard let members = patch.object else { return patch }
        var merged = target.object ?? [:]
        for (name, value) in members {
            // Assigning nil here would store the JSON null instead of removing the member.
            if value == .null {
                merged.removeValue(forKey: name)
            } else {
                merged[name] = merge(value, into: merged[name] ?? .null)
            }
        }
        return .object(merged)
    }
}
