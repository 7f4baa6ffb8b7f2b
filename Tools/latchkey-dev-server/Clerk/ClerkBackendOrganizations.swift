import LatchkeyJSON

/// Organizations, as servers ask for them.
extension ClerkState {
    private func object(backend organization: ClerkOrganization) -> JSON {
        guard case .object(var members) = object(organization) else { return .null }
        members["private_metadata"] = organization.privateMetadata
        if organization.createdBy == nil { members["created_by"] = nil }
        return .object(members)
    }

    mutating func answerBackendOrganizations(
        _ call: ClerkBackendCall, _ path: [String]
    ) throws(ClerkRefusal) -> JSON {
        guard let name = path.first else {
            if call.method == "POST" {
                return object(backend: try makeOrganization(call.form, by: call.body["created_by"]?.string))
            }
            let words = call.queries("query").first?.lowercased() ?? ""
            let found = organizations.values.filter {
                words.isEmpty || $0.name.lowercased().contains(words) || $0.slug.contains(words) || $0.id == words
            }
            return page(call, found.sorted { $0.id < $1.id }.map(object(backend:)))
        }
        guard let organization = organizations[name] ?? organizations.values.first(where: { $0.slug == name }) else {
            throw ClerkRefusal(404, "resource_not_found")
        }
        let (id, rest) = (organization.id, Array(path.dropFirst(2)))
        switch (call.method, path.dropFirst().first) {
        case ("GET", nil): break
        case ("PATCH", nil): try rename(id, call.form)
        case ("DELETE", nil):
            removeOrganization(id)
            return deleted("organization", id)
        case ("PATCH", "metadata"), ("PUT", "metadata"): changeMetadata(call, of: id)
        case (_, "memberships"): return try answerBackendMembers(call, rest, id)
        case (_, "invitations"): return try answerBackendInvitations(call, rest, id)
        default: throw ClerkRefusal(404, "resource_not_found")
        }
        return organizations[id].map(object(backend:)) ?? .null
    }

    private mutating func changeMetadata(_ call: ClerkBackendCall, of id: String) {
        guard var organization = organizations[id] else { return }
        func new(_ name: String, _ old: JSON) -> JSON {
            guard let value = call.body[name], value.object != nil else { return old }
            return call.method == "PATCH" ? Self.merge(value, into: old) : value
        }
        organization.publicMetadata = new("public_metadata", organization.publicMetadata)
        organization.privateMetadata = new("private_metadata", organization.privateMetadata)
        organizations[id] = organization
    }

    private mutating func answerBackendMembers(
        _ call: ClerkBackendCall, _ path: [String], _ id: String
    ) throws(ClerkRefusal) -> JSON {
        let role = call.body["role"]?.string
        switch (call.method, path.count) {
        case ("GET", 0):
            let (roles, users) = (call.queries("role"), call.queries("user_id"))
            let found = members(of: id).filter { person in
                (roles.isEmpty || roles.contains(person.organizations[id] ?? ""))
                    && (users.isEmpty || users.contains(person.id))
            }
            return page(call, found.map { membership(id, $0) })
        case ("POST", 0): return try addMember(try call.required("user_id"), role, to: id)
        case ("PATCH", 1): return try setRole(path[0], role, in: id)
        case ("DELETE", 1): return try removeMember(path[0], of: id)
        default: throw ClerkRefusal(404, "resource_not_found")
        }
    }

    private mutating func answerBackendInvitations(
        _ call: ClerkBackendCall, _ path: [String], _ id: String
    ) throws(ClerkRefusal) -> JSON {
        let all = (organizations[id]?.invitations ?? [:]).sorted { $0.key < $1.key }
        switch (call.method, path.count) {
        case ("GET", 0):
            let states = call.queries("status")
            let found = all.filter { states.isEmpty || states.contains($0.value.status) }
            return page(call, found.map { object($0.value, $0.key, id) })
        case ("POST", 0): return try invite(try call.required("email_address"), call.body["role"]?.string, to: id)
        case ("GET", 1):
            guard let entry = all.first(where: { $0.key == path[0] }) else {
                throw ClerkRefusal(404, "organization_invitation_not_found")
            }
            return object(entry.value, entry.key, id)
        case ("POST", 2) where path[1] == "revoke": return try revokeInvitation(path[0], of: id)
        default: throw ClerkRefusal(404, "resource_not_found")
        }
    }
}
