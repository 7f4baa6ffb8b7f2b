import Latchkey
import LatchkeyOAuthCore

/// One case of each kind, in the project's own words, for a clone without the recordings.
extension ServerRecording {
    static let own = ServerRecording(
        "own",
        documents + redirects + codes + refreshes + polls + revocations + devices + others)

    private static let origin = "http://127.0.0.1:7000"

    private static func answer(
        _ name: String, _ path: String, _ status: Int, _ body: String = "", method: String = "POST",
        form: [(String, String)] = [], _ fields: [(String, String)] = []
    ) -> ServerAnswer {
        var lines = HeaderFields()
        for (field, value) in fields { lines.add(field, value) }
        return ServerAnswer(
            server: "own", name: name, at: 1_795_645_816, method: method, url: origin + path,
            form: FormParameters(form.map { (name: $0.0, value: $0.1) }), authorization: nil,
            response: status == 0 ? nil : TransportResponse(status: status, fields: lines, body: Array(body.utf8)))
    }

    private static func grant(
        _ type: String, _ name: String, _ status: Int, _ body: String, _ more: [(String, String)] = []
    ) -> ServerAnswer {
        answer(name, "/token", status, body, form: [("grant_type", type), ("client_id", "client")] + more)
    }

    private static func error(_ code: String) -> String { "{\"error\":\"\(code)\"}" }

    private static let tokens = #"{"access_token":"access-token-1","refresh_token":"refresh-token-2"}"#
    private static let html = "<html><body>Not here</body></html>"

    private static let documents = [
        answer(
            "discovery: the document", "/.well-known/openid-configuration", 200,
            "{\"issuer\":\"\(origin)\",\"token_endpoint\":\"\(origin)/token\","
                + "\"authorization_endpoint\":\"\(origin)/authorize\",\"jwks_uri\":\"\(origin)/jwks\"}",
            method: "GET"),
        answer(
            "discovery: another issuer", "/other/.well-known/openid-configuration", 200,
            "{\"issuer\":\"https://else.example.test\",\"token_endpoint\":\"\(origin)/token\"}", method: "GET"),
        answer("discovery: none", "/none/.well-known/openid-configuration", 404, html, method: "GET"),
        answer("discovery: nothing", "/empty/.well-known/openid-configuration", 200, method: "HEAD"),
        answer(
            "discovery: sign-in page", "/in/.well-known/openid-configuration", 302, method: "GET",
            [("Location", "/login")]),
        answer("keys: a set", "/jwks", 200, #"{"keys":[]}"#, method: "GET"),
        answer("keys: by another method", "/jwks", 405, "method not allowed"),
    ]

    private static func redirect(_ name: String, _ query: String) -> ServerAnswer {
        answer(
            "authorize: \(name)", "/authorize?state=s", 302, method: "GET",
            [("Location", "http://127.0.0.1:4613/callback?\(query)")])
    }

    private static let redirects = [
        redirect("a code", "code=authorization-code-1&state=s"),
        redirect("denied", "error=access_denied&state=s"),
        redirect("unknown scope", "error=invalid_scope&state=s"),
        redirect("another scope than the grant's", "error=server_error&state=s"),
        redirect("no page allowed", "error=login_required&state=s"),
        redirect("a short state", "error=invalid_state&state=s"),
        redirect("no state", "code=authorization-code-1"),
        answer("authorize: login page", "/authorize", 302, method: "GET", [("Location", "/login")]),
        answer("authorize: denied with a page", "/authorize", 500, html, method: "GET"),
    ]

    private static let codes =
        [
            ("right", 200, tokens), ("again", 400, error("invalid_grant")), ("garbage", 401, error("invalid_grant")),
            ("spent, told as the client's", 400, error("unauthorized_client")),
            ("wrong verifier, told as the client's", 401, error("invalid_request")),
            ("wrong verifier", 400, error("expired_token")), ("wrong secret", 401, error("invalid_client")),
            ("another redirect", 400, error("invalid_redirect_uri")), ("surplus verifier", 500, error("server_error")),
            ("missing verifier", 401, ""), ("used twice", 400, error("invalid_request")),
        ].map { grant("authorization_code", "code: \($0.0)", $0.1, $0.2, [("code", "authorization-code-1")]) }

    private static let refreshes =
        [
            ("right", 200, tokens), ("spent token", 400, error("invalid_grant")),
            ("spent token, with another status", 401, error("invalid_grant")),
            ("spent token, as the request's", 400, error("invalid_request")),
            ("spent token, as the client's", 400, error("unauthorized_client")),
            ("garbage, as the client's", 401, error("invalid_request")),
            ("wrong secret", 401, error("invalid_client")),
            ("wrong secret, in another word", 401, error("unauthorized_client")),
            ("lost race", 500, ""), ("lost race, with a code", 500, error("invalid_request")),
            ("unknown resource", 400, error("invalid_target")), ("another origin", 403, error("Invalid origin")),
            ("by a public client", 401, ""), ("with a slash", 302, ""), ("too many", 429, error("too_many_requests")),
            ("no answer", 0, ""),
        ].map { grant("refresh_token", "refresh: \($0.0)", $0.1, $0.2, [("refresh_token", "refresh-token-1")]) }

    private static let polls =
        [
            ("approved", 200, tokens), ("pending", 400, error("authorization_pending")),
            ("too fast", 400, error("slow_down")), ("denied", 403, error("access_denied")),
            ("after its end", 400, error("expired_token")), ("used twice", 400, error("invalid_grant")),
            ("no person", 500, error("server_error")),
        ].map {
            grant(
                "urn:ietf:params:oauth:grant-type:device_code", "device: \($0.0)", $0.1, $0.2,
                [("device_code", "device-code-1")])
        }

    private static let revocations =
        [
            ("right", 200, ""), ("empty object", 200, "{}"), ("unknown, with a code", 200, error("invalid_token")),
            ("unknown", 400, error("invalid_request")), ("a JWT", 400, error("unsupported_token_type")),
            ("another client's", 400, error("invalid_grant")), ("by a public client", 401, ""),
            ("wrong secret", 401, error("invalid_client")), ("no such address", 404, html),
        ].map { answer("revoke: \($0.0)", "/revoke", $0.1, $0.2, form: [("token", "refresh-token-1")]) }

    private static let devices = [
        answer(
            "device: codes", "/device_authorization", 200,
            "{\"device_code\":\"device-code-1\",\"user_code\":\"ABCD\",\"expires_in\":600,"
                + "\"verification_uri\":\"\(origin)/device\"}"),
        answer("device: unknown client", "/device_authorization", 401, error("invalid_client")),
        answer("device: scope", "/device_authorization", 400, error("invalid_scope")),
        answer("device: broken escapes", "/device_authorization", 500, error("unknown_error")),
        answer("device: by GET", "/device_authorization", 404, html, method: "GET"),
    ]

    private static let others = [
        grant("client_credentials", "client credentials: right", 200, tokens),
        grant("client_credentials", "client credentials: a public client", 400, error("unauthorized_client")),
        grant("client_credentials", "client credentials: not offered", 400, error("unsupported_grant_type")),
        grant("client_credentials", "client credentials: words", 400, error("missing `provider`")),
        answer("userinfo: right", "/userinfo", 200, #"{"sub":"somebody"}"#, method: "GET"),
        answer("userinfo: bad token", "/userinfo", 401, "", method: "GET"),
        answer("userinfo: denied", "/userinfo", 403, error("access_denied"), method: "GET"),
        answer(
            "userinfo: a person who is blocked", "/userinfo", 200, html, method: "GET", [("Content-Type", "text/html")]),
        answer("userinfo: without openid", "/userinfo", 200, #"{"email":"ada@example.test"}"#, method: "GET"),
        answer("userinfo: scope", "/userinfo", 403, error("insufficient_scope"), method: "GET"),
        answer("userinfo: fault", "/userinfo", 500, "", method: "GET"),
        answer("introspect: right", "/introspect", 200, #"{"active":false}"#),
        answer("introspect: no client", "/introspect", 401, error("invalid_client")),
        answer(
            "mcp: scope", "/mcp", 403, error("insufficient_scope"),
            [("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"tools\"")]),
    ]
}
