import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import Testing

@Suite("Token requests")
struct TokenRequestTests {
    static let service: Harness.Pairs = [("grant_type", "client_credentials"), ("scope", "read")]
    static let secret = "dev+secret/100%"

    static func basic(_ id: String, _ secret: String, encoded: Bool = true) -> (name: String, value: String) {
        let pair = encoded ? "\(FormPairs.encode(id)):\(FormPairs.encode(secret))" : "\(id):\(secret)"
        return ("Authorization", "Basic \(Base64.encode(Array(pair.utf8)))")
    }

    @Test("A confidential client authenticates by Basic or by the body, and gets no refresh token")
    func credentials() async throws {
        let harness = try Harness()
        let basic = try await harness.post("/token", Self.service, fields: [Self.basic("dev-service", Self.secret)])
        let post = try await harness.post(
            "/token", Self.service + [("client_id", "dev-service"), ("client_secret", Self.secret)])
        for answer in [basic, post] {
            #expect(answer.status == 200)
            #expect(answer.json["scope"] == .string("read"))
            #expect(answer.json["refresh_token"] == nil && answer.json["id_token"] == nil)
            #expect(try await harness.isAccepted(answer.accessToken))
        }
    }

    struct Attempt: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var form: Harness.Pairs = TokenRequestTests.service
        var fields: Harness.Pairs
        var status: Int
        var error: String
    }

    static let attempts = [
        Attempt(
            testDescription: "Basic that is not form-encoded",
            fields: [basic("dev-service", secret, encoded: false)], status: 400, error: "invalid_request"),
        Attempt(
            testDescription: "a wrong secret", fields: [basic("dev-service", "wrong")], status: 401,
            error: "invalid_client"),
        Attempt(
            testDescription: "an unknown client", fields: [basic("nobody", secret)], status: 401,
            error: "invalid_client"),
        Attempt(
            testDescription: "an empty secret", fields: [basic("dev-service", "")], status: 401,
            error: "invalid_client"),
        Attempt(
            testDescription: "a public client with a secret", fields: [basic("dev-native", "x")], status: 401,
            error: "invalid_client"),
        Attempt(
            testDescription: "a grant it may not use, with an empty secret by Basic",
            fields: [basic("dev-native", "")], status: 400, error: "unauthorized_client"),
        Attempt(
            testDescription: "no secret", form: service + [("client_id", "dev-service")], fields: [], status: 401,
            error: "invalid_client"),
        Attempt(
            testDescription: "both ways at once",
            form: service + [("client_id", "dev-service"), ("client_secret", secret)],
            fields: [basic("dev-service", secret)], status: 400, error: "invalid_request"),
        Attempt(
            testDescription: "another client in the body", form: service + [("client_id", "dev-native")],
            fields: [basic("dev-service", secret)], status: 400, error: "invalid_request"),
        Attempt(
            testDescription: "two Authorization fields",
            fields: [basic("dev-service", secret), basic("dev-service", secret)], status: 400,
            error: "invalid_request"),
        Attempt(
            testDescription: "another scheme", fields: [("Authorization", "Bearer x")], status: 401,
            error: "invalid_client"),
        Attempt(
            testDescription: "Basic without colon",
            fields: [("Authorization", "Basic \(Base64.encode(Array("dev-service".utf8)))")], status: 401,
            error: "invalid_client"),
        Attempt(
            testDescription: "Basic that is no base64", fields: [("Authorization", "Basic *")], status: 401,
            error: "invalid_client"),
        Attempt(
            testDescription: "a scope of other clients",
            form: [("grant_type", "client_credentials"), ("scope", "openid")],
            fields: [basic("dev-service", secret)], status: 400, error: "invalid_scope"),
        Attempt(
            testDescription: "a parameter twice", form: service + [("scope", "read")],
            fields: [basic("dev-service", secret)], status: 400, error: "invalid_request"),
        Attempt(
            testDescription: "a grant it may not use", form: [("grant_type", "refresh_token")],
            fields: [basic("dev-service", secret)], status: 400, error: "unauthorized_client"),
    ]

    @Test("Client authentication that is not exactly right is refused", arguments: attempts)
    func refused(attempt: Attempt) async throws {
        let answer = try await Harness().post("/token", attempt.form, fields: attempt.fields)
        #expect(answer.status == attempt.status)
        #expect(answer.error == attempt.error)
        #expect((answer.field("WWW-Authenticate") != nil) == (attempt.status == 401))
    }

    @Test("A public client may send its empty secret by Basic, and need not name itself again")
    func emptySecret() async throws {
        let answer = try await Harness().post(
            "/device_authorization", [("scope", "openid")], fields: [Self.basic("dev-device", "")])
        #expect(answer.status == 200)
    }

    @Test(
        "A body that is not declared as a form is refused",
        arguments: [
            [], ["application/json"], ["text/plain"], ["multipart/form-data"],
            ["application/x-www-form-urlencoded; charset=iso-8859-1"],
            ["application/x-www-form-urlencoded", "application/x-www-form-urlencoded"],
        ])
    func contentType(types: [String]) async throws {
        let harness = try Harness()
        let fields = types.map { (name: "Content-Type", value: $0) } + [Self.basic("dev-service", Self.secret)]
        let answer = try await harness.send("POST", "/token", fields: fields, body: Harness.encoded(Self.service))
        #expect(answer.error == "invalid_request")
        let good = (name: "content-type", value: "Application/X-WWW-Form-URLEncoded; charset=\"UTF-8\"")
        let accepted = try await harness.send(
            "POST", "/token", fields: [good, Self.basic("dev-service", Self.secret)],
            body: Harness.encoded(Self.service))
        #expect(accepted.status == 200)
    }

    @Test("A body that does not decode, and parameters in the query, are refused")
    func malformed() async throws {
        let harness = try Harness()
        let fields = [Harness.formType, Self.basic("dev-service", Self.secret)]
        for body in ["grant_type=%", "grant_type=client_credentials&scope=%ff", "grant type"] {
            let answer = try await harness.send("POST", "/token", fields: fields, body: Array(body.utf8))
            #expect(answer.error == "invalid_request")
        }
        let query = try await harness.send(
            "POST", "/token?grant_type=client_credentials", fields: fields, body: Harness.encoded(Self.service))
        #expect(query.error == "invalid_request")
    }

    @Test(
        "Other methods are refused where only POST is right",
        arguments: ["/token", "/revoke", "/device_authorization", "/authorize/decision"])
    func methods(path: String) async throws {
        let harness = try Harness()
        for method in ["GET", "PUT", "DELETE", "OPTIONS"] {
            let answer = try await harness.send(method, path)
            #expect(answer.status == 405)
            #expect(answer.field("Allow") == "POST")
        }
    }

    @Test(
        "A request under a foreign name is refused everywhere",
        arguments: ["/token", "/", "/.well-known/openid-configuration", "/control/log", "/authorize"])
    func rebinding(path: String) async throws {
        let harness = try Harness()
        for host in ["evil.example", "evil.example:\(harness.server.port)", "127.0.0.1", "127.0.0.1:1"] {
            #expect(try await harness.send("GET", path, fields: [("Host", host)]).status == 421)
        }
    }

    @Test("Metadata names every endpoint under the issuer, at both places")
    func metadata() async throws {
        let harness = try Harness()
        let document = try await harness.get("/.well-known/openid-configuration").json
        #expect(try await harness.get("/.well-known/oauth-authorization-server").json == document)
        #expect(document["issuer"]?.string == harness.server.issuer)
        #expect(document["authorization_response_iss_parameter_supported"] == .bool(true))
        #expect(document["code_challenge_methods_supported"] == .array([.string("S256")]))
        let members = try #require(document.object)
        let endpoints = members.keys.filter { $0.hasSuffix("_endpoint") || $0 == "jwks_uri" }
        #expect(endpoints.count == 6)
        for name in endpoints {
            let path = try #require(members[name]?.string).dropFirst(harness.server.issuer.count)
            #expect(try await harness.send("GET", String(path)).status != 404)
        }
    }
}
