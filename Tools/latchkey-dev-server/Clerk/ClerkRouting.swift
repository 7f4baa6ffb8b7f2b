import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

extension DevState {
    /// Acts on a request to the dialect and answers it.
    mutating func answerClerk(_ request: ServerRequest, now: Double, note: inout Note) -> ServerResponse {
        clerk.settings = configuration.clerk
        clerk.now = now
        clerk.wall = now + Double(configuration.clockSkew)
        if request.path == "\(ClerkCall.prefix)/.well-known/jwks.json" {
            return .json(clerk.keys.document.serialized())
        }
        if request.path.hasPrefix(ClerkState.browserPath) { return clerk.visit(request) }
        if request.path == ClerkState.linkPath { return clerk.openLink(request) }
        defer {
            for message in clerk.unread { supabase.inbox.add(message) }
            clerk.unread = []
        }
        do throws(ClerkRefusal) {
            if ClerkBackendCall.covers(request) {
                return try clerk.answer(backend: ClerkBackendCall(request, clerk.settings))
            }
            try ClerkState.refuseAbsent(request)
            let call = try ClerkCall(request, clerk.settings)
            return try call.isNative ? clerk.answer(call) : clerk.answer(page: call)
        } catch {
            note.outcome = error.code
            return error.response
        }
    }
}

/// The content of an answer.
enum ClerkReply {
    /// A value in the envelope, with the client beside it.
    case wrapped(JSON)
    /// A value in the envelope, with no client beside it, because it is the client.
    case cleared(JSON)
    /// A value without the envelope: tokens, the environment.
    case bare(JSON)
}

extension ClerkState {
    mutating func answer(_ call: ClerkCall) throws(ClerkRefusal) -> ServerResponse {
        let path = call.path.first == "client" ? Array(call.path.dropFirst()) : []
        guard call.path.first == "client" else { return try answerOther(call) }
        let method = call.method
        if path.isEmpty { return try answerClient(call) }
        if let answer = try answerAside(call, path) { return answer }
        // Without a token, or with a replaced one, an attempt begins on a client of its own.
        let isBeginning = method == "POST" && (path == ["sign_ins"] || path == ["sign_ups"])
        var client: ClerkClient
        if let found = current(call) {
            client = found
        } else {
            guard isBeginning else { throw ClerkRefusal(401, "authentication_invalid") }
            client = newClient()
        }
        let before = client.token
        let signedIn = client.signedIn.count
        let reply: ClerkReply
        do throws(ClerkRefusal) {
            reply =
                switch path.first {
                case "sign_ins": try answerSignIn(call, Array(path.dropFirst()), &client)
                case "sign_ups": try answerSignUp(call, Array(path.dropFirst()), &client)
                case "sessions": try answerSession(call, Array(path.dropFirst()), &client)
                case "magic_links" where path == ["magic_links", "complete"]: try completeLink(call, &client)
                default: throw ClerkRefusal(404, "resource_not_found")
                }
        } catch {
            clients[client.id] = client
            throw error
        }
        client.updatedAt = wall
        let isBack = call.nonce != nil
        if settings.rotatesAlways || client.signedIn.count > signedIn || isBack {
            let isMint = path.count > 2 && path[0] == "sessions" && path[2] == "tokens"
            client.older = isMint ? client.older.union([client.token]) : []
            client.token = newToken(client.id)
        }
        clients[client.id] = client
        return response(reply, client, isNew: client.token != before || isBeginning && current(call) == nil)
    }

    /// Returns the token's client, if the token is that client's newest one.
    func current(_ call: ClerkCall) -> ClerkClient? {
        guard let token = call.token, let id = Self.clientID(token), let client = clients[id],
            client.token == token || client.older.contains(token)
        else { return nil }
        return client
    }

    /// Answers as the service does, which can make programs lose sessions: an old token gets a success, with a new
    /// and empty client.
    private mutating func answerClient(_ call: ClerkCall) throws(ClerkRefusal) -> ServerResponse {
        switch call.method {
        case "GET":
            // Nothing here sends a browser back with a nonce for the client itself.
            if call.form["rotating_token_nonce"] != nil { throw ClerkRefusal(403, "sync_nonce_already_consumed") }
            if let client = current(call) { return response(.wrapped(object(client)), nil, isNew: false, of: client) }
            guard call.token != nil else { return response(.wrapped(.null), nil, isNew: false) }
            let client = newClient()
            clients[client.id] = client
            return response(.wrapped(object(client)), nil, isNew: true, of: client)
        case "POST", "PUT":
            let client = newClient()
            clients[client.id] = client
            return response(.wrapped(object(client)), nil, isNew: true, of: client)
        case "DELETE":
            guard let client = current(call) else { throw ClerkRefusal(404, "resource_not_found") }
            clients[client.id] = nil
            // The service sends an empty client token too, which libmicrohttpd does not write.
            return response(.wrapped(.null), nil, isNew: false)
        default: throw ClerkRefusal(405, "bad_request")
        }
    }

    private mutating func answerOther(_ call: ClerkCall) throws(ClerkRefusal) -> ServerResponse {
        if let answer = try answerPublic(call) { return answer }
        guard ["me", "organizations"].contains(call.path.first) else { throw ClerkRefusal(404, "resource_not_found") }
        guard let client = current(call) else { throw ClerkRefusal(401, "signed_out") }
        let wanted = call.request.queryPairs.first { $0.name == "_clerk_session_id" }?.value
        guard let session = client.signedIn.first(where: { $0.id == wanted }) else {
            throw ClerkRefusal(401, "signed_out")
        }
        let reply =
            try call.path.first == "me" ? answerPerson(call, session) : answerOrganizations(call, session)
        clients[client.id]?.updatedAt = wall
        // The call may have ended sessions of this client.
        guard settings.rotatesAlways, var present = clients[client.id] else {
            return response(reply, clients[client.id], isNew: false)
        }
        (present.token, present.older) = (newToken(present.id), [])
        clients[present.id] = present
        return response(reply, present, isNew: true)
    }

    func newClient() -> ClerkClient {
        let id = Self.name("client")
        return ClerkClient(id: id, token: newToken(id), createdAt: wall, updatedAt: wall)
    }

    /// Creates a client token. It needs no signature, because only the client's newest token is valid.
    private func newToken(_ client: String) -> String {
        let claims: JSON = [
            "id": .string(client), "rotating_token": .string(Self.name("rt")), "iat": .integer(Int64(wall)),
        ]
        let header: JSON = ["alg": "none"]
        let parts = [header.serialized(), claims.serialized(), SecureRandom.bytes(32)]
        return parts.map { Base64URL.encode($0) }.joined(separator: ".")
    }

    static func clientID(_ token: String) -> String? {
        let parts = token.split(separator: ".")
        guard parts.count == 3, let bytes = try? Base64URL.decode(parts[1]) else { return nil }
        return (try? JSON.parse(bytes))?["id"]?.string
    }

    func response(
        _ reply: ClerkReply, _ client: ClerkClient?, isNew: Bool, of owner: ClerkClient? = nil
    ) -> ServerResponse {
        var answer: ServerResponse
        switch reply {
        case .bare(let json): answer = .json(json.serialized())
        case .cleared(let json):
            let envelope: JSON = ["response": json, "client": .null]
            answer = .json(envelope.serialized())
        case .wrapped(let json):
            let envelope: JSON = ["response": json, "client": client.map { object($0) } ?? .null]
            answer = .json(envelope.serialized())
        }
        if isNew, let token = (client ?? owner)?.token { answer.set("Authorization", token) }
        return answer
    }
}
