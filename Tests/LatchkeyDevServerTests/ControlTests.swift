import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import Testing

@Suite("Control endpoints")
struct ControlTests {
    @Test("Control needs its field, so that no web page can drive it")
    func field() async throws {
        let harness = try Harness()
        let fields: [Harness.Pairs] = [
            [], [("X-Latchkey-Control", "0")], [("X-Latchkey-Control", "")],
            [("X-Latchkey-Control", "1"), ("X-Latchkey-Control", "1")],
        ]
        for fields in fields {
            for (method, command) in [("POST", "faults"), ("GET", "log"), ("OPTIONS", "faults"), ("POST", "x")] {
                let answer = try await harness.send(method, "/control/\(command)", fields: fields)
                #expect(answer.status == 403)
                #expect(answer.field("Access-Control-Allow-Origin") == nil)
            }
        }
    }

    @Test("Every kind of fault can be asked for", arguments: DevServer.Fault.Kind.allCases)
    func kinds(kind: DevServer.Fault.Kind) async throws {
        let harness = try Harness()
        let document = """
            {"endpoint":"token","kind":"\(kind.rawValue)","count":1,"milliseconds":1,"status":503,"seconds":1}
            """
        #expect(try await harness.control("faults", document).status == 200)
    }

    @Test(
        "Commands that are malformed are refused",
        arguments: [
            ("faults", "{}"), ("faults", #"{"endpoint":"token","kind":"explode"}"#),
            ("faults", #"{"endpoint":"nowhere","kind":"drop"}"#), ("faults", #"{"endpoint":"token","kind":1}"#),
            ("faults", #"{"endpoint":"token","kind":"drop","count":0}"#),
            ("faults", #"{"endpoint":"token","kind":"drop","kind":"hold"}"#),
            ("faults", #"{"endpoint":"token","kind":"drop","grant":"password"}"#), ("faults", "["), ("faults", "x"),
            ("approve", "{}"), ("approve", #"{"user_code":"BBBB-BBBB"}"#), ("deny", #"{"user_code":"BBBB-BBBB"}"#),
            ("revoke", "{}"), ("configure", #"{"accessTokenLifetime":0}"#), ("configure", #"{"unknown":1}"#),
            ("configure", #"{"rotation":"sideways"}"#), ("configure", #"{"autoApprove":1}"#),
            ("describe", "{}"), ("describe", #"{"subject":"nobody"}"#),
            ("describe", #"{"subject":"user-ada","claims":[]}"#), ("configure", #"{"signsUserInfo":"yes"}"#),
            ("rotate-keys", #"{"keep":"yes"}"#), ("release", #"{"count":"all"}"#),
        ])
    func malformed(command: String, document: String) async throws {
        #expect(try await Harness().control(command, document).status == 400)
    }

    @Test("Unknown commands and methods are refused")
    func unknown() async throws {
        let harness = try Harness()
        let field: Harness.Pairs = [("X-Latchkey-Control", "1")]
        #expect(try await harness.control("explode").status == 404)
        #expect(try await harness.send("GET", "/control/faults", fields: field).status == 405)
        #expect(try await harness.send("POST", "/control/log", fields: field).status == 405)
    }

    @Test("Held answers are released through control, a few at a time", .timeLimit(.minutes(1)))
    func release() async throws {
        let harness = try Harness()
        #expect(try await harness.control("faults", #"{"endpoint":"jwks","kind":"hold","count":3}"#).status == 200)
        let tasks = (0..<3).map { _ in Task { try await harness.get("/jwks").status } }
        while harness.server.heldAnswers < 3 { await Task.yield() }
        #expect(try await harness.control("release", #"{"count":2}"#).json["released"] == .integer(2))
        #expect(try await harness.control("release").json["released"] == .integer(1))
        for task in tasks { #expect(try await task.value == 200) }
        #expect(try await harness.control("faults", #"{"endpoint":"jwks","kind":"hold"}"#).status == 200)
        let dropped = Task { try await harness.ask("GET", "/jwks") == nil }
        while harness.server.heldAnswers == 0 { await Task.yield() }
        #expect(try await harness.control("release", #"{"drop":true}"#).json["released"] == .integer(1))
        #expect(try await dropped.value)
    }

    @Test("Devices are approved and denied, subjects revoked, through control")
    func people() async throws {
        let harness = try Harness(autoApprove: false)
        let first = try await DeviceTests.begin(harness)
        let second = try await DeviceTests.begin(harness)
        let nobody = #"{"user_code":"\#(first.userCode)","user":"nobody"}"#
        #expect(try await harness.control("approve", nobody).status == 400)
        let grace = #"{"user_code":"\#(first.userCode)","user":"grace"}"#
        #expect(try await harness.control("approve", grace).status == 200)
        #expect(try await harness.control("deny", #"{"user_code":"\#(second.userCode)"}"#).status == 200)
        let answer = try await DeviceTests.poll(harness, first.code)
        #expect(try await DeviceTests.poll(harness, second.code).error == "access_denied")
        #expect(try await harness.control("revoke", #"{"subject":"user-ada"}"#).status == 200)
        #expect(try await harness.isAccepted(answer.accessToken))
        #expect(try await harness.control("revoke", #"{"subject":"user-grace"}"#).status == 200)
        #expect(try await !harness.isAccepted(answer.accessToken))
    }

    @Test("Rotated keys are published beside the old ones, or alone", arguments: DevServer.Signing.allCases)
    func rotation(signing: DevServer.Signing) async throws {
        let harness = try Harness { $0.signing = signing }
        let old = try await harness.signIn()
        #expect(try await harness.control("rotate-keys", #"{"keep":true}"#).status == 200)
        let new = try await harness.signIn()
        let both = try await harness.get("/jwks").json
        #expect(both["keys"]?.array?.count == 2)
        #expect(both["keys"]?.array?.allSatisfy { $0["d"] == nil && $0["use"] == .string("sig") } == true)
        let first = try old.idToken(verifiedBy: both)
        let second = try new.idToken(verifiedBy: both)
        #expect(first.header["kid"] != second.header["kid"])
        #expect(try await harness.control("rotate-keys", #"{"keep":false}"#).status == 200)
        let alone = try await harness.get("/jwks").json
        #expect(alone["keys"]?.array?.count == 1)
        #expect(alone["keys"]?.array?.contains { $0["kid"] == second.header["kid"] } == false)
        _ = try await harness.signIn().idToken(verifiedBy: alone)
    }

    @Test("Lifetimes, rotation, skew and approval change while the server runs")
    func configure() async throws {
        let harness = try Harness(autoApprove: false)
        let document = """
            {"accessTokenLifetime":2,"idTokenLifetime":3,"clockSkew":-3600,"autoApprove":true,"rotation":"none"}
            """
        #expect(try await harness.control("configure", document).status == 200)
        let answer = try await harness.signIn()
        #expect(answer.json["expires_in"] == .integer(2))
        let token = try answer.idToken(verifiedBy: try await harness.get("/jwks").json)
        #expect(token.claims["iat"] == .integer(Int64(Harness.start) - 3600))
        #expect(token.claims["exp"] == .integer(Int64(Harness.start) - 3597))
        #expect(answer.field("Date") == "Wed, 18 Nov 2026 10:06:40 GMT")
        #expect(try await harness.refresh(answer.refreshToken).json["refresh_token"] == nil)
    }

    @Test("The log counts what was accepted, and holds no secret")
    func log() async throws {
        let harness = try Harness()
        let first = try await harness.signIn()
        _ = try await harness.refresh(first.refreshToken)
        _ = try await harness.refresh(first.refreshToken)
        _ = try await harness.post("/token", [("grant_type", "surprise"), ("client_id", "nobody")])
        harness.server.inject(.init(.drop, at: .token, grant: .refreshToken))
        _ = try await harness.ask(
            "POST", "/token", fields: [Harness.formType],
            body: Harness.encoded(Harness.refreshing(first.refreshToken)))
        let entries = harness.server.log()
        #expect(entries.map(\.sequence) == Array(1...6))
        #expect(entries.map(\.endpoint) == [.authorize, .token, .token, .token, .token, .token])
        #expect(
            entries.map(\.outcome) == ["ok", "ok", "ok", "invalid_grant", "invalid_client", "not_reached"])
        #expect(
            entries.map(\.grant) == [
                "authorization_code", "authorization_code", "refresh_token", "refresh_token", "other",
                "refresh_token",
            ])
        #expect(entries.map(\.client) == ["dev-native", "dev-native", "dev-native", "dev-native", nil, nil])
        #expect(entries.last?.fault == .drop)
        let answer = try await harness.send("GET", "/control/log", fields: [("X-Latchkey-Control", "1")])
        #expect(answer.json["total"] == .integer(6))
        #expect(answer.json["entries"]?.array?.count == 6)
        #expect(answer.json["entries"]?.array?.first?["outcome"] == .string("ok"))
        for secret in [first.accessToken, first.refreshToken, Harness.verifier, "s+t/1", "nobody", "surprise"] {
            #expect(!answer.text.contains(secret))
        }
    }

    @Test("The log names the program that asked, in 64 characters, and the approval that an exchange made")
    func agents() async throws {
        let harness = try Harness()
        let first = try await harness.signIn()
        let body = Harness.encoded(Harness.refreshing(first.refreshToken))
        for agent in ["notes/1.0", String(repeating: "x", count: 100)] {
            _ = try await harness.ask(
                "POST", "/token", fields: [Harness.formType, ("User-Agent", agent)], body: body)
        }
        let entries = harness.server.log().filter { $0.endpoint == .token }
        #expect(entries.map(\.agent) == [nil, "notes/1.0", String(repeating: "x", count: 64)])
        #expect(entries.map(\.family) == [1, 1, 1])
        #expect(entries.first?.generation == nil && entries[1].generation == 1)
    }

    @Test("The log keeps the latest 10,000")
    func logBound() async throws {
        let harness = try Harness()
        for _ in 0..<20_005 { _ = try await harness.get("/resource") }
        let entries = harness.server.log()
        #expect(entries.count == 10_000)
        #expect(entries.first?.sequence == 10_006 && entries.last?.sequence == 20_005)
    }
}
