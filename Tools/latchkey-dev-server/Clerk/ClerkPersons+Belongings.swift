import LatchkeyHTTPServer
import LatchkeyJSON

/// Other things of a person: accounts at other services, a picture, invitations.
extension ClerkState {
    mutating func answerExternal(
        _ call: ClerkCall, _ path: [String], _ person: ClerkPerson
    ) throws(ClerkRefusal) -> JSON {
        if call.method == "DELETE", path.count == 2 {
            guard people[person.id]?.connections.removeValue(forKey: path[1]) != nil else {
                throw ClerkRefusal(404, "resource_not_found")
            }
            return deleted("external_account", path[1])
        }
        var (id, account) = (Self.name("eac"), person.connections[path.dropFirst().first ?? ""])
        if path.count > 1 {
            guard call.method == "PATCH", path.dropFirst(2) == ["reauthorize"], account != nil else {
                throw ClerkRefusal(404, "resource_not_found")
            }
            id = path[1]
        }
        var strategy = account?.strategy ?? ""
        if account == nil { strategy = try call.required("strategy") }
        let external = try elsewhere(call, strategy, person.email)
        account = ClerkConnection(
            strategy: strategy, redirect: external.redirect ?? "", email: external.email, createdAt: wall)
        people[person.id]?.connections[id] = account
        return account.map { connection($0, id, person) } ?? .null
    }

    /// Answers the visit to a service whose account a person connects; `nil` if there is none with this ID.
    mutating func connect(_ id: String) -> ServerResponse? {
        for person in people.values {
            guard let account = person.connections[id], account.email == nil, !account.redirect.isEmpty else {
                continue
            }
            guard let visitor = settings.visitor else {
                return Self.back(account.redirect, failed: "oauth_access_denied")
            }
            people[person.id]?.connections[id]?.email = visitor
            return Self.back(account.redirect, [])
        }
        return nil
    }

    func deleted(_ object: String, _ id: String) -> JSON {
        ["object": .string(object), "id": .string(id), "slug": .null, "deleted": true]
    }

    /// Reads one part named `file` (RFC 7578), or in Base64 as clerk-js sends it from Expo. The picture's new address says
    /// how large it was.
    mutating func changeImage(_ call: ClerkCall, _ person: ClerkPerson) throws(ClerkRefusal) -> JSON {
        guard call.method == "POST" else {
            guard call.method == "DELETE" else { throw ClerkRefusal(404, "resource_not_found") }
            people[person.id]?.image = nil
            return [
                "object": "image", "id": .string("img_\(person.id)"), "deleted": true, "name": .null,
                "public_url": .null,
            ]
        }
        let address = "\(Self.imageHost)/\(try call.image())"
        people[person.id]?.image = address
        return [
            "object": "image", "id": .string("img_\(person.id)"), "name": .null, "public_url": .string(address),
            "created_at": time(wall), "updated_at": time(wall),
        ]
    }

    mutating func answerInvitation(
        _ call: ClerkCall, _ path: [String], _ person: ClerkPerson
    ) throws(ClerkRefusal) -> JSON {
        func object(_ id: String, _ organization: String, _ status: String) -> JSON {
            [
                "object": "organization_invitation", "id": .string(id), "status": .string(status), "role": "org:member",
                "role_name": "Member", "email_address": text(person.email), "public_metadata": .object([:]),
                "organization_id": .string(organization), "created_at": time(wall), "updated_at": time(wall),
                "public_organization_data": publicData(
                    organizations[organization] ?? ClerkOrganization(id: organization)),
            ]
        }
        if call.method == "GET", path.count == 1 {
            let open = person.invitations.sorted { $0.key < $1.key }.map { object($0.key, $0.value, "pending") }
            return page(call, call.wants(status: "pending") ? open : [])
        }
        guard call.method == "POST", path.count == 3, path[2] == "accept",
            let organization = people[person.id]?.invitations.removeValue(forKey: path[1])
        else { throw ClerkRefusal(404, "resource_not_found") }
        let invitation = organizations[organization]?.invitations[path[1]]
        organizations[organization]?.invitations[path[1]]?.status = "accepted"
        people[person.id]?.organizations[organization] = invitation?.role ?? "org:member"
        return object(path[1], organization, "accepted")
    }

    mutating func answerMembership(
        _ call: ClerkCall, _ path: [String], _ person: ClerkPerson
    ) throws(ClerkRefusal) -> JSON {
        if call.method == "GET", path.count == 1 {
            return page(call, person.organizations.keys.sorted().map { membership($0, person) })
        }
        guard call.method == "DELETE", path.count == 2, person.organizations[path[1]] != nil else {
            throw ClerkRefusal(404, "resource_not_found")
        }
        leave(path[1], person.id)
        return deleted("organization_membership", "orgmem_\(path[1])_\(person.id)")
    }

    /// Takes a person out of an organization, and their sessions too.
    mutating func leave(_ organization: String, _ person: String) {
        people[person]?.organizations[organization] = nil
        for client in clients.all {
            for index in client.sessions.indices
            where client.sessions[index].person == person && client.sessions[index].organization == organization {
                clients[client.id]?.sessions[index].organization = nil
            }
        }
    }

    /// Returns a part of a list, as the call asks for.
    func page(_ call: ClerkCall, _ all: [JSON]) -> JSON {
        let limit = min(max(0, call.number("limit") ?? 10), settings.pageLimit)
        let part = all.dropFirst(max(0, call.number("offset") ?? 0)).prefix(limit)
        return ["data": .array(Array(part)), "total_count": .integer(Int64(all.count))]
    }
}
