import LatchkeyHTTPServer
import LatchkeyJSON

/// Pages in a browser, as they use a development instance: the browser has a token of its own, which stands for its
/// client, because cookies of another site may not reach the service.
extension ClerkState {
    /// Answers a page. A client token never goes to one.
    mutating func answer(page call: ClerkCall) throws(ClerkRefusal) -> ServerResponse {
        if call.path == ["dev_browser"], call.method == "POST" {
            let id = Self.name("dvb")
            browsers[id] = ""
            let answer: JSON = ["object": "dev_browser", "id": .string(id), "home_origin": .null]
            return .json(answer.serialized())
        }
        if call.path == ["environment"] { return try answer(call) }
        let browser = call.query("__clerk_db_jwt") ?? call.request.field("Clerk-Db-Jwt") ?? ""
        guard let client = browsers[browser] else { throw ClerkRefusal(401, "dev_browser_unauthenticated") }
        var call = call
        call.token = clients[client]?.token
        pageOrigin = CrossOrigin.origin(of: call.request)
        defer { pageOrigin = nil }
        var answer = try answer(call)
        if let token = answer.field("Authorization") {
            browsers[browser] = Self.clientID(token) ?? ""
            answer.fields.removeAll { $0.name == "Authorization" }
        }
        return answer
    }
}

/// The CORS protocol of the dialect: pages of every origin may ask with cookies, which the service allows to the origins
/// of its instance. Answers to native programs stay closed.
enum ClerkCrossOrigin {
    static func covers(_ request: ServerRequest) -> Bool {
        request.path.hasPrefix("\(ClerkCall.prefix)/") && !request.queryPairs.contains { $0.name == "_is_native" }
    }

    static func preflight(_ request: ServerRequest) -> ServerResponse {
        var response = shared(ServerResponse(status: 204), with: request)
        response.set(CrossOrigin.allowMethods, "GET, POST, PUT, PATCH, DELETE, OPTIONS")
        if let asked = request.field(CrossOrigin.requestHeaders) { response.set(CrossOrigin.allowHeaders, asked) }
        return response
    }

    static func shared(_ response: ServerResponse, with request: ServerRequest) -> ServerResponse {
        guard let origin = CrossOrigin.origin(of: request) else { return response }
        var response = response
        response.set(CrossOrigin.allowOrigin, origin)
        response.set(CrossOrigin.allowCredentials, "true")
        response.set(CrossOrigin.exposeHeaders, "Authorization, Clerk-Db-Jwt, Retry-After, x-country")
        response.set("Vary", "Origin")
        return response
    }
}
