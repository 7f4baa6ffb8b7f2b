import LatchkeyJSON

/// A ticket that signs a person in, made by a server.
struct ClerkSignInToken: Sendable {
    var id: String
    var person: String
    var status = "pending"
    var createdAt: Double
    var updatedAt: Double
    /// When it ends, by the machine's clock.
    var expires: Double

    mutating func end(_ status: String, at time: Double) { (self.status, updatedAt) = (status, time) }
}

/// People and sign-in tokens, as servers ask for them.
extension ClerkState {
    private func object(backend person: ClerkPerson) -> JSON {
        guard case .object(var members) = object(person) else { return .null }
        members["private_metadata"] = person.privateMetadata
        members["organization_memberships"] = .null
        return .object(members)
    }

    mutating func answerUsers(_ call: ClerkBackendCall, _ path: [String]) throws(ClerkRefusal) -> JSON {
        switch (call.method, path) {
        case ("GET", []): return .array(part(call, found(call).map(object(backend:))))
        case ("GET", ["count"]):
            return ["object": "total_count", "total_count": .integer(Int64(found(call).count))]
        case ("POST", []): return object(backend: try makePerson(call))
        default: break
        }
        guard let person = people[path[0]] else { throw ClerkRefusal(404, "resource_not_found") }
        let memberships = person.organizations.keys.sorted().map { membership($0, person) }
        switch (call.method, path.dropFirst().first) {
        case ("GET", nil): break
        case ("GET", "organization_memberships"): return page(call, memberships)
        case ("GET", "organization_invitations"):
            let open = person.invitations.sorted { $0.key < $1.key }.compactMap { name, id in
                organizations[id]?.invitations[name].map { object($0, name, id) }
            }
            return page(call, open)
        case ("DELETE", nil):
            for client in clients.all { clients[client.id]?.sessions.removeAll { $0.person == person.id } }
            people[person.id] = nil
            return deleted("user", person.id)
        case ("PATCH", nil): try change(call, person.id)
        case ("PATCH", "metadata"), ("PUT", "metadata"): changeMetadata(call, person.id)
        default: return try act(call, path, person)
        }
        return people[person.id].map(object(backend:)) ?? .null
    }

    /// Acts on a person by a word at the end of the path.
    private mutating func act(
        _ call: ClerkBackendCall, _ path: [String], _ person: ClerkPerson
    ) throws(ClerkRefusal) -> JSON {
        switch (call.method, path.count > 1 ? path[1] : "") {
        case ("POST", "ban"):
            people[person.id]?.isBanned = true
            endSessions("revoked") { $0.person == person.id }
        case ("POST", "unban"): people[person.id]?.isBanned = false
        case ("POST", "lock"): people[person.id]?.isLocked = true
        case ("POST", "unlock"): people[person.id]?.isLocked = false
        case ("POST", "verify_password"):
            try check(try call.required("password"), of: person)
            return ["verified": true]
        case ("POST", "verify_totp"):
            try check(try call.required("code"), by: person.totp)
            return ["verified": true, "code_type": "totp"]
        case ("POST", "remove_password"): people[person.id]?.password = nil
        case ("DELETE", "mfa"):
            people[person.id]?.totp = nil
            people[person.id]?.backupCodes = []
            people[person.id]?.secondPhones = []
            return ["user_id": .string(person.id)]
        case ("DELETE", "totp"):
            people[person.id]?.totp = nil
            return ["user_id": .string(person.id)]
        case ("DELETE", "backup_code"):
            people[person.id]?.backupCodes = []
            return ["user_id": .string(person.id)]
        case ("DELETE", "profile_image"): people[person.id]?.image = nil
        default: throw ClerkRefusal(404, "resource_not_found")
        }
        return people[person.id].map(object(backend:)) ?? .null
    }

    private func found(_ call: ClerkBackendCall) -> [ClerkPerson] {
        let wanted: [(String, (ClerkPerson) -> [String])] = [
            ("user_id", { [$0.id] }), ("email_address", { $0.allEmails.map(\.address) }),
            ("phone_number", { $0.allPhones.map(\.address) }), ("username", { [$0.username ?? ""] }),
            ("external_id", { [$0.externalID ?? ""] }), ("organization_id", { Array($0.organizations.keys) }),
        ]
        return people.values.filter { person in
            let matches = wanted.allSatisfy { name, values in
                let words = call.queries(name).map {
                    $0.hasPrefix("+") && name != "phone_number" ? String($0.dropFirst()) : $0
                }
                return words.isEmpty || values(person).contains(where: words.contains)
            }
            let words = call.queries("query").first?.lowercased() ?? ""
            let text = [person.id, person.email, person.firstName, person.lastName, person.username]
            return matches && (words.isEmpty || text.contains { $0?.lowercased().contains(words) == true })
        }.sorted { $0.id < $1.id }
    }

    private mutating func makePerson(_ call: ClerkBackendCall) throws(ClerkRefusal) -> ClerkPerson {
        var person = ClerkPerson(id: Self.name("user"))
        let emails = (call.body["email_address"]?.array ?? []).compactMap(\.string)
        let phones = (call.body["phone_number"]?.array ?? []).compactMap(\.string)
        for address in emails + phones where self.person(address) != nil {
            throw ClerkRefusal(
                422, "form_identifier_exists",
                ["param_name": address.contains("@") ? "email_address" : "phone_number"])
        }
        (person.email, person.phone) = (emails.first?.lowercased(), phones.first)
        (person.createdAt, person.updatedAt) = (wall, wall)
        people[person.id] = person
        do throws(ClerkRefusal) { try change(call, person.id) } catch {
            people[person.id] = nil
            throw error
        }
        changeMetadata(call, person.id)
        return people[person.id] ?? person
    }

    private mutating func change(_ call: ClerkBackendCall, _ id: String) throws(ClerkRefusal) {
        guard var person = people[id] else { return }
        func taken(_ name: String, _ old: String?) -> String? {
            call.body[name].map { $0.string.flatMap { $0.isEmpty ? nil : $0 } } ?? old
        }
        person.firstName = taken("first_name", person.firstName)
        person.lastName = taken("last_name", person.lastName)
        person.username = taken("username", person.username)
        person.externalID = taken("external_id", person.externalID)
        if let password = call.body["password"]?.string {
            if call.body["skip_password_checks"] != true { try checkStrength(password, "password") }
            (person.password, person.hasNewPassword) = (password, true)
        }
        person.updatedAt = wall
        people[id] = person
        if call.body["sign_out_of_other_sessions"] == true { endSessions("revoked") { $0.person == id } }
    }

    /// Merges metadata with PATCH, and replaces it otherwise.
    private mutating func changeMetadata(_ call: ClerkBackendCall, _ id: String) {
        guard var person = people[id] else { return }
        func new(_ name: String, _ old: JSON) -> JSON {
            guard let value = call.body[name], value.object != nil else { return old }
            return call.method == "PATCH" ? Self.merge(value, into: old) : value
        }
        person.publicMetadata = new("public_metadata", person.publicMetadata)
        person.privateMetadata = new("private_metadata", person.privateMetadata)
        person.metadata = new("unsafe_metadata", person.metadata)
        people[id] = person
    }

    // MARK: Sign-in tokens

    mutating func answerSignInTokens(_ call: ClerkBackendCall, _ path: [String]) throws(ClerkRefusal) -> JSON {
        if call.method == "POST", path.isEmpty {
            let person = try call.required("user_id")
            guard people[person] != nil else { throw ClerkRefusal(404, "resource_not_found") }
            let (ticket, lasts) = (Self.name("sit"), call.body["expires_in_seconds"]?.integer ?? 2_592_000)
            signInTokens[ticket] = ClerkSignInToken(
                id: Self.name("sit"), person: person, createdAt: wall, updatedAt: wall, expires: now + Double(lasts))
            return object(ticket)
        }
        guard call.method == "POST", path.count == 2, path[1] == "revoke",
            let ticket = signInTokens.first(where: { $0.value.id == path[0] })?.key
        else { throw ClerkRefusal(404, "resource_not_found") }
        guard signInTokens[ticket]?.status == "pending" else {
            throw ClerkRefusal(400, "sign_in_token_cannot_be_revoked")
        }
        signInTokens[ticket]?.end("revoked", at: wall)
        return object(ticket)
    }

    private func object(_ ticket: String) -> JSON {
        guard let token = signInTokens[ticket] else { return .null }
        return [
            "object": "sign_in_token", "id": .string(token.id), "user_id": .string(token.person),
            "token": .string(ticket), "status": .string(token.status),
            "url": .string("https://\(settings.host)/v1/tickets/accept?ticket=\(ticket)"),
            "created_at": time(token.createdAt), "updated_at": time(token.updatedAt),
        ]
    }

    /// Returns the person of a sign-in token and spends it; `nil` if the ticket is none.
    mutating func spend(ticket: String) throws(ClerkRefusal) -> String? {
        guard let token = signInTokens[ticket] else { return nil }
        guard token.status != "revoked" else { throw ClerkRefusal(400, "sign_in_token_revoked_code") }
        guard token.status == "pending" else { throw ClerkRefusal(400, "sign_in_token_already_used_code") }
        guard now < token.expires else { throw ClerkRefusal(400, "ticket_expired_code") }
        signInTokens[ticket]?.end("accepted", at: wall)
        return token.person
    }
}
