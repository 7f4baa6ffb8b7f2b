import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore
import Proofs
import Testing

@Suite("The token answer (RFC 6749, section 5.1)")
struct TokenResponseTests {
    private func read(_ text: String) throws(JSONError) -> TokenResponse { try TokenResponse.read(Array(text.utf8)) }

    @Test("all members, and those that nobody knows", .standard(45))
    func everything() throws {
        let answer = try read(
            #"{"access_token":"a.b~c","token_type":"bEaReR","expires_in":60,"refresh_token":"r","scope":"x  y","#
                + #""id_token":"i","refresh_expires_in":0,"not-before-policy":0,"nested":{"a":[1]}}"#)
        #expect(answer.accessToken == Secret("a.b~c") && answer.scheme == "Bearer" && answer.expiresIn == .seconds(60))
        #expect(answer.refreshToken == Secret("r") && answer.idToken == Secret("i") && answer.scopes == ["x", "y"])
        #expect("\(answer)" == "token answer")
    }

    @Test("an access token alone is enough; what is absent is unknown")
    func leanest() throws {
        let answer = try read(#"{"access_token":"a","refresh_token":"","scope":"","expires_in":null}"#)
        #expect(
            answer.expiresIn == nil && answer.refreshToken == nil && answer.scopes == nil && answer.scheme == "Bearer")
    }

    @Test(
        "a scope that cannot be one makes all of them unknown",
        arguments: [
            #""a \u001b[2J""#, #""a\r\nb""#, #""a\u202eb""#, #""a \"b""#, #""a\\b""#, #""é""#, #"["a","b c"]"#,
            #"["a","$(x)\u0001"]"#, #""a\tb""#,
        ])
    func hostileScopes(_ scope: String) throws {
        let answer = try read(#"{"access_token":"a","scope":\#(scope)}"#)
        #expect(answer.scopes == nil && answer.hasUnknownScopes)
    }

    @Test("no access token has a scope that cannot be one, whichever provider made it")
    func tokenScopes() throws {
        for bad in ["", "a b", "\u{1B}[2J", "a\"", "a\\", "é", "a\n"] {
            #expect(AccessToken(Secret("t"), scopes: ["x", bad]).scopes == nil)
            var token = AccessToken(Secret("t"), scopes: ["x"])
            token.scopes = [bad]
            #expect(token.scopes == nil)
        }
        #expect(AccessToken(Secret("t"), scopes: ["x:y", "https://a/b"]).scopes == ["x:y", "https://a/b"])
        #expect(!(try read(#"{"access_token":"a","scope":"x,y"}"#)).hasUnknownScopes)
    }

    @Test(
        "a lifetime is read however it is written",
        arguments: [
            Row(#""3600""#, #""3600""#, Duration.seconds(3_600)), Row("60.9", "60.9", .seconds(60.9)),
            Row("0", "0", .zero), Row("-5", "-5", .zero), Row("1e300", "1e300", Lifetime.longest),
            Row("9223372036854775807", "9223372036854775807", Lifetime.longest), Row("soon", #""soon""#, nil),
            Row("empty", #""""#, nil), Row("with spaces", #"" 3600 ""#, .seconds(3_600)),
            Row("true", "true", nil), Row("a list", "[60]", nil), Row("NaN", #""nan""#, nil),
        ] as [Row<String, Duration?>])
    func lifetimes(_ row: Row<String, Duration?>) throws {
        #expect(try read(#"{"access_token":"a","expires_in":\#(row.input)}"#).expiresIn == row.expected)
    }

    @Test("a JWT's own end counts if it is earlier, and nanoseconds are no lifetime")
    func ownLifetime() throws {
        func token(_ claims: String) -> String { "eyJhbGciOiJSUzI1NiJ9.\(Base64URL.encode(Array(claims.utf8))).AAAA" }
        func lasts(_ token: String, _ told: String?) throws -> Duration? {
            try read(#"{"access_token":"\#(token)"\#(told.map { #","expires_in":\#($0)"# } ?? "")}"#).accessLasts
        }
        let minute = token(#"{"iat":1000,"exp":1060}"#)
        #expect(try lasts(minute, "40000000000") == .seconds(60) && lasts(minute, nil) == .seconds(60))
        #expect(try lasts(minute, "30") == .seconds(30) && lasts(minute, "3600") == .seconds(60))
        for claims in [
            #"{"exp":1060}"#, #"{"iat":1000}"#, #"{"iat":1060,"exp":1000}"#, #"{"iat":"a","exp":[]}"#, "[]", "x",
        ] {
            #expect(
                try lasts(token(claims), "3600") == .seconds(3_600) && lasts(token(claims), nil) == nil, "\(claims)")
        }
        #expect(try lasts("opaque", "40000000000") == nil && lasts("opaque", "3600") == .seconds(3_600))
        #expect(try lasts(token(#"{"iat":0,"exp":1e30}"#), "60") == .seconds(60))
    }

    @Test(
        "a bearer token is one under every name that services give it, with spaces or without, and under no other",
        arguments: [
            ("Bearer", "Bearer"), ("bearer ", "Bearer"), (" BEARER", "Bearer"), ("bearer\t\n", "Bearer"),
            ("", "Bearer"),
            (" ", "Bearer"), ("BearerToken", "Bearer"), ("bearertoken ", "Bearer"), ("dPoP ", "DPoP"), ("mac", "mac"),
            ("N_A", "N_A"), ("Bearer Token", nil), ("Bearer,DPoP", nil), ("Be arer", nil), ("Bearer\u{0}", nil),
        ] as [(String, String?)])
    func types(_ written: String, _ expected: String?) throws {
        let body = JSON.object(["access_token": "a", "token_type": .string(written)]).serialized()
        #expect((try? TokenResponse.read(body))?.scheme == expected)
    }

    @Test("odd members that are optional change nothing about the token")
    func oddMembers() throws {
        for (name, value) in [
            ("expires_in", ""), ("expires_in", .null), ("expires_in", [:]), ("scope", .null), ("scope", 1),
            ("scope", [:]), ("refresh_token", .null), ("refresh_token", ""), ("refresh_token", 1), ("id_token", .null),
            ("id_token", ""), ("id_token", [:]), ("refresh_expires_in", ""), ("token_type", .null), ("token_type", ""),
            ("error", .null), ("error_description", .null), ("created_at", "yesterday"),
        ] as [(String, JSON)] {
            let answer = try TokenResponse.read(JSON.object(["access_token": "a", name: value]).serialized())
            #expect(answer.accessToken == Secret("a") && answer.scheme == "Bearer", "\(name)")
            #expect(answer.refreshToken == nil && answer.idToken == nil && answer.expiresIn == nil, "\(name)")
        }
    }

    @Test("scopes are read as text and as a list")
    func scopes() throws {
        #expect(try read(#"{"access_token":"a","scope":["x","","y",1]}"#).scopes == ["x", "y"])
        #expect(try read(#"{"access_token":"a","scope":"x,y"}"#).scopes == ["x", "y"])
        #expect(try read(#"{"access_token":"a","scope":7}"#).scopes == nil)
    }

    @Test(
        "an answer without a usable token is refused, naming the member",
        arguments: [
            Row("absent", "{}", JSONError(.missing, at: "$.access_token")),
            Row("null", #"{"access_token":null}"#, JSONError(.missing, at: "$.access_token")),
            Row("empty", #"{"access_token":""}"#, JSONError(.missing, at: "$.access_token")),
            Row("a number", #"{"access_token":7}"#, JSONError(.wrongType, at: "$.access_token")),
            Row("a line break", #"{"access_token":"a\r\nX: y"}"#, JSONError(.wrongType, at: "$.access_token")),
            Row("a space", #"{"access_token":"a b"}"#, JSONError(.wrongType, at: "$.access_token")),
            Row("no ASCII", #"{"access_token":"\u00e9"}"#, JSONError(.wrongType, at: "$.access_token")),
            Row(
                "a scheme with a break", #"{"access_token":"a","token_type":"x\ny"}"#,
                JSONError(.wrongType, at: "$.token_type")),
            Row("a list", #"["access_token"]"#, JSONError(.missing, at: "$.access_token")),
        ])
    func refused(_ row: Row<String, JSONError>) {
        #expect(failure { () throws(JSONError) in _ = try read(row.input) } == row.expected)
    }

    @Test("an answer that is too large or too deep is refused")
    func bounds() {
        let large = #"{"access_token":"\#(String(repeating: "a", count: 1 << 20))"}"#
        #expect(failure { () throws(JSONError) in _ = try read(large) }?.code == .tooLarge)
        let deep =
            #"{"access_token":"a","x":\#(String(repeating: "[", count: 70))\#(String(repeating: "]", count: 70))}"#
        #expect(failure { () throws(JSONError) in _ = try read(deep) }?.code == .tooDeep)
    }
}

@Suite("Judging a token endpoint by status and body")
struct TokenAnswerTests {
    private static func failure(_ response: TransportResponse, definite: Set<String> = TokenAnswer.definiteRefusals)
        -> TokenFailure?
    {
        guard case .failure(let failure) = TokenAnswer.judge(response, definite: definite, now: noon) else {
            return nil
        }
        return failure
    }

    private static func error(_ code: String) -> String { #"{"error":"\#(code)","error_description":"hush"}"# }

    static let rows: [Row<TransportResponse, TokenFailure>] = [
        Row("invalid_grant", TransportResponse(400, error("invalid_grant")), .definiteRefusal(code: "invalid_grant")),
        Row(
            "the same with 403", TransportResponse(403, error("invalid_grant")), .definiteRefusal(code: "invalid_grant")
        ),
        Row(
            "the same with 200", TransportResponse(200, error("invalid_grant")), .definiteRefusal(code: "invalid_grant")
        ),
        Row(
            "the same with 401", TransportResponse(401, error("invalid_grant")), .definiteRefusal(code: "invalid_grant")
        ),
        Row(
            "the same with 404", TransportResponse(404, error("invalid_grant")), .definiteRefusal(code: "invalid_grant")
        ),
        Row(
            "the same with 500", TransportResponse(500, error("invalid_grant")),
            .transient(status: 500, retryAfter: nil)),
        Row(
            "an unknown code", TransportResponse(403, error("invalid_code")), .unexplainedRefusal(code: "invalid_code")),
        Row(
            "a code in another case", TransportResponse(400, error("Invalid_Grant")),
            .unexplainedRefusal(code: "Invalid_Grant")),
        Row(
            "the name of a status with a description", TransportResponse(403, error("forbidden")),
            .unexplainedRefusal(code: "forbidden")),
        Row(
            "a number and error_code", TransportResponse(400, #"{"code":400,"error_code":"no_session","msg":"hush"}"#),
            .unexplainedRefusal(code: "no_session")),
        Row(
            "a number and error_code about the client",
            TransportResponse(400, #"{"code":400,"error_code":"invalid_credentials","msg":"hush"}"#),
            .clientRefused(code: "invalid_credentials")),
        Row(
            "invalid_client with 401", TransportResponse(401, error("invalid_client")),
            .clientRefused(code: "invalid_client")),
        Row(
            "invalid_request with 401", TransportResponse(401, error("invalid_request")),
            .clientRefused(code: "invalid_request")),
        Row("invalid_scope with 401", TransportResponse(401, error("invalid_scope")), .requestRefused(.invalidScope)),
        Row("an unknown code with 401", TransportResponse(401, error("hash")), .clientRefused(code: "hash")),
        Row(
            "server_error with a vendor's code", TransportResponse(400, vendor(50_076)),
            .unexplainedRefusal(code: "AADSTS50076")),
        Row(
            "server_error with a vendor's code and 500", TransportResponse(500, vendor(700_082)),
            .unexplainedRefusal(code: "AADSTS700082")),
        Row(
            "server_error with a vendor's own trouble", TransportResponse(400, vendor(90_033)),
            .transient(status: 400, retryAfter: nil)),
        Row(
            "invalid_client with 400", TransportResponse(400, error("invalid_client")),
            .clientRefused(code: "invalid_client")),
        Row(
            "unauthorized_client", TransportResponse(400, error("unauthorized_client")),
            .clientRefused(code: "unauthorized_client")),
        Row("invalid_request", TransportResponse(400, error("invalid_request")), .requestRefused(.invalidRequest)),
        Row("invalid_scope", TransportResponse(400, error("invalid_scope")), .requestRefused(.invalidScope)),
        Row("invalid_target", TransportResponse(400, error("invalid_target")), .requestRefused(.invalidTarget)),
        Row("use_dpop_nonce", TransportResponse(400, error("use_dpop_nonce")), .requestRefused(.useDPoPNonce)),
        Row(
            "server_error with 400", TransportResponse(400, error("server_error")),
            .transient(status: 400, retryAfter: nil)),
        Row(
            "429", TransportResponse(429, error("invalid_grant"), ["retry-after": "7"]),
            .rateLimited(retryAfter: .seconds(7))),
        Row(
            "503 with a date",
            TransportResponse(503, error("server_error"), ["Retry-After": "Fri, 20 Nov 2026 12:02:00 GMT"]),
            .transient(status: 503, retryAfter: .seconds(120))),
        Row(
            "a 200 without token", TransportResponse(200, #"{"token_type":"Bearer"}"#),
            .malformed(JSONError(.missing, at: "$.access_token"))),
    ]

    private static func vendor(_ number: Int) -> String {
        #"{"error":"server_error","error_description":"AADSTS\#(number): hush","error_codes":[\#(number)]}"#
    }

    static let foreign: [Row<TransportResponse, ForeignAnswer.Kind>] = [
        Row("an empty 400", TransportResponse(400), .refused), Row("an empty 403", TransportResponse(403), .blocked),
        Row("a page with 400", TransportResponse(400, "<html>invalid_grant</html>"), .refused),
        Row("a page with 403", TransportResponse(403, "<html></html>"), .blocked),
        Row("half an answer", TransportResponse(400, #"{"error":"invalid_gr"#), .refused),
        Row("JSON of another form", TransportResponse(400, #"{"message":"nope"}"#), .refused),
        Row("an error object", TransportResponse(400, #"{"error":{"code":"invalid_grant"}}"#), .refused),
        Row("an error in words", TransportResponse(400, #"{"error":"Access token has expired"}"#), .refused),
        Row("the name of a status", TransportResponse(403, #"{"error":"forbidden"}"#), .blocked),
        Row("the name of a status in words", TransportResponse(404, #"{"error":"Not Found"}"#), .notFound),
        Row("a limit in JSON", TransportResponse(403, #"{"fault":"Rate limit quota violation"}"#), .busy),
        Row("a limiter", TransportResponse(429), .busy), Row("an empty 401", TransportResponse(401), .signIn),
        Row("a head too large", TransportResponse(431, "<html>"), .tooLarge),
        Row("502 with a page", TransportResponse(502, "<html>"), .outage),
        Row("a redirect", TransportResponse(302, "", ["Location": "https://x"]), .redirect),
        Row("a redirect with a code", TransportResponse(302, error("invalid_grant")), .redirect),
        Row("408", TransportResponse(408), .refused),
        Row("404 with a page", TransportResponse(404, "<html>"), .notFound),
        Row("a proxy's sign-in", TransportResponse(407, "<html>"), .proxySignIn),
        Row("a network's sign-in", TransportResponse(511, "<html>"), .networkSignIn),
        Row("a 200 page", TransportResponse(200, "<html></html>"), .networkSignIn),
        Row("a check for robots", TransportResponse(200, "<html>captcha</html>"), .blocked),
        Row("an empty 200", TransportResponse(200), .unreadable),
        Row("one that was cut off", TransportResponse(200, #"{"access_token":"a"#), .unreadable),
        Row("a 200 of another form", TransportResponse(200, #"{"status":"ok"}"#), .unreadable),
        Row("a list", TransportResponse(200, "[]"), .unreadable),
    ]

    @Test("what is not of the service's form says nothing about the grant, whatever its status", arguments: foreign)
    func foreignAnswers(_ row: Row<TransportResponse, ForeignAnswer.Kind>) throws {
        let found = try #require(Self.failure(row.input))
        guard case .foreign(let answer, _) = found else {
            Issue.record("\(row.name): \(found)")
            return
        }
        #expect(answer.kind == row.expected)
        for kind in [TokenGrant.Kind.code, .refresh, .device, .client] {
            let error = found.authError(for: kind)
            #expect(error.recovery == .retryLater && error.message == answer.message)
        }
    }

    @Test("each failure has one verdict", arguments: rows)
    func verdicts(_ row: Row<TransportResponse, TokenFailure>) throws {
        let found = try #require(Self.failure(row.input))
        #expect(found == row.expected)
        for kind in [TokenGrant.Kind.code, .refresh, .device, .client] {
            #expect(!"\(found.authError(for: kind))".contains("hush"))
        }
    }

    @Test("a service's own code ends a session only where its list says so")
    func ownList() {
        let response = TransportResponse(200, Self.error("bad_refresh_token"))
        #expect(Self.failure(response) == .unexplainedRefusal(code: "bad_refresh_token"))
        #expect(Self.failure(response, definite: ["bad_refresh_token"]) == .definiteRefusal(code: "bad_refresh_token"))
        #expect(
            Self.failure(TransportResponse(400, Self.error("invalid_grant")), definite: [])
                == .requestRefused(.invalidGrant)
        )
    }

    @Test("an error that is null or empty is none")
    func emptyError() {
        #expect(Self.failure(TransportResponse(200, #"{"access_token":"a","error":null}"#)) == nil)
        #expect(Self.failure(TransportResponse(200, #"{"access_token":"a","error":""}"#)) == nil)
    }

    static let requests: [Row<TokenGrant, String>] = [
        Row(
            "code", .code(Secret("c+1"), redirect: "http://127.0.0.1:1/cb", verifier: Secret("v")),
            "grant_type=authorization_code&code=c%2B1&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcb&code_verifier=v"),
        Row("refresh", .refresh(Secret("r/1")), "grant_type=refresh_token&refresh_token=r%2F1"),
        Row(
            "device", .device(Secret("d")),
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=d"),
        Row("client", .client(scopes: ["a", "b"]), "grant_type=client_credentials&scope=a+b"),
    ]

    @Test("each grant is sent with what it needs and nothing else", .standard(6, 13), arguments: requests)
    func request(_ row: Row<TokenGrant, String>) {
        let request = row.input.request(
            to: "https://id.example/t", clientID: "id", authentication: .none, resource: "https://a")
        #expect(
            String(decoding: request.body ?? [], as: UTF8.self) == row.expected
                + "&resource=https%3A%2F%2Fa&client_id=id")
        #expect(request.method == "POST" && request.fields["Accept"] == "application/json")
        #expect(
            request.fields["Content-Type"] == "application/x-www-form-urlencoded" && request.fields["Cookie"] == nil)
        #expect(request.fields["Authorization"] == nil)
    }
}

@Suite("Revocation (RFC 7009)")
struct TokenRevocationTests {
    @Test("the request names the token and its kind")
    func request() {
        let request = TokenRevocation.request(
            Secret("r+"), .refreshToken, to: "https://id.example/r", clientID: "id", authentication: .none)
        #expect(
            String(decoding: request.body ?? [], as: UTF8.self)
                == "token=r%2B&token_type_hint=refresh_token&client_id=id")
    }

    @Test(
        "what is done, what is not, and what cannot be",
        arguments: [
            Row("200", TransportResponse(200), .done),
            Row("200 with an error", TransportResponse(200, #"{"error":"invalid_token"}"#), .done),
            Row("204", TransportResponse(204), .done),
            Row("a token it does not know", TransportResponse(400, #"{"error":"invalid_token"}"#), .done),
            Row("another kind", TransportResponse(400, #"{"error":"unsupported_token_type"}"#), .unsupported),
            Row("a token it does not know, with 401", TransportResponse(401, #"{"error":"invalid_grant"}"#), .done),
            Row("words that nobody reads", TransportResponse(200, "OK"), .done),
            Row("JSON that nobody reads", TransportResponse(200, #"{"success":true}"#), .done),
            Row("invalid_client", TransportResponse(400, #"{"error":"invalid_client"}"#), .clientRefused),
            Row(
                "a faulty request", TransportResponse(400, #"{"error":"invalid_request"}"#),
                .refused(code: "invalid_request")),
            Row("another code", TransportResponse(403, #"{"error":"not_yours"}"#), .refused(code: "not_yours")),
            Row(
                "server_error", TransportResponse(400, #"{"error":"server_error"}"#),
                .notDone(status: 400, retryAfter: nil)),
        ] as [Row<TransportResponse, TokenRevocation.Outcome>])
    func outcomes(_ row: Row<TransportResponse, TokenRevocation.Outcome>) {
        #expect(TokenRevocation.judge(row.input, now: noon) == row.expected)
    }

    @Test(
        "what is not the service's answer does not say that the token is revoked", .law(5),
        arguments: [
            TransportResponse(200, "<html>Welcome</html>"), TransportResponse(202, "", ["Content-Type": "text/html"]),
            TransportResponse(200, #"{"access_to"#), TransportResponse(200, "captcha"), TransportResponse(401),
            TransportResponse(403, "<html>"), TransportResponse(404), TransportResponse(302),
            TransportResponse(503, "", ["Retry-After": "9"]),
        ])
    func foreign(_ response: TransportResponse) {
        guard case .foreign(let answer, let wait) = TokenRevocation.judge(response, now: noon) else {
            Issue.record("\(response)")
            return
        }
        #expect(answer.status == response.status && wait == (response.status == 503 ? .seconds(9) : nil))
    }
}
