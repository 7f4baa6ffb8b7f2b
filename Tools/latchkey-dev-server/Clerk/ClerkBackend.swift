import LatchkeyHTTPServer
import LatchkeyJSON

/// One parsed request of a program that has the instance's secret key.
struct ClerkBackendCall {
    let request: ServerRequest
    /// The parts of the path below the version.
    let path: [String]
    let body: [String: JSON]

    /// Whether a request is one to the Backend API. It has the same address as the Frontend API, with the secret key as a
    /// bearer token.
    static func covers(_ request: ServerRequest) -> Bool {
        request.path.hasPrefix("\(ClerkCall.prefix)/v1/")
            && request.field("Authorization")?.hasPrefix("Bearer ") == true
            && !request.queryPairs.contains { $0.name == "_is_native" }
    }

    init(_ request: ServerRequest, _ settings: DevServer.Clerk) throws(ClerkRefusal) {
        self.request = request
        path = request.path.dropFirst("\(ClerkCall.prefix)/v1".count).split(separator: "/").map(String.init)
        guard request.field("Authorization") == "Bearer \(settings.secretKey)" else {
            throw ClerkRefusal(401, "clerk_key_invalid")
        }
        guard !request.body.isEmpty, request.field("Content-Type")?.hasPrefix("multipart/") != true else {
            body = [:]
            return
        }
        guard let object = (try? JSON.parse(request.body))?.object else {
            throw ClerkRefusal(400, "request_body_invalid")
        }
        body = object
    }

    var method: String { request.method }

    /// The texts of the body.
    var form: [String: String] { body.compactMapValues(\.string) }

    func queries(_ name: String) -> [String] {
        request.queryPairs.filter { $0.name == name && !$0.value.isEmpty }.map(\.value)
    }

    func number(_ name: String) -> Int? { queries(name).first.flatMap { Int($0) } }

    func required(_ name: String) throws(ClerkRefusal) -> String {
        guard let value = body[name]?.string, !value.isEmpty else {
            throw ClerkRefusal(422, "form_param_missing", ["param_name": .string(name)])
        }
        return value
    }
}

/// The part of the Backend API that servers use for people, sessions, sign-in tokens and organizations.
extension ClerkState {
    mutating func answer(backend call: ClerkBackendCall) throws(ClerkRefusal) -> ServerResponse {
        let rest = Array(call.path.dropFirst())
        switch call.path.first {
        case "jwks" where call.method == "GET" && rest.isEmpty: return .json(keys.document.serialized())
        case "users": return .json(try answerUsers(call, rest).serialized())
        case "sessions": return .json(try answerBackendSessions(call, rest).serialized())
        case "clients": return .json(try answerClients(call, rest).serialized())
        case "sign_in_tokens": return .json(try answerSignInTokens(call, rest).serialized())
        case "organization_memberships" where call.method == "GET" && rest.isEmpty:
            let all = people.values.sorted { $0.id < $1.id }.flatMap { person in
                person.organizations.keys.sorted().map { membership($0, person) }
            }
            return .json(page(call, all).serialized())
        case "organizations": return .json(try answerBackendOrganizations(call, rest).serialized())
        case "testing_tokens" where call.method == "POST":
            let token: JSON = [
                "object": "testing_token", "token": .string(Self.name("tt")), "expires_at": time(wall + 3_600),
            ]
            return .json(token.serialized())
        case "api_keys", "m2m_tokens", "machines", "oauth_applications": throw Self.absent
        default: throw ClerkRefusal(404, "resource_not_found")
        }
    }

    func page(_ call: ClerkBackendCall, _ all: [JSON]) -> JSON {
        ["data": .array(part(call, all)), "total_count": .integer(Int64(all.count))]
    }

    func part(_ call: ClerkBackendCall, _ all: [JSON]) -> [JSON] {
        let limit = min(max(0, call.number("limit") ?? 10), settings.pageLimit)
        return Array(all.dropFirst(max(0, call.number("offset") ?? 0)).prefix(limit))
    }

    // MARK: Sessions and clients

    private func object(backend session: ClerkSession, of client: String) -> JSON {
        guard case .object(var members) = object(session, withUser: false) else { return .null }
        for name in ["user", "last_active_token", "public_user_data", "factor_verification_age"] { members[name] = nil }
        members["client_id"] = .string(client)
        members["user_id"] = .string(session.person)
        if session.organization == nil { members["last_active_organization_id"] = nil }
        return .object(members)
    }

    private mutating func answerBackendSessions(
        _ call: ClerkBackendCall, _ path: [String]
    ) throws(ClerkRefusal) -> JSON {
        guard let id = path.first else {
            if call.method == "POST" { return try makeSession(of: try call.required("user_id")) }
            let (users, states) = (call.queries("user_id"), call.queries("status"))
            let found = clients.all.flatMap { client in client.sessions.map { (client.id, $0) } }.filter { entry in
                (users.isEmpty || users.contains(entry.1.person))
                    && (states.isEmpty || states.contains(status(of: entry.1)))
            }
            return page(call, found.sorted { $0.1.id < $1.1.id }.map { object(backend: $0.1, of: $0.0) })
        }
        guard let client = clients.all.first(where: { $0.sessions.contains { $0.id == id } }),
            let session = client.sessions.first(where: { $0.id == id })
        else { throw ClerkRefusal(404, "resource_not_found") }
        switch (call.method, path.dropFirst().first) {
        case ("GET", nil): return object(backend: session, of: client.id)
        case ("POST", "revoke"):
            endSessions("revoked") { $0.id == id }
            let ended = clients[client.id]?.sessions.first { $0.id == id } ?? session
            return object(backend: ended, of: client.id)
        case ("POST", "tokens") where session.ending == nil:
            if path.count > 2 { return token(try token(session, template: path[2])) }
            return token(try token(session, organization: session.organization))
        case ("POST", "verify") where session.ending == nil: return object(backend: session, of: client.id)
        default: throw ClerkRefusal(404, "resource_not_found")
        }
    }

    private mutating func makeSession(of person: String) throws(ClerkRefusal) -> JSON {
        guard people[person] != nil else { throw ClerkRefusal(404, "resource_not_found") }
        var client = newClient()
        _ = makeSession(person, &client, hasSecond: false)
        clients[client.id] = client
        return client.sessions.first.map { object(backend: $0, of: client.id) } ?? .null
    }

    private func answerClients(_ call: ClerkBackendCall, _ path: [String]) throws(ClerkRefusal) -> JSON {
        if call.method == "GET", path.isEmpty {
            return page(call, clients.all.sorted { $0.id < $1.id }.map(object(backend:)))
        }
        let id = path == ["verify"] ? Self.subject(call.body["token"]?.string ?? "") : path.first
        let client = clients.all.first { client in
            client.id == id || path == ["verify"] && client.sessions.contains { $0.id == id }
        }
        guard let client else { throw ClerkRefusal(404, "resource_not_found") }
        return object(backend: client)
    }

    /// Returns the session that a session token names, or the client that a client token names.
    private static func subject(_ token: String) -> String? {
        let parts = token.split(separator: ".")
        guard parts.count == 3 else { return nil }
        return SupabaseState.document(parts[1])?["sid"]?.string ?? clientID(token)
    }

    private func object(backend client: ClerkClient) -> JSON {
        [
            "object": "client", "id": .string(client.id),
            "session_ids": .array(client.sessions.map { .string($0.id) }),
            "sessions": .array(client.sessions.map { object(backend: $0, of: client.id) }),
            "sign_in_id": text(client.signIn?.id), "sign_up_id": text(client.signUp?.id),
            "last_active_session_id": text(client.lastActive),
            "last_authentication_strategy": text(client.lastStrategy),
            "created_at": time(client.createdAt), "updated_at": time(client.updatedAt),
        ]
    }
}
