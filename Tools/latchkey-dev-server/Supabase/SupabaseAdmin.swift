import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    /// Answers a project's own servers (``isService(_:)``): users, invitations, links and factors. The log of audits is
    /// empty, and so is the list of providers for single sign-on; clients need the OAuth server, which is off.
    mutating func admin(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        if !isService(call) {
            _ = try claims(of: call)
            throw SupabaseFailure(403, .notAdmin, "User not allowed")
        }
        let path = call.path.first == "admin" ? Array(call.path.dropFirst()) : call.path
        switch (call.method, path.first, path.count) {
        case ("POST", "invite", 1): return try invite(call)
        case ("POST", "generate_link", 1): return try generateLink(call)
        case ("GET", "users", 1): return try listUsers(call)
        case ("POST", "users", 1): return try createUser(call)
        case (_, "users", 2...): return try user(call, Array(path.dropFirst()))
        case ("GET", "audit", 1): return paged(.array([]), count: 0, size: try page(of: call).size, call)
        case ("GET", "sso", 2) where path[1] == "providers": return SupabaseReply.json(["items": []])
        case (_, "sso", 3) where path[1] == "providers":
            throw SupabaseFailure(404, .ssoProviderNotFound, "SSO Identity Provider not found")
        case (_, "oauth", 2...) where path[1] == "clients": throw .withoutOAuthServer
        default: return SupabaseReply.notFound
        }
    }

    /// Answers for one user. A softly deleted user is still there.
    private mutating func user(_ call: SupabaseCall, _ path: [String]) throws(SupabaseFailure) -> ServerResponse {
        guard UUIDText.isValid(path[0]) else { throw .validation("user_id must be an UUID", status: 404) }
        guard var person = people[path[0].lowercased()] else {
            throw SupabaseFailure(404, .userNotFound, "User not found")
        }
        switch (call.method, path.dropFirst()) {
        case ("GET", []): break
        case ("PUT", []):
            let confirmed = person.confirmedAt
            try update(&person, call.body())
            return SupabaseReply.json(json(people[person.id] ?? person, confirmedAt: confirmed))
        case ("DELETE", []):
            let isSoft =
                try call.request.body.isEmpty ? false : call.body().bool(SupabaseWire.shouldSoftDelete) ?? false
            delete(person, isSoft: isSoft)
            return SupabaseReply.json([:])
        case ("GET", ["factors"]): return SupabaseReply.json(.array(person.factors.map(json)))
        case ("DELETE", let rest) where rest.count == 2 && rest.first == "factors":
            guard let id = rest.last, UUIDText.isValid(id) else {
                throw .validation("factor_id must be an UUID", status: 404)
            }
            guard let factor = person.factors.first(where: { $0.id == id.lowercased() }) else {
                throw SupabaseFailure(404, .mfaFactorNotFound, "Factor not found")
            }
            remove(factor: factor.id, of: person)
            return SupabaseReply.json(json(factor))
        default: return SupabaseReply.notFound
        }
        return SupabaseReply.json(json(people[person.id] ?? person))
    }

    /// Returns a page of all users, the newest first. Its links are paths without a host, as from a service behind
    /// a gateway.
    private func listUsers(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        let (page, size) = try page(of: call)
        let everybody = people.all.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
        let (start, isBeyond) = (page - 1).multipliedReportingOverflow(by: size)
        let shown = isBeyond ? [] : everybody.dropFirst(start).prefix(size)
        let document: JSON = ["users": .array(shown.map { listed($0) }), "aud": "authenticated"]
        return paged(document, count: everybody.count, size: size, call)
    }

    /// Returns the number of the page that is asked for, from 1, and how many a page has.
    private func page(of call: SupabaseCall) throws(SupabaseFailure) -> (page: Int, size: Int) {
        func number(_ name: String, _ usual: Int) throws(SupabaseFailure) -> Int {
            guard let text = call.query(name) else { return usual }
            guard let number = Int(text), number >= 0 else {
                throw .validation("Bad Pagination Parameters: \(name) is no number")
            }
            return number
        }
        let page = max(1, try number("page", 1))
        let size = try number("per_page", 50)
        guard size > 0 else { throw .validation("Bad Pagination Parameters: per_page must be greater than 0") }
        return (page, size)
    }

    private func paged(_ document: JSON, count: Int, size: Int, _ call: SupabaseCall) -> ServerResponse {
        var response = SupabaseReply.json(document)
        response.set("X-Total-Count", String(count))
        let page = max(1, call.query("page").flatMap { Int($0) } ?? 1)
        let last = count / size + (count % size > 0 ? 1 : 0)
        func link(_ page: Int, _ name: String) -> String {
            var query = Dictionary(call.request.queryPairs.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
            query["page"] = String(page)
            return "</\(call.path.joined(separator: "/"))?\(Self.encoded(query))>; rel=\"\(name)\""
        }
        response.set(
            "Link", ((page < last ? [link(page + 1, "next")] : []) + [link(last, "last")]).joined(separator: ", "))
        return response
    }
}
