import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore
import Proofs
import Testing

@Suite("Discovery (RFC 8414, OpenID Connect Discovery)")
struct DiscoveryTests {
    private static func document(_ change: (inout [String: JSON]) -> Void = { _ in }) -> [UInt8] {
        var members: [String: JSON] = [
            "issuer": "https://id.example/t", "token_endpoint": "https://id.example/t/token",
            "authorization_endpoint": "https://id.example/t/auth", "jwks_uri": "https://keys.example/jwks",
            "id_token_signing_alg_values_supported": ["none"], "unknown": [1, [2]],
            "authorization_response_iss_parameter_supported": true, "scopes_supported": ["openid"],
        ]
        change(&members)
        return JSON.object(members).serialized()
    }

    @Test("the document is at two places, whichever way the service reads the standard")
    func addresses() throws {
        #expect(
            try Discovery.addresses(of: "https://id.example/t/") == [
                "https://id.example/t/.well-known/openid-configuration",
                "https://id.example/.well-known/oauth-authorization-server/t",
            ])
        #expect(
            try Discovery.addresses(of: "http://127.0.0.1:8000") == [
                "http://127.0.0.1:8000/.well-known/openid-configuration",
                "http://127.0.0.1:8000/.well-known/oauth-authorization-server",
            ])
    }

    @Test(
        "an issuer of another form is refused",
        arguments: [
            "http://id.example", "id.example", "", "https://id.example?x=1", "https://id.example#x", "ftp://id.example",
        ])
    func badIssuer(_ issuer: String) {
        #expect(
            failure { () throws(AuthError) in _ = try Discovery.addresses(of: issuer) }?.code
                == .configuration(.invalid))
    }

    @Test("the members that are used are read, the list of algorithms is not", .standard(35))
    func read() throws {
        let metadata = try ServerMetadata.read(Self.document(), issuer: "https://id.example/t")
        #expect(
            metadata.tokenEndpoint == "https://id.example/t/token" && metadata.jwksURI == "https://keys.example/jwks")
        #expect(metadata.namesIssuer && !metadata.requiresPushedRequests && metadata.scopes == ["openid"])
        #expect(metadata.deviceEndpoint == nil && metadata.challengeMethods == nil)
    }

    static let plain: [Row<[String: JSON], Bool>] = [
        Row("OpenID Connect's members", ["id_token_signing_alg_values_supported": ["RS256"]], true),
        Row(
            "one of them, and scopes without openid",
            ["subject_types_supported": ["public"], "scopes_supported": ["x"]], true),
        Row("openid among the scopes", ["scopes_supported": ["x", "openid"]], true),
        Row("a response type with an ID token", ["response_types_supported": ["code", "code id_token"]], true),
        Row("nothing about it", [:], true), Row("codes alone", ["response_types_supported": ["code"]], true),
        Row("scopes without openid", ["scopes_supported": ["read"]], false),
        Row("no scopes at all", ["scopes_supported": []], false),
        Row("no keys", ["jwks_uri": .null, "scopes_supported": ["openid"]], false),
        Row("keys at no address", ["jwks_uri": "/jwks", "scopes_supported": ["openid"]], true),
    ]

    @Test("what the document says decides whether an ID token is expected", arguments: plain)
    func expectsIDToken(_ row: Row<[String: JSON], Bool>) throws {
        let body = Self.document {
            for name in ["id_token_signing_alg_values_supported", "scopes_supported"] { $0[name] = nil }
            $0.merge(row.input) { $1 }
        }
        var metadata = try ServerMetadata.read(body, issuer: "https://id.example/t")
        #expect(metadata.expectsIDToken == row.expected)
        metadata.isPlainOAuth = true
        #expect(metadata.expectsIDToken == (row.expected && (metadata.namesOpenID)))
    }

    @Test(
        "another issuer is never forgiven", .standard(14, 50),
        arguments: [
            "https://id.example", "https://id.example/{tenantid}", "https://id.example/t/u",
            "https://id.example:8443/t", "https://id.example/t?", "https://evil.example/t/", "no address\u{1B}[31m",
        ])
    func otherIssuer(_ issuer: String) {
        let body = Self.document { $0["issuer"] = .string(issuer) }
        let error = failure { () throws(AuthError) in _ = try ServerMetadata.read(body, issuer: "https://id.example/t")
        }
        #expect(error?.code == .untrusted(.issuer))
        #expect(error?.message.contains("\u{1B}") == false)
    }

    @Test(
        "an issuer that differs by a slip is refused as well, and the error shows both and what differs",
        arguments: [
            ("https://id.example/t", "https://id.example/t/", "the slash at the end"),
            ("https://id.example/t", "https://ID.example/t", "how they are written"),
            ("http://127.0.0.1:8080/t", "http://localhost:8080/t", "the name of this machine"),
            (
                "http://localhost:8080/t", "http://127.0.0.1:8080/t/",
                "the name of this machine and the slash at the end"
            ),
        ])
    func slip(_ configured: String, _ named: String, _ difference: String) throws {
        let body = Self.document { document in
            document["issuer"] = .string(named)
            document["token_endpoint"] = .string(configured + "/token")
        }
        let error = try #require(
            failure { () throws(AuthError) in _ = try ServerMetadata.read(body, issuer: configured) })
        #expect(error.code == .configuration(.invalid))
        for part in [configured, named, difference] { #expect(error.message.contains(part), "\(error.message)") }
    }

    @Test(
        "a list without `none` leaves a public client out, and no list leaves nobody out",
        arguments: [
            (nil, false), ([], false), (["none"], false), (["client_secret_basic", "none"], false),
            (["client_secret_basic"], true), (["client_secret_basic", "private_key_jwt"], true),
        ] as [([String]?, Bool)])
    func revocationLists(_ revocation: [String]?, _ isUnlisted: Bool) {
        var metadata = ServerMetadata(issuer: "https://id.example", tokenEndpoint: "https://id.example/token")
        metadata.revocationMethods = revocation
        #expect(TokenRevocation.isUnlisted(.none, by: metadata) == isUnlisted)
        #expect(!TokenRevocation.isUnlisted(.basic(Secret("s")), by: metadata))
    }

    @Test(
        "an endpoint that lists one way to send a secret gets it that way, and any other list changes nothing",
        arguments: [
            (nil, "basic", "post"), ([], "basic", "post"), (["none"], "basic", "post"),
            (["private_key_jwt", "tls_client_auth"], "basic", "post"),
            (["client_secret_basic", "client_secret_post"], "basic", "post"),
            (["client_secret_post"], "post", "post"), (["none", "client_secret_post"], "post", "post"),
            (["client_secret_basic"], "basic", "basic"),
        ] as [([String]?, String, String)])
    func fittingAuthentication(_ methods: [String]?, _ ofBasic: String, _ ofPost: String) {
        func name(_ way: ClientAuthentication) -> String {
            switch way {
            case .basic(Secret("s"), _): "basic"
            case .post(Secret("s")): "post"
            default: "none"
            }
        }
        #expect(name(ClientAuthentication.basic(Secret("s")).fitting(methods)) == ofBasic)
        #expect(name(ClientAuthentication.post(Secret("s")).fitting(methods)) == ofPost)
        #expect(ClientAuthentication.none.fitting(methods) == ClientAuthentication.none)
        let raw = ClientAuthentication.basic(Secret("s"), encoding: .raw)
        #expect(raw.fitting(["client_secret_basic"]) == raw)
    }

    private static let endpoints: [(member: String, read: @Sendable (ServerMetadata) -> String?)] = [
        ("authorization_endpoint", { $0.authorizationEndpoint }), ("jwks_uri", { $0.jwksURI }),
        ("userinfo_endpoint", { $0.userinfoEndpoint }), ("device_authorization_endpoint", { $0.deviceEndpoint }),
        ("revocation_endpoint", { $0.revocationEndpoint }), ("end_session_endpoint", { $0.endSessionEndpoint }),
    ]

    /// What no request may be sent to.
    private static let unusable: [JSON] = [
        "http://id.example/x", "http://127.0.0.1/x", "https://id.example/x#y", "x", "/x", "", " ", 1, false, [], [:],
        "https://",
    ]

    @Test(
        "an endpoint that is no https address counts as absent and stops nothing else; what needs it names it",
        .standard(15))
    func insecure() throws {
        for (member, read) in Self.endpoints {
            for value in Self.unusable {
                let body = Self.document { $0[member] = value }
                let metadata = try ServerMetadata.read(body, issuer: "https://id.example/t")
                #expect(read(metadata) == nil && metadata.unusableMembers == [member])
                let error = metadata.problem(with: member)
                #expect(error?.code == .untrusted(.malformed))
                #expect(error?.message == "`\(member)` of the discovery document is no https address.")
                for (other, _) in Self.endpoints where other != member { #expect(metadata.problem(with: other) == nil) }
            }
            for value in [nil, JSON.null] {
                let body = Self.document { $0[member] = value }
                let metadata = try ServerMetadata.read(body, issuer: "https://id.example/t")
                #expect(read(metadata) == nil && metadata.problem(with: member) == nil)
            }
        }
    }

    @Test("the token endpoint is always needed, unless it is known from elsewhere")
    func tokenEndpoint() throws {
        for value in Self.unusable + [nil, .null] as [JSON?] {
            let body = Self.document { $0["token_endpoint"] = value }
            let error = failure { () throws(AuthError) in
                _ = try ServerMetadata.read(body, issuer: "https://id.example/t")
            }
            #expect(error?.code == .untrusted(.malformed) && error?.message.contains("`token_endpoint`") == true)
            let known = try ServerMetadata.read(body, issuer: "https://id.example/t", needsTokenEndpoint: false)
            #expect(known.tokenEndpoint.isEmpty && known.jwksURI != nil)
        }
    }

    @Test("members that no sign-in reads, and lists of another kind, stop nothing")
    func ignored() throws {
        let body = Self.document {
            $0["registration_endpoint"] = "register"
            $0["introspection_endpoint"] = "http://id.example/x"
            $0["scopes_supported"] = "openid profile"
            $0["code_challenge_methods_supported"] = nil as JSON?
            $0["revocation_endpoint_auth_methods_supported"] = ["none", 1, .null]
            $0["require_pushed_authorization_requests"] = "false"
        }
        let metadata = try ServerMetadata.read(body, issuer: "https://id.example/t")
        #expect(metadata.unusableMembers.isEmpty && metadata.scopes == nil && !metadata.requiresPushedRequests)
        #expect(metadata.revocationMethods == ["none"])
    }

    @Test("loopback http is for loopback issuers", .standard(15))
    func loopback() throws {
        let body = Self.document {
            $0["issuer"] = "http://127.0.0.1:1"
            $0["token_endpoint"] = "http://127.0.0.1:1/token"
        }
        #expect(try ServerMetadata.read(body, issuer: "http://127.0.0.1:1").tokenEndpoint == "http://127.0.0.1:1/token")
    }

    @Test("each required member that is missing is named", arguments: ["issuer", "token_endpoint"])
    func missing(_ member: String) {
        let body = Self.document { $0[member] = nil }
        let error = failure { () throws(AuthError) in _ = try ServerMetadata.read(body, issuer: "https://id.example/t")
        }
        #expect(error?.code == .untrusted(.malformed))
        #expect(error?.message == "The discovery document has no `\(member)`.")
    }

    @Test("a page is trouble on the way")
    func page() {
        let error = failure { () throws(AuthError) in
            _ = try ServerMetadata.read(Array("<html>".utf8), issuer: "https://id.example/t")
        }
        #expect(error?.code == .serviceTrouble)
    }

    @Test(
        "documents are kept between five minutes and a day",
        arguments: [
            Row("nothing said", [:], .seconds(300)),
            Row("an hour", ["Cache-Control": "public, max-age=3600, stale-if-error=3600"], .seconds(3_600)),
            Row("an hour, half gone", ["cache-control": "MAX-AGE=3600", "Age": "1800"], .seconds(1_800)),
            Row("all gone", ["Cache-Control": "max-age=3600", "Age": "9999"], .seconds(300)),
            Row("a year", ["Cache-Control": "max-age=31536000"], .seconds(86_400)),
            Row("a minute", ["Cache-Control": "max-age=60"], .seconds(300)),
            Row("never", ["Cache-Control": "max-age=3600, no-store"], .seconds(300)),
            Row("ask again", ["Cache-Control": "no-cache, max-age=3600"], .seconds(300)),
            Row("nonsense", ["Cache-Control": "max-age=soon, max-age"], .seconds(300)),
            Row("too large", ["Cache-Control": "max-age=99999999999999999999"], .seconds(300)),
            Row("negative age", ["Cache-Control": "max-age=3600", "Age": "-9223372036854775808"], .seconds(3_600)),
            Row("by a date", dated("Sun, 06 Nov 1994 09:00:00 GMT"), .seconds(3_600)),
            Row("by a date before", dated("Sun, 06 Nov 1994 07:00:00 GMT"), .seconds(300)),
            Row("by a date that is none", dated("0"), .seconds(300)),
            Row("without a date of its own", ["Expires": "Sun, 06 Nov 2094 09:00:00 GMT"], .seconds(300)),
            Row(
                "the age counts more than the date", dated("Sun, 06 Nov 1994 09:00:00 GMT", "max-age=600"),
                .seconds(600)),
            Row("nonsense and a date", dated("Sun, 06 Nov 1994 09:00:00 GMT", "max-age=soon"), .seconds(300)),
        ] as [Row<HeaderFields, Duration>])
    func freshness(_ row: Row<HeaderFields, Duration>) {
        #expect(Freshness.of(row.input) == row.expected)
        // What says nothing is kept for longer between processes.
        let saysNothing = row.input.lines.isEmpty
        #expect(Freshness.kept(row.input) == (saysNothing ? .seconds(43_200) : row.expected))
    }

    private static func dated(_ expires: String, _ control: String? = nil) -> HeaderFields {
        var fields: HeaderFields = ["Date": "Sun, 06 Nov 1994 08:00:00 GMT", "Expires": expires]
        fields["Cache-Control"] = control
        return fields
    }
}

/// More than an answer may have.
private let long = String(repeating: "x", count: 32_768)

/// So many lists in one another.
private func nested(_ levels: Int) -> String {
    String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
}

@Suite("Userinfo (OpenID Connect Core, section 5.3)")
struct UserInfoTests {
    @Test("claims about the same person are taken")
    func same() throws {
        let info = try UserInfo.judge(TransportResponse(200, #"{"sub":"u1","name":"Ada"}"#), subject: "u1")
        #expect(info.subject == "u1" && info.claims["name"]?.string == "Ada" && "\(info)" == "userinfo answer")
        #expect(try UserInfo.judge(TransportResponse(200, #"{"sub":"u2"}"#), subject: nil).subject == "u2")
        let deep = TransportResponse(200, #"{"sub":"u1","a":\#(nested(15))}"#)
        #expect(try UserInfo.judge(deep, subject: "u1").subject == "u1")
    }

    @Test(
        "everything else is refused", .standard(43),
        arguments: [
            Row("another person", TransportResponse(200, #"{"sub":"u2"}"#), .untrusted(.subject)),
            Row("nobody", TransportResponse(200, #"{"name":"Ada"}"#), .untrusted(.malformed)),
            Row("an empty subject", TransportResponse(200, #"{"sub":""}"#), .untrusted(.malformed)),
            Row("a page", TransportResponse(200, "<html>"), .offline(.unreachable)),
            Row("JSON of another form", TransportResponse(200, #"{"status":"ok"}"#), .serviceTrouble),
            Row("a gateway's page for 401", TransportResponse(401, "<html>"), .serviceTrouble),
            Row("a gateway's JSON for 401", TransportResponse(401, #"{"message":"no key"}"#), .serviceTrouble),
            Row(
                "a gateway's challenge", TransportResponse(401, "", ["WWW-Authenticate": "Basic realm=x"]),
                .serviceTrouble),
            Row(
                "a challenge for a token", TransportResponse(401, "<html>", ["WWW-Authenticate": "Bearer"]),
                .signInRequired(.notAccepted)),
            Row("a firewall's page", TransportResponse(403, "<html>"), .serviceTrouble),
            Row(
                "signed", TransportResponse(200, "a.b.c", ["Content-Type": "Application/JWT"]),
                .configuration(.unsupported)),
            Row("too large", TransportResponse(200, #"{"sub":"u1","a":"\#(long)"}"#), .untrusted(.malformed)),
            Row("too deep", TransportResponse(200, #"{"sub":"u1","a":\#(nested(16))}"#), .serviceTrouble),
            Row("401", TransportResponse(401), .signInRequired(.notAccepted)),
            Row("403", TransportResponse(403), .refused(.denied)),
            Row(
                "403 for a scope",
                TransportResponse(403, "", ["WWW-Authenticate": #"Bearer error="insufficient_scope""#]),
                .refused(.scope)),
            Row("429", TransportResponse(429), .rateLimited),
            Row("500", TransportResponse(500), .serviceTrouble), Row("302", TransportResponse(302), .serviceTrouble),
        ] as [Row<TransportResponse, AuthError.Code>])
    func refused(_ row: Row<TransportResponse, AuthError.Code>) {
        #expect(
            failure { () throws(AuthError) in _ = try UserInfo.judge(row.input, subject: "u1") }?.code == row.expected)
    }
}
