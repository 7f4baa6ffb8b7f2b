import LatchkeyJSON

/// Requests of members about an organization.
extension ClerkState {
    mutating func answerOrganizations(_ call: ClerkCall, _ session: ClerkSession) throws(ClerkRefusal) -> ClerkReply {
        guard let person = people[session.person] else { throw ClerkRefusal(401, "signed_out") }
        let path = Array(call.path.dropFirst())
        guard let id = path.first else {
            guard call.method == "POST" else { throw ClerkRefusal(404, "resource_not_found") }
            return .wrapped(object(try makeOrganization(call.form, by: person.id)))
        }
        guard let organization = organizations[id], let role = person.organizations[id] else {
            throw ClerkRefusal(404, "organization_not_found_or_unauthorized")
        }
        if call.method != "GET", role != "org:admin" { throw ClerkRefusal(403, "missing_organization_permission") }
        let rest = Array(path.dropFirst())
        switch (call.method, rest.first) {
        case ("GET", nil): return .wrapped(object(organization))
        case ("PATCH", nil): try rename(id, call.form)
        case ("DELETE", nil):
            removeOrganization(id)
            return .wrapped(deleted("organization", id))
        case ("PUT", "logo"): organizations[id]?.image = "\(Self.imageHost)/\(try call.image())"
        case ("DELETE", "logo"): organizations[id]?.image = nil
        case (_, "memberships"): return .wrapped(try answerMembers(call, Array(rest.dropFirst()), id))
        case (_, "invitations"): return .wrapped(try answerInvitations(call, Array(rest.dropFirst()), id))
        case (_, "domains"): return .wrapped(try answerDomains(call, Array(rest.dropFirst()), id))
        case (_, "membership_requests"): return .wrapped(try answerRequests(call, Array(rest.dropFirst()), id))
        case ("GET", "roles"): return .wrapped(page(call, ClerkRole.all.map(object(role:))))
        case ("GET", "enterprise_connections") where rest.count == 1: return .wrapped([])
        case (_, "enterprise_connections"), (_, "sso_bypass_allowlist_users"), (_, "billing"): throw Self.absent
        default: throw ClerkRefusal(404, "resource_not_found")
        }
        return .wrapped(organizations[id].map(object) ?? .null)
    }

    /// Creates an organization, whose first member is its administrator.
    mutating func makeOrganization(
        _ form: [String: String], by person: String?
    ) throws(ClerkRefusal) -> ClerkOrganization {
        var organization = ClerkOrganization(id: Self.name("org"))
        (organization.createdBy, organization.createdAt) = (person, wall)
        let name = form["name"] ?? ""
        organization.slug = String(name.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "-" })
        organizations[organization.id] = organization
        do throws(ClerkRefusal) {
            if name.isEmpty { throw ClerkRefusal(422, "form_param_missing", ["param_name": "name"]) }
            try rename(organization.id, form)
        } catch {
            organizations[organization.id] = nil
            throw error
        }
        if let person { people[person]?.organizations[organization.id] = "org:admin" }
        return organizations[organization.id] ?? organization
    }

    mutating func rename(_ id: String, _ form: [String: String]) throws(ClerkRefusal) {
        if let slug = form["slug"], !slug.isEmpty {
            guard !organizations.values.contains(where: { $0.slug == slug && $0.id != id }) else {
                throw ClerkRefusal(422, "form_identifier_exists", ["param_name": "slug"])
            }
            organizations[id]?.slug = slug
        }
        if let name = form["name"], !name.isEmpty { organizations[id]?.name = name }
        organizations[id]?.updatedAt = wall
    }

    mutating func removeOrganization(_ id: String) {
        for person in people.values where person.organizations[id] != nil { leave(id, person.id) }
        for person in people.values {
            for (invitation, organization) in person.invitations where organization == id {
                people[person.id]?.invitations[invitation] = nil
            }
        }
        organizations[id] = nil
    }

    private mutating func answerMembers(
        _ call: ClerkCall, _ path: [String], _ id: String
    ) throws(ClerkRefusal) -> JSON {
        if call.method == "GET", path.isEmpty {
            let roles = call.queries("role")
            let found = members(of: id).filter { roles.isEmpty || roles.contains($0.organizations[id] ?? "") }
            return page(call, found.map { membership(id, $0) })
        }
        var user = path.first ?? ""
        if path.isEmpty { user = try call.required("user_id") }
        switch (call.method, path.count) {
        case ("POST", 0): return try addMember(user, call.form["role"], to: id)
        case ("PATCH", 1): return try setRole(user, call.form["role"], in: id)
        case ("DELETE", 1): return try removeMember(user, of: id)
        default: throw ClerkRefusal(404, "resource_not_found")
        }
    }

    mutating func addMember(_ user: String, _ role: String?, to id: String) throws(ClerkRefusal) -> JSON {
        guard let person = people[user] else { throw ClerkRefusal(404, "resource_not_found") }
        guard person.organizations[id] == nil else { throw ClerkRefusal(400, "already_a_member_in_organization") }
        let role = try known(role)
        people[user]?.organizations[id] = role
        return membership(id, people[user] ?? person)
    }

    mutating func setRole(_ user: String, _ role: String?, in id: String) throws(ClerkRefusal) -> JSON {
        guard let person = people[user], person.organizations[id] != nil else {
            throw ClerkRefusal(404, "resource_not_found")
        }
        let role = try known(role)
        people[user]?.organizations[id] = role
        return membership(id, people[user] ?? person)
    }

    mutating func removeMember(_ user: String, of id: String) throws(ClerkRefusal) -> JSON {
        guard let person = people[user], person.organizations[id] != nil else {
            throw ClerkRefusal(404, "resource_not_found")
        }
        let gone = membership(id, person)
        leave(id, user)
        return gone
    }

    func known(_ role: String?) throws(ClerkRefusal) -> String {
        guard let role, ClerkRole.all.contains(role) else {
            throw ClerkRefusal(422, "form_param_value_invalid", ["param_name": "role"])
        }
        return role
    }

    private mutating func answerRequests(
        _ call: ClerkCall, _ path: [String], _ id: String
    ) throws(ClerkRefusal) -> JSON {
        func object(_ request: String, _ user: String, _ status: String) -> JSON {
            [
                "object": "organization_membership_request", "id": .string(request), "organization_id": .string(id),
                "status": .string(status), "public_user_data": people[user].map(publicData) ?? .null,
                "created_at": time(wall), "updated_at": time(wall),
            ]
        }
        let open = organizations[id]?.requests ?? [:]
        if call.method == "GET", path.isEmpty {
            let list = open.sorted { $0.key < $1.key }.map { object($0.key, $0.value, "pending") }
            return page(call, call.wants(status: "pending") ? list : [])
        }
        guard call.method == "POST", path.count == 2, ["accept", "reject"].contains(path[1]), let user = open[path[0]]
        else { throw ClerkRefusal(404, "resource_not_found") }
        organizations[id]?.requests[path[0]] = nil
        if path[1] == "accept" { people[user]?.organizations[id] = "org:member" }
        return object(path[0], user, path[1] == "accept" ? "accepted" : "revoked")
    }

    private func object(role: String) -> JSON {
        let permissions = ClerkRole.permissions(of: role).map { key -> JSON in
            [
                "object": "permission", "id": .string("perm_\(key.dropFirst(4))"), "key": .string(key),
                "name": .string(key), "description": .string("Lets members use \(key)."),
                "type": key.contains(":sys_") ? "system" : "user", "created_at": 0, "updated_at": 0,
            ]
        }
        return [
            "object": "role", "id": .string("role_\(role.dropFirst(4))"), "key": .string(role),
            "name": .string(ClerkRole.name(of: role)), "description": .string("The role \(role)."),
            "is_creator_eligible": .bool(role == "org:admin"), "permissions": .array(permissions), "created_at": 0,
            "updated_at": 0,
        ]
    }
}
