import LatchkeyJSON

/// Invitations to organizations, their domains, and what is suggested to people by these.
extension ClerkState {
    mutating func answerInvitations(
        _ call: ClerkCall, _ path: [String], _ id: String
    ) throws(ClerkRefusal) -> JSON {
        switch (call.method, path.count) {
        case ("GET", 0):
            let all = (organizations[id]?.invitations ?? [:]).sorted { $0.key < $1.key }
            return page(call, all.filter { call.wants(status: $0.value.status) }.map { object($0.value, $0.key, id) })
        case ("POST", 0): return try invite(try call.required("email_address"), call.form["role"], to: id)
        case ("POST", 1) where path == ["bulk"]:
            var made: [JSON] = []
            for address in call.all("email_address") { made.append(try invite(address, call.form["role"], to: id)) }
            guard !made.isEmpty else { throw ClerkRefusal(422, "form_param_missing", ["param_name": "email_address"]) }
            return .array(made)
        case ("POST", 2) where path[1] == "revoke": return try revokeInvitation(path[0], of: id)
        default: throw ClerkRefusal(404, "resource_not_found")
        }
    }

    mutating func invite(_ address: String, _ role: String?, to id: String) throws(ClerkRefusal) -> JSON {
        let meta: JSON = ["param_name": "email_address"]
        guard address.contains("@") else { throw ClerkRefusal(422, "form_param_format_invalid", meta) }
        let (role, email) = (try known(role), address.lowercased())
        let open = organizations[id]?.invitations.values.contains { $0.email == email && $0.status == "pending" }
        guard open != true else { throw ClerkRefusal(400, "organization_invitation_not_unique", meta) }
        let person = person(email)
        guard person?.organizations[id] == nil else { throw ClerkRefusal(400, "already_a_member_in_organization") }
        let name = Self.name("orginv")
        let invitation = ClerkInvitation(email: email, role: role, createdAt: wall, updatedAt: wall)
        organizations[id]?.invitations[name] = invitation
        if let person { people[person.id]?.invitations[name] = id }
        return object(invitation, name, id)
    }

    mutating func revokeInvitation(_ name: String, of id: String) throws(ClerkRefusal) -> JSON {
        guard var invitation = organizations[id]?.invitations[name] else {
            throw ClerkRefusal(404, "organization_invitation_not_found")
        }
        guard invitation.status == "pending" else { throw ClerkRefusal(404, "organization_invitation_not_pending") }
        (invitation.status, invitation.updatedAt) = ("revoked", wall)
        organizations[id]?.invitations[name] = invitation
        for person in people.values { people[person.id]?.invitations[name] = nil }
        return object(invitation, name, id)
    }

    func object(_ invitation: ClerkInvitation, _ name: String, _ id: String) -> JSON {
        [
            "object": "organization_invitation", "id": .string(name), "email_address": .string(invitation.email),
            "organization_id": .string(id), "role": .string(invitation.role),
            "role_name": .string(ClerkRole.name(of: invitation.role)), "status": .string(invitation.status),
            "public_metadata": .object([:]), "private_metadata": .object([:]), "url": .null,
            "expires_at": time(invitation.createdAt + 2_592_000), "inviter_id": .null, "public_inviter_data": .null,
            "public_organization_data": organizations[id].map(publicData) ?? .null,
            "created_at": time(invitation.createdAt), "updated_at": time(invitation.updatedAt),
        ]
    }

    mutating func answerDomains(_ call: ClerkCall, _ path: [String], _ id: String) throws(ClerkRefusal) -> JSON {
        let all = organizations[id]?.domains ?? [:]
        guard let name = path.first else {
            if call.method == "POST" { return try addDomain(call, id) }
            guard call.method == "GET" else { throw ClerkRefusal(404, "resource_not_found") }
            let (mode, verified) = (call.query("enrollment_mode") ?? "", call.query("verified") ?? "")
            let found = all.sorted { $0.key < $1.key }.filter { entry in
                (mode.isEmpty || mode == entry.value.mode)
                    && (verified.isEmpty || ["true", "1"].contains(verified) == entry.value.isVerified)
            }
            return page(call, found.map { object($0.value, $0.key, id) })
        }
        if path.last == "bulk" { throw Self.absent }
        guard var domain = all[name] else { throw ClerkRefusal(404, "resource_not_found") }
        defer { if organizations[id]?.domains[name] != nil { organizations[id]?.domains[name] = domain } }
        switch (call.method, path.dropFirst().first) {
        case ("GET", nil): break
        case ("DELETE", nil):
            organizations[id]?.domains[name] = nil
            return deleted("organization_domain", name)
        case ("POST", "prepare_affiliation_verification"):
            let address = try call.required("affiliation_email_address").lowercased()
            guard address.hasSuffix("@\(domain.name)") else { throw ClerkRefusal(422, "organization_domain_mismatch") }
            domain.address = address
            domain.code = ClerkCode(
                strategy: "email_code", code: sendCode(to: address), expires: now + settings.codeLifetime)
        case ("POST", "attempt_affiliation_verification"):
            try take(try call.required("code"), "email_code", &domain.code)
            domain.isVerified = true
        case ("POST", "update_enrollment_mode"): domain.mode = try mode(call.form["enrollment_mode"])
        default: throw ClerkRefusal(404, "resource_not_found")
        }
        domain.updatedAt = wall
        return object(domain, name, id)
    }

    private mutating func addDomain(_ call: ClerkCall, _ id: String) throws(ClerkRefusal) -> JSON {
        let word = try call.required("name").lowercased()
        let meta: JSON = ["param_name": "name"]
        guard word.contains("."), !word.contains("@") else {
            throw ClerkRefusal(422, "form_param_format_invalid", meta)
        }
        guard !organizations.values.contains(where: { $0.domains.values.contains { $0.name == word } }) else {
            throw ClerkRefusal(422, "organization_domain_already_exists", meta)
        }
        let domain = ClerkDomain(
            name: word, mode: try mode(call.form["enrollment_mode"] ?? "manual_invitation"), createdAt: wall,
            updatedAt: wall)
        let name = Self.name("orgdmn")
        organizations[id]?.domains[name] = domain
        return object(domain, name, id)
    }

    private func mode(_ word: String?) throws(ClerkRefusal) -> String {
        guard let word, ["manual_invitation", "automatic_invitation", "automatic_suggestion"].contains(word) else {
            throw ClerkRefusal(422, "form_param_value_invalid", ["param_name": "enrollment_mode"])
        }
        return word
    }

    private func object(_ domain: ClerkDomain, _ name: String, _ id: String) -> JSON {
        let expires = domain.code?.expires ?? domain.updatedAt
        let proof: JSON =
            domain.code == nil && !domain.isVerified
            ? .null
            : [
                "status": domain.isVerified ? "verified" : "unverified", "strategy": "email_code",
                "attempts": .integer(Int64(domain.code?.wrong ?? 0)), "expire_at": time(expires),
                "expires_at": time(expires), "verified_at": domain.isVerified ? time(domain.updatedAt) : .null,
            ]
        return [
            "object": "organization_domain", "id": .string(name), "name": .string(domain.name),
            "organization_id": .string(id), "enrollment_mode": .string(domain.mode), "verification": proof,
            "affiliation_verification": proof, "ownership_verification": .null,
            "affiliation_email_address": text(domain.address), "total_pending_invitations": 0,
            "total_pending_suggestions": .integer(Int64(organizations[id]?.requests.count ?? 0)),
            "public_organization_data": organizations[id].map(publicData) ?? .null,
            "created_at": time(domain.createdAt), "updated_at": time(domain.updatedAt),
        ]
    }

    /// Answers about organizations whose verified domain is that of the person's address.
    mutating func answerSuggestion(
        _ call: ClerkCall, _ path: [String], _ person: ClerkPerson
    ) throws(ClerkRefusal) -> JSON {
        let domain = String((person.email ?? "").drop { $0 != "@" }.dropFirst())
        let open = organizations.values.filter { organization in
            person.organizations[organization.id] == nil
                && organization.domains.values.contains {
                    $0.name == domain && $0.isVerified && $0.mode == "automatic_suggestion"
                }
        }
        func object(_ organization: ClerkOrganization) -> JSON {
            let isAccepted = organization.requests.values.contains(person.id)
            return [
                "object": "organization_suggestion", "id": .string("orgsug_\(organization.id)"),
                "public_organization_data": publicData(organization), "status": isAccepted ? "accepted" : "pending",
                "created_at": time(wall), "updated_at": time(wall),
            ]
        }
        if call.method == "GET", path.count == 1 {
            let all = open.sorted { $0.id < $1.id }.map(object)
            return page(call, all.filter { call.wants(status: $0["status"]?.string ?? "") })
        }
        guard call.method == "POST", path.count == 3, path[2] == "accept",
            let organization = open.first(where: { "orgsug_\($0.id)" == path[1] })
        else { throw ClerkRefusal(404, "resource_not_found") }
        guard !organization.requests.values.contains(person.id) else {
            throw ClerkRefusal(400, "organization_suggestion_already_accepted")
        }
        organizations[organization.id]?.requests[Self.name("orgreq")] = person.id
        return object(organizations[organization.id] ?? organization)
    }
}
