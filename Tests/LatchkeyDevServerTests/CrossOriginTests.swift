import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import Testing

@Suite("Pages of other origins at the development server")
struct CrossOriginTests {
    private static let origin = (name: "Origin", value: "http://localhost:3000")

    private static func asking(_ method: String, _ headers: String? = nil) -> Harness.Pairs {
        [origin, ("Access-Control-Request-Method", method)]
            + (headers.map { [("Access-Control-Request-Headers", $0)] } ?? [])
    }

    @Test("A client in a browser may ask the endpoints that it calls itself, and reads their refusals")
    func oauth() async throws {
        let harness = try Harness()
        for (method, path) in [
            ("GET", "/.well-known/openid-configuration"), ("GET", "/.well-known/oauth-authorization-server"),
            ("GET", "/jwks"), ("POST", "/token"), ("POST", "/revoke"), ("GET", "/userinfo"), ("GET", "/resource"),
        ] {
            let leave = try await harness.send("OPTIONS", path, fields: Self.asking(method, "authorization"))
            #expect(leave.status == 204 && leave.field("Access-Control-Allow-Origin") == "*", "\(path)")
            #expect(leave.field("Access-Control-Allow-Methods")?.contains(method) == true)
            #expect(leave.field("Access-Control-Allow-Headers") == "Authorization, Content-Type")
            let answer = try await harness.send(method, path, fields: [Self.origin])
            #expect(answer.field("Access-Control-Allow-Origin") == "*", "\(path)")
            #expect(answer.field("Access-Control-Allow-Credentials") == nil)
        }
        let challenge = try await harness.send("GET", "/resource", fields: [Self.origin])
        #expect(challenge.status == 401)
        #expect(challenge.field("Access-Control-Expose-Headers")?.contains("WWW-Authenticate") == true)
    }

    @Test("What people see, the controls and what pretends to be native stay closed to pages of other origins")
    func closed() async throws {
        let harness = try Harness()
        let control = (name: "X-Latchkey-Control", value: "1")
        for path in [
            "/", "/inbox", "/inbox.json", "/authorize", "/authorize/decision", "/device", "/device_authorization",
            "/control/log", "/clerk/v1/environment?_is_native=1", "/auth/v10/token", "/nowhere",
        ] {
            for method in ["OPTIONS", "GET", "POST"] {
                let answer = try await harness.send(method, path, fields: Self.asking("POST", "a") + [control])
                #expect(!answer.response.fields.contains { $0.name.hasPrefix("Access-Control-") }, "\(method) \(path)")
            }
        }
        let other = try await harness.ask(
            "OPTIONS", "/token", fields: Self.asking("POST") + [("Host", "evil.example:\(harness.server.port)")])
        #expect(other?.status == 421 && other?.field("Access-Control-Allow-Origin") == nil)
    }

    @Test("The inbox is JSON for a program that asks for it, and a page for a person")
    func inbox() async throws {
        let harness = try Harness()
        let key = (name: "apikey", value: "sb_publishable_development")
        for body in [#"{"email":"new@example.test"}"#, #"{"phone":"+15550100001"}"#] {
            let sent = try await harness.send("POST", "/auth/v1/otp", fields: [key], body: Array(body.utf8))
            #expect(sent.status == 200)
        }
        let json = (name: "Accept", value: "application/json")
        for (path, fields) in [("/inbox.json", []), ("/inbox", [json]), ("/inbox.json", [("Accept", "text/html")])] {
            let answer = try await harness.send("GET", path, fields: fields)
            #expect(answer.field("Content-Type") == "application/json")
            #expect(answer.json["messages"]?.array?.count == 2)
        }
        let mine = try await harness.get("/inbox.json?to=new@example.test").json["messages"]?.array ?? []
        #expect(mine.count == 1 && mine[0]["code"]?.string?.utf8.count == 6 && mine[0]["type"] == "signup")
        #expect(mine[0]["sentAt"] == "2026-11-18T11:06:40Z" && mine[0]["link"]?.string?.isEmpty == false)
        #expect(try await harness.get("/inbox.json?to=nobody@example.test").json["messages"] == [])
        for accepted in ["text/html,application/xhtml+xml,*/*;q=0.8", "*/*", "text/html, application/json"] {
            let page = try await harness.send("GET", "/inbox", fields: [("Accept", accepted)])
            #expect(page.field("Content-Type")?.hasPrefix("text/html") == true)
        }
        #expect(try await harness.send("POST", "/inbox.json").status == 405)
    }

    @Test("Without an origin an answer has no field of CORS, and OPTIONS without a question is no preflight")
    func plain() async throws {
        let harness = try Harness()
        let plain = try await harness.get("/jwks")
        #expect(!plain.response.fields.contains { $0.name.hasPrefix("Access-Control-") })
        #expect(try await harness.send("OPTIONS", "/jwks", fields: [Self.origin]).status == 405)
        #expect(try await harness.send("OPTIONS", "/auth/v1/token", fields: [Self.origin]).status == 401)
    }

    @Test("The gateway answers a preflight before it looks for a key, and allows what is asked for")
    func gateway() async throws {
        let harness = try Harness()
        for (method, path) in [("POST", "/token"), ("PUT", "/user"), ("PATCH", "/passkeys/x"), ("GET", "/nowhere")] {
            let headers = "apikey,authorization,content-type,x-client-info"
            let leave = try await harness.send("OPTIONS", "/auth/v1" + path, fields: Self.asking(method, headers))
            #expect(leave.status == 200 && leave.response.body.isEmpty)
            #expect(leave.field("Access-Control-Allow-Origin") == "*")
            #expect(leave.field("Access-Control-Allow-Headers") == headers)
            let methods = "GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT"
            #expect(leave.field("Access-Control-Allow-Methods") == methods)
            #expect(leave.field("Access-Control-Allow-Credentials") == nil)
        }
    }

    @Test("Every answer of a project may be read: refusals of its own and of the gateway, faults, unknown places")
    func answers() async throws {
        let harness = try Harness()
        let key = (name: "apikey", value: "sb_publishable_development")
        let refused = try await harness.send(
            "POST", "/auth/v1/token?grant_type=password", fields: [Self.origin, key], body: Array("{}".utf8))
        #expect(refused.status == 400 && refused.field("Access-Control-Allow-Origin") == "*")
        let exposed = "X-Total-Count, Link, X-Supabase-Api-Version"
        #expect(refused.field("Access-Control-Expose-Headers") == exposed)
        #expect(refused.field("Access-Control-Allow-Credentials") == "true")
        let nowhere = try await harness.send("GET", "/auth/v1/nowhere", fields: [Self.origin, key])
        #expect(nowhere.status == 404 && nowhere.field("Access-Control-Allow-Origin") == "*")
        let keyless = try await harness.send("GET", "/auth/v1/user", fields: [Self.origin])
        #expect(keyless.status == 401 && keyless.field("Access-Control-Allow-Origin") == "*")
        #expect(keyless.field("Access-Control-Expose-Headers") == nil)
        for kind in [DevServer.Fault.Kind.html, .empty400, .retryAfter] {
            harness.server.inject(.init(kind, at: .supabaseUser))
            let fault = try await harness.send("GET", "/auth/v1/user", fields: [Self.origin, key])
            #expect(fault.status >= 400 && fault.field("Access-Control-Allow-Origin") == "*")
        }
        harness.server.inject(.init(.status, at: .supabaseToken))
        let asked = try await harness.send("OPTIONS", "/auth/v1/token", fields: Self.asking("POST"))
        #expect(asked.status == 200, "a preflight uses up no fault")
    }

    @Test(
        "GoTrue without a gateway allows its own methods and header fields, and says nothing to others",
        arguments: [
            ("POST", "content-type, x-client-info, X-Supabase-Api-Version", true), ("DELETE", "authorization", true),
            ("get", nil, true), ("PATCH", nil, false), ("HEAD", nil, false), ("POST", "apikey", false),
            ("POST", "content-type,x-mine", false),
        ] as [(String, String?, Bool)])
    func alone(method: String, headers: String?, isAllowed: Bool) async throws {
        let harness = try Harness { $0.supabase.publishableKey = nil }
        let leave = try await harness.send("OPTIONS", "/auth/v1/user", fields: Self.asking(method, headers))
        #expect(leave.status == 204 && leave.field("Vary")?.contains("Origin") == true)
        #expect(leave.field("Access-Control-Allow-Origin") == (isAllowed ? "*" : nil))
        #expect(leave.field("Access-Control-Allow-Methods") == (isAllowed ? method.uppercased() : nil))
        #expect(leave.field("Access-Control-Allow-Headers") == (isAllowed ? headers : nil))
        #expect(leave.field("Access-Control-Allow-Credentials") == (isAllowed ? "true" : nil))
        let answer = try await harness.send("PATCH", "/auth/v1/passkeys/x", fields: [Self.origin])
        #expect(answer.field("Access-Control-Allow-Origin") == nil)
    }

    @Test("A preflight and what follows it work over a socket", .timeLimit(.minutes(1)))
    func socket() async throws {
        let harness = try Harness()
        let port = harness.server.port
        let fields = ["Origin: http://localhost:3000", "Access-Control-Request-Method: POST"]
        let leave = try await SocketClient.send(port, "OPTIONS", "/auth/v1/token", fields: fields)
        #expect(leave.status == 200 && leave.field("Access-Control-Allow-Origin") == "*")
        let answer = try await SocketClient.send(port, "GET", "/jwks", fields: ["Origin: null"])
        #expect(answer.status == 200 && answer.field("Access-Control-Allow-Origin") == "*")
    }
}
