import LatchkeyHTTPServer

/// The CORS protocol of the dialect, as of GoTrue behind Kong with its plain `cors` plugin, which is the gateway of a
/// self-hosted project; and as of GoTrue alone, if the server has no gateway.
///
/// The gateway answers preflights before it looks for a key (`kong/plugins/cors/handler.lua`). GoTrue alone allows no
/// `apikey`, no `PATCH` (`internal/api/api.go`, whose library is rs/cors). Both allow every origin. GoTrue allows
/// credentials with `*`, a pair that browsers refuse: no page reads an answer to a request with cookies.
enum SupabaseCrossOrigin {
    private static let gatewayMethods = "GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT"
    private static let methods = ["GET", "POST", "PUT", "DELETE"]
    private static let headers: Set = [
        "accept", "authorization", "content-type", "x-client-ip", "x-client-info", "x-jwt-aud", "x-use-cookie",
        "x-supabase-api-version", "origin",
    ]
    private static let exposed = "X-Total-Count, Link, X-Supabase-Api-Version"

    static func covers(_ path: String) -> Bool {
        path == SupabaseCall.prefix || path.hasPrefix(SupabaseCall.prefix + "/")
    }

    static func preflight(_ request: ServerRequest, hasGateway: Bool) -> ServerResponse {
        let asked = request.field(CrossOrigin.requestHeaders)
        guard !hasGateway else {
            var response = ServerResponse(status: 200, fields: [(CrossOrigin.allowOrigin, "*")])
            if let asked { response.set(CrossOrigin.allowHeaders, asked) }
            response.set(CrossOrigin.allowMethods, gatewayMethods)
            return response
        }
        var response = ServerResponse(
            status: 204,
            fields: [("Vary", "Origin, \(CrossOrigin.requestMethod), \(CrossOrigin.requestHeaders)")])
        let method = request.field(CrossOrigin.requestMethod)?.uppercased() ?? ""
        let names = (asked ?? "").split(whereSeparator: { $0 == "," || $0 == " " }).map { $0.lowercased() }
        // The library says nothing at all to what it does not allow, and the browser takes that as a refusal.
        guard methods.contains(method) || method == "OPTIONS", names.allSatisfy(headers.contains) else {
            return response
        }
        response.set(CrossOrigin.allowOrigin, "*")
        response.set(CrossOrigin.allowMethods, method)
        if let asked, !names.isEmpty { response.set(CrossOrigin.allowHeaders, asked) }
        response.set(CrossOrigin.allowCredentials, "true")
        return response
    }

    static func shared(_ response: ServerResponse, with request: ServerRequest, hasGateway: Bool) -> ServerResponse {
        guard hasGateway || methods.contains(request.method) || request.method == "OPTIONS" else { return response }
        var response = response
        response.set(CrossOrigin.allowOrigin, "*")
        // The service's own answers have `Vary`, the gateway's have not.
        if response.field("Vary") != nil, methods.contains(request.method) || request.method == "OPTIONS" {
            response.set(CrossOrigin.exposeHeaders, exposed)
            response.set(CrossOrigin.allowCredentials, "true")
        }
        return response
    }
}
