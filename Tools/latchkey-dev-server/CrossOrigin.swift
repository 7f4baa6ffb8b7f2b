import LatchkeyHTTPServer
import LatchkeySystem

/// Answers to web pages of other origins, as the CORS protocol of the Fetch standard has them
/// (https://fetch.spec.whatwg.org/#http-cors-protocol).
///
/// Every origin may read an answer, and none may send cookies. The pages of this server, `/inbox`, `/control/` and what
/// the Clerk dialect says to native programs stay closed.
extension DevServer {
    /// Returns the answer to a preflight; `nil` if the request is none, or if its endpoint is closed to other origins.
    func preflight(_ request: ServerRequest) -> ServerResponse? {
        guard CrossOrigin.isPreflight(request) else { return nil }
        if SupabaseCrossOrigin.covers(request.path) {
            return SupabaseCrossOrigin.preflight(request, hasGateway: hasGateway)
        }
        if ClerkCrossOrigin.covers(request) { return ClerkCrossOrigin.preflight(request) }
        guard let endpoint = Endpoint(path: request.path), endpoint.isOpenToOrigins else { return nil }
        return CrossOrigin.preflight(methods: endpoint.methods)
    }

    /// Returns the answer with the fields by which a page of another origin may read it.
    func shared(_ response: ServerResponse, with request: ServerRequest) -> ServerResponse {
        guard CrossOrigin.origin(of: request) != nil else { return response }
        if SupabaseCrossOrigin.covers(request.path) {
            return SupabaseCrossOrigin.shared(response, with: request, hasGateway: hasGateway)
        }
        if ClerkCrossOrigin.covers(request) { return ClerkCrossOrigin.shared(response, with: request) }
        guard let endpoint = Endpoint(path: request.path), endpoint.isOpenToOrigins else { return response }
        return CrossOrigin.shared(response)
    }

    private var hasGateway: Bool { state.withLock { $0.configuration.supabase.publishableKey != nil } }
}

extension DevServer.Endpoint {
    /// Whether programs that run in a browser call this endpoint themselves, as opposed to visiting it. A client in a
    /// browser needs these (draft-ietf-oauth-browser-based-apps, section 6.3.2.1); the authorization endpoint must not
    /// answer to other origins (RFC 9700, section 2.6).
    var isOpenToOrigins: Bool {
        switch self {
        case .discovery, .keys, .token, .revocation, .userinfo, .resource: true
        default: false
        }
    }
}

/// The fields of the CORS protocol for the OAuth side.
enum CrossOrigin {
    static let allowOrigin = "Access-Control-Allow-Origin"
    static let allowMethods = "Access-Control-Allow-Methods"
    static let allowHeaders = "Access-Control-Allow-Headers"
    static let allowCredentials = "Access-Control-Allow-Credentials"
    static let exposeHeaders = "Access-Control-Expose-Headers"
    static let requestMethod = "Access-Control-Request-Method"
    static let requestHeaders = "Access-Control-Request-Headers"

    /// Returns the origin of the page that sends the request; `nil` if no page of another origin does.
    static func origin(of request: ServerRequest) -> String? {
        request.field("Origin").flatMap { $0.isEmpty ? nil : $0 }
    }

    static func isPreflight(_ request: ServerRequest) -> Bool {
        request.method == "OPTIONS" && origin(of: request) != nil && request.field(requestMethod)?.isEmpty == false
    }

    static func preflight(methods: [String]) -> ServerResponse {
        ServerResponse(
            status: 204,
            fields: [
                (allowOrigin, "*"), (allowMethods, methods.joined(separator: ", ")),
                (allowHeaders, "Authorization, Content-Type"),
            ])
    }

    static func shared(_ response: ServerResponse) -> ServerResponse {
        var response = response
        response.set(allowOrigin, "*")
        response.set(exposeHeaders, "WWW-Authenticate, Retry-After")
        return response
    }
}
