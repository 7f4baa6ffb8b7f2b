import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyHTTPServer

extension ClerkState {
    mutating func answerSession(
        _ call: ClerkCall, _ path: [String], _ client: inout ClerkClient
    ) throws(ClerkRefusal) -> ClerkReply {
        if call.method == "DELETE", path.isEmpty {
            client.sessions = []
            return .wrapped(object(client))
        }
        guard let index = client.sessions.firstIndex(where: { $0.id == path.first }) else {
            throw ClerkRefusal(path.isEmpty ? 404 : 401, path.isEmpty ? "resource_not_found" : "signed_out")
        }
        let session = client.sessions[index]
        switch (call.method, path.dropFirst().first) {
        case ("GET", nil): return .wrapped(object(session))
        case ("POST", "tokens"):
            try checkLastToken(call, path)
            if settings.mintsAtEdge, path.count == 2, call.form["organization_id"] == nil,
                call.form["force_origin"] != "true"
            {
                guard let last = call.form["token"], last.split(separator: ".").count == 3 else {
                    throw ClerkRefusal(422, "missing_expired_token")
                }
                return .bare(token(last))
            }
            if path.count > 2 { return .bare(token(try token(session, template: path[2]))) }
            let organization = call.form["organization_id"] ?? session.organization ?? ""
            return .bare(token(try token(session, organization: organization.isEmpty ? nil : organization)))
        case ("POST", "touch"):
            if let organization = call.form["active_organization_id"] {
                if !organization.isEmpty { try checkMembership(session, organization) }
                client.sessions[index].organization = organization.isEmpty ? nil : organization
            }
            return .wrapped(object(client.sessions[index]))
        case ("POST", "verify"): return .wrapped(try prove(call, Array(path.dropFirst(2)), &client, index))
        case ("POST", "remove"), ("POST", "end"):
            client.sessions.remove(at: index)
            return .wrapped(object(session))
        default: throw ClerkRefusal(404, "resource_not_found")
        }
    }

    private func checkLastToken(_ call: ClerkCall, _ path: [String]) throws(ClerkRefusal) {
        guard let place = settings.wantsLastToken, path.count == 2 else { return }
        let query = call.request.queryPairs.first { $0.name == "expired_token" }?.value
        let last = place == .form ? call.form["token"] : query
        guard last?.split(separator: ".").count == 3 else { throw ClerkRefusal(422, "missing_expired_token") }
    }

    private func checkMembership(_ session: ClerkSession, _ organization: String) throws(ClerkRefusal) {
        guard people[session.person]?.organizations[organization] != nil else {
            throw ClerkRefusal(404, "organization_not_found_or_unauthorized")
        }
    }

    /// Returns a session token of version 2.
    func token(_ session: ClerkSession, organization: String?) throws(ClerkRefusal) -> String {
        let issued = Int64(wall)
        let second = session.secondFactorAt.map { Int64((wall - $0) / 60) } ?? -1
        var claims: [String: JSON] = [
            "v": 2, "sts": "active", "iss": .string("https://\(settings.host)"), "sub": .string(session.person),
            "sid": .string(session.id), "iat": .integer(issued), "nbf": .integer(issued - 10),
            "exp": .integer(issued + Int64(settings.tokenLifetime)), "jti": .string(Self.name("jti")),
            "fva": [.integer(Int64((wall - session.firstFactorAt) / 60)), .integer(second)],
        ]
        if let organization {
            try checkMembership(session, organization)
            let role = people[session.person]?.organizations[organization] ?? ""
            claims["o"] = [
                "id": .string(organization), "slg": .string(String(organization.dropFirst(4))),
                "rol": .string(role.hasPrefix("org:") ? String(role.dropFirst(4)) : role), "per": "manage,read",
                "fpm": "3,2",
            ]
            (claims["fea"], claims["pla"]) = ("o:dashboard,o:teams", "o:pro")
        }
        return try signed(.object(claims))
    }

    /// Returns a token by a template, which does not contain the session.
    private func token(_ session: ClerkSession, template: String) throws(ClerkRefusal) -> String {
        guard let lifetime = settings.templates[template] else { throw ClerkRefusal(404, "resource_not_found") }
        let issued = Int64(wall)
        return try signed([
            "iss": .string("https://\(settings.host)"), "sub": .string(session.person), "iat": .integer(issued),
            "nbf": .integer(issued - 10), "exp": .integer(issued + Int64(lifetime)), "jti": .string(Self.name("jti")),
            "template": .string(template),
        ])
    }

    private func signed(_ claims: JSON) throws(ClerkRefusal) -> String {
        do { return try keys.sign(claims) } catch { throw ClerkRefusal(500, "internal_clerk_error") }
    }
}
