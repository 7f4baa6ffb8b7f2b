import LatchkeyDevServer
import LatchkeyHTTPServer
import Testing

@Suite("Authorization endpoint")
struct AuthorizeTests {
    @Test("A code comes with the state as it was sent and with the issuer")
    func code() async throws {
        let harness = try Harness()
        let answer = try await harness.authorize()
        #expect(answer.status == 303)
        #expect(answer.field("Location")?.hasPrefix(Harness.redirect + "?") == true)
        #expect(answer.redirectParameter("state") == "s+t/1")
        #expect(answer.redirectParameter("iss") == harness.server.issuer)
        #expect(answer.redirectParameter("code")?.isEmpty == false)
        #expect(answer.field("Cache-Control") == "no-store")
    }

    @Test(
        "A registered redirect is accepted, with any port on a loopback literal",
        arguments: [
            "http://127.0.0.1/callback", "http://127.0.0.1:1/callback", "http://[::1]:65535/callback",
            "com.example.app:/callback",
        ])
    func redirects(uri: String) async throws {
        let answer = try await Harness().authorize(["redirect_uri": uri])
        #expect(answer.field("Location")?.hasPrefix(uri + "?code=") == true)
    }

    @Test(
        "A redirect that differs is never followed",
        arguments: [
            "http://127.0.0.1:49152/callback/", "http://127.0.0.1:49152/Callback", "http://127.0.0.1:0/callback",
            "http://127.0.0.1:65536/callback", "http://127.0.0.1:/callback", "http://127.0.0.1:80x/callback",
            "http://localhost:49152/callback", "http://127.0.0.1.evil.example/callback",
            "http://127.0.0.1@evil.example/callback", "https://127.0.0.1/callback",
            "http://127.0.0.1:49152/callback?x=1", "http://127.0.0.1:49152/callback#x",
            "com.example.app:/callback/", "com.example.app://callback", "",
        ])
    func foreignRedirects(uri: String) async throws {
        let answer = try await Harness().authorize(["redirect_uri": uri])
        #expect(answer.status == 400)
        #expect(answer.field("Location") == nil)
    }

    @Test(
        "An unknown client and a redirect named twice get a page, not a redirect",
        arguments: ["client_id=nobody", "", "client_id=dev-native&client_id=dev-native"])
    func pages(client: String) async throws {
        let rest = FormPairs.encode(Harness.authorization(["client_id": String?.none]))
        let answer = try await Harness().get("/authorize?\(rest)&\(client)")
        #expect(answer.status == 400)
        #expect(answer.field("Location") == nil)
        #expect(answer.field("Content-Type")?.hasPrefix("text/html") == true)
    }

    static let refusals = [
        Row("no response type", ["response_type": nil], "invalid_request"),
        Row("token in the front channel", ["response_type": "token"], "unsupported_response_type"),
        Row("hybrid", ["response_type": "code id_token"], "unsupported_response_type"),
        Row("no challenge", ["code_challenge": nil], "invalid_request"),
        Row("empty challenge", ["code_challenge": ""], "invalid_request"),
        Row("short challenge", ["code_challenge": "abc"], "invalid_request"),
        Row("challenge that is no base64url", ["code_challenge": String(repeating: "+", count: 43)], "invalid_request"),
        Row("plain", ["code_challenge_method": "plain"], "invalid_request"),
        Row("no method, which means plain", ["code_challenge_method": nil], "invalid_request"),
        Row("unknown method", ["code_challenge_method": "s256"], "invalid_request"),
        Row("unknown scope", ["scope": "openid admin"], "invalid_scope"),
        Row("double space in the scope", ["scope": "openid  email"], "invalid_scope"),
        Row("form post", ["response_mode": "form_post"], "invalid_request"),
        Row("fragment", ["response_mode": "fragment"], "invalid_request"),
        Row("request object", ["request": "e30"], "request_not_supported"),
        Row("pushed request", ["request_uri": "urn:x"], "request_uri_not_supported"),
        Row("unknown resource", ["resource": "https://other.example/"], "invalid_target"),
    ]

    @Test("What is wrong with a request is told through the redirect, with state and issuer", arguments: refusals)
    func refusal(row: Row) async throws {
        let harness = try Harness()
        let answer = try await harness.authorize(row.changes)
        #expect(answer.redirectParameter("error") == row.error)
        #expect(answer.redirectParameter("state") == "s+t/1")
        #expect(answer.redirectParameter("iss") == harness.server.issuer)
        #expect(answer.redirectParameter("code") == nil)
    }

    @Test(
        "A parameter named twice is refused, and a doubled state is not repeated",
        arguments: ["scope=openid", "nonce=n-1", "state=other", "code_challenge=x"])
    func twice(extra: String) async throws {
        let query = FormPairs.encode(Harness.authorization())
        let answer = try await Harness().get("/authorize?\(query)&\(extra)")
        #expect(answer.redirectParameter("error") == "invalid_request")
        #expect(answer.redirectParameter("state") == (extra.hasPrefix("state") ? nil : "s+t/1"))
    }

    @Test("A redirect that was added takes the codes of every client that may have some, and the project's links")
    func addedRedirect() async throws {
        let local = "http://localhost:8765"
        #expect(try await Harness().authorize(["redirect_uri": local]).status == 400)
        let harness = try Harness { $0.allow(redirect: local) }
        for client in ["dev-native", "dev-agent"] {
            let answer = try await harness.authorize(["redirect_uri": local, "client_id": client])
            #expect(answer.field("Location")?.hasPrefix("\(local)?code=") == true)
        }
        // Another port is another place: it is a name, and no address of this machine.
        for other in ["http://localhost:8766", "http://localhost:8765/cb", "http://localhost"] {
            #expect(try await harness.authorize(["redirect_uri": other]).status == 400)
        }
        let query = FormPairs.encode([("provider", "github"), ("redirect_to", local)])
        let key = [(name: "apikey", value: "sb_publishable_development")]
        var landed = try await harness.send("GET", "/auth/v1/authorize?\(query)", fields: key)
        while let place = landed.field("Location"), place.hasPrefix(harness.server.issuer) {
            landed = try await harness.send("GET", String(place.dropFirst(harness.server.issuer.count)))
        }
        #expect(landed.field("Location")?.hasPrefix("\(local)#access_token=") == true)
    }

    @Test("A client without the code grant gets none")
    func unauthorized() async throws {
        let harness = try Harness {
            $0.clients.append(
                DevServer.Client(id: "other", redirectURIs: [Harness.redirect], grants: [.deviceCode]))
        }
        let answer = try await harness.authorize(["client_id": "other"])
        #expect(answer.redirectParameter("error") == "unauthorized_client")
    }

    @Test("Without automatic approval, prompt=none is refused")
    func promptNone() async throws {
        let answer = try await Harness(autoApprove: false).authorize(["prompt": "none"])
        #expect(answer.redirectParameter("error") == "interaction_required")
    }
}
