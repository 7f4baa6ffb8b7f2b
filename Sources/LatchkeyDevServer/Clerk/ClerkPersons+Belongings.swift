import LatchkeyHTTPServer
import LatchkeyJSON

/// Other things of a person: accounts at other services, a picture, invitations.
extension ClerkState {
    mutating func answerExternal(
        _ call: ClerkCall, _ path: [String], _ person: ClerkPerson
    ) throws(ClerkRefusal) -> JSON {
        if call.method == "DELETE", path.count == 2 {
            guard people[person.id]?.external.removeValue(forKey: path[1]) != nil else {
                throw ClerkRefusal(404, "resource_not_found")
            }
            return ["object": "external_account", "id": .string(path[1]), "deleted": true]
        }
        let strategy = try call.required("strategy")
        guard settings.connections.contains(strategy) else { throw ClerkRefusal(400, "oauth_provider_not_enabled") }
        let redirect = try call.required("redirect_url")
        guard redirect.hasPrefix("http://127.0.0.1:") || settings.redirects.contains(redirect) else {
            throw ClerkRefusal(422, "invalid_redirect_url", ["param_name": "redirect_url"])
        }
        let id = Self.name("eac")
        people[person.id]?.external[id] = strategy
        return [
            "object": "external_account", "id": .string(id), "provider": .string(strategy),
            "verification": [
                "status": "unverified", "strategy": .string(strategy),
                "external_verification_redirect_url": .string("\(origin)\(Self.browserPath)\(id)"),
            ],
        ]
    }

    /// Reads one part named `file` (RFC 7578). The picture's new address says how large it was.
    mutating func changeImage(_ call: ClerkCall, _ person: ClerkPerson) throws(ClerkRefusal) {
        guard call.method == "POST" else {
            people[person.id]?.image = nil
            return
        }
        let body = call.request.body
        let type = call.request.field("Content-Type") ?? ""
        guard type.hasPrefix("multipart/form-data; boundary="),
            let end = body.firstRange(of: Array("\r\n\r\n".utf8)),
            body.starts(with: Array("--\(type.dropFirst(30))\r\n".utf8)),
            String(decoding: body[..<end.lowerBound], as: UTF8.self).contains("name=\"file\"")
        else { throw ClerkRefusal(422, "form_param_missing", ["param_name": "file"]) }
        let image = body[end.upperBound...].dropLast("\r\n--\(type.dropFirst(30))--\r\n".utf8.count)
        people[person.id]?.image = "https://img.example.test/\(image.count)"
    }

    mutating func answerInvitation(
        _ call: ClerkCall, _ path: [String], _ person: ClerkPerson
    ) throws(ClerkRefusal) -> JSON {
        func object(_ id: String, _ organization: String, _ status: String) -> JSON {
            [
                "object": "organization_invitation", "id": .string(id), "status": .string(status), "role": "org:member",
                "public_organization_data": [
                    "id": .string(organization), "name": .string("The \(organization.dropFirst(4))"),
                ],
            ]
        }
        if call.method == "GET", path.count == 1 {
            let open = person.invitations.sorted { $0.key < $1.key }.map { object($0.key, $0.value, "pending") }
            return ["data": .array(open), "total_count": .integer(Int64(open.count))]
        }
        guard call.method == "POST", path.count == 3, path[2] == "accept",
            let organization = people[person.id]?.invitations.removeValue(forKey: path[1])
        else { throw ClerkRefusal(404, "resource_not_found") }
        people[person.id]?.organizations[organization] = "org:member"
        return object(path[1], organization, "accepted")
    }
}
