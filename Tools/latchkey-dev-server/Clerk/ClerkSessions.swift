import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyHTTPServer

extension ClerkState {
    mutating func answerSession(
        _ call: ClerkCall, _ path: [String], _ client: inout ClerkClient
    ) throws(ClerkRefusal) -> ClerkReply {
        if path.isEmpty, call.method == "DELETE" {
            client.sessions = []
            return .cleared(object(client))
        }
        if path.isEmpty, call.method == "GET" { return .wrapped(.array(client.sessions.map { object($0) })) }
        guard let index = client.sessions.firstIndex(where: { $0.id == path.first }) else {
            throw ClerkRefusal(path.isEmpty ? 404 : 401, path.isEmpty ? "resource_not_found" : "signed_out")
        }
        let session = client.sessions[index]
        guard session.ending == nil || call.method == "GET" || path.dropFirst().first == "remove" else {
            throw ClerkRefusal(401, "signed_out")
        }
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
                try choose(organization, &client.sessions[index])
            }
            client.lastActive = session.id
            client.sessions[index].updatedAt = wall
            return .wrapped(object(client.sessions[index]))
        case ("POST", "verify"): return .wrapped(try prove(call, Array(path.dropFirst(2)), &client, index))
        case ("POST", "remove"):
            var removed = client.sessions.remove(at: index)
            removed.end("removed", at: wall)
            return .wrapped(object(removed))
        case ("POST", "end"):
            client.sessions[index].end("ended", at: wall)
            return .wrapped(object(client.sessions[index]))
        default: throw ClerkRefusal(404, "resource_not_found")
        }
    }

    /// Makes an organization the session's one, by ID or slug; an empty text is the person's own account.
    private func choose(_ organization: String, _ session: inout ClerkSession) throws(ClerkRefusal) {
        guard !organization.isEmpty else {
            // Where everybody has to choose one, the last choice stays.
            if !settings.wantsOrganization { session.organization = nil }
            return
        }
        let id = organizations.values.first { $0.slug == organization }?.id ?? organization
        try checkMembership(session, id)
        session.organization = id
    }

    private func checkLastToken(_ call: ClerkCall, _ path: [String]) throws(ClerkRefusal) {
        guard path.count == 2 else { return }
        let query = call.request.queryPairs.first { $0.name == "expired_token" }?.value
        if settings.has(.sessionMinter) {
            let tokens = [call.form["token"], query].compactMap(\.self).map { $0.split(separator: ".") }
            guard tokens.contains(where: { $0.count == 3 && SupabaseState.document($0[1])?["sid"]?.string == path[0] })
            else { throw ClerkRefusal(422, "missing_expired_token") }
        }
        guard let place = settings.wantsLastToken else { return }
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
            "v": 2, "sts": .string(status(of: session)), "iss": .string("https://\(settings.host)"),
            "sub": .string(session.person),
            "sid": .string(session.id), "iat": .integer(issued), "nbf": .integer(issued - 10),
            "exp": .integer(issued + Int64(settings.tokenLifetime)), "jti": .string(Self.name("jti")),
            "fva": [.integer(Int64((wall - session.firstFactorAt) / 60)), .integer(second)],
        ]
        claims["azp"] = pageOrigin.map(JSON.string)
        if let organization {
            try checkMembership(session, organization)
            let role = people[session.person]?.organizations[organization] ?? ""
            let slug = organizations[organization]?.slug ?? String(organization.dropFirst(4))
            claims["o"] = [
                "id": .string(organization), "slg": .string(slug),
                "rol": .string(role.hasPrefix("org:") ? String(role.dropFirst(4)) : role), "per": "manage,read",
                "fpm": "3,2",
            ]
            (claims["fea"], claims["pla"]) = ("o:dashboard,o:teams", "o:pro")
        }
        return try signed(.object(claims), "cl_B7d4PD111AAA")
    }

    /// Returns a token by a template, which does not contain the session.
    func token(_ session: ClerkSession, template: String) throws(ClerkRefusal) -> String {
        guard let lifetime = settings.templates[template] else { throw ClerkRefusal(404, "resource_not_found") }
        let issued = Int64(wall)
        let claims: JSON = [
            "iss": .string("https://\(settings.host)"), "sub": .string(session.person), "iat": .integer(issued),
            "nbf": .integer(issued - 10), "exp": .integer(issued + Int64(lifetime)), "jti": .string(Self.name("jti")),
            "template": .string(template),
        ]
        return try signed(claims, "cl_B7d4PD222AAA")
    }

    /// Signs a token of a category: Clerk's servers take no token by a template for a session's one.
    private func signed(_ claims: JSON, _ category: String) throws(ClerkRefusal) -> String {
        do { return try keys.sign(claims, category: category) } catch {
            throw ClerkRefusal(500, "internal_clerk_error")
        }
    }
}
