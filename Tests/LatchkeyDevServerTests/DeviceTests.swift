import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import Testing

@Suite("Device grant")
struct DeviceTests {
    static let client: Harness.Pairs = [("client_id", "dev-device"), ("scope", "openid offline_access")]

    static func begin(_ harness: Harness) async throws -> (code: String, userCode: String) {
        let answer = try await harness.post("/device_authorization", client)
        #expect(answer.status == 200)
        return (
            try #require(answer.json["device_code"]?.string), try #require(answer.json["user_code"]?.string)
        )
    }

    static func poll(_ harness: Harness, _ code: String, client: String = "dev-device") async throws -> Answer {
        try await harness.post(
            "/token", [("grant_type", Harness.deviceGrant), ("client_id", client), ("device_code", code)])
    }

    @Test("A device waits until somebody approves, then gets tokens once")
    func happy() async throws {
        let harness = try Harness(autoApprove: false)
        let device = try await Self.begin(harness)
        #expect(try await Self.poll(harness, device.code).error == "authorization_pending")
        let typed = device.userCode.lowercased().replacing("-", with: " ")
        #expect(harness.server.approve(userCode: typed, as: "grace"))
        harness.advance(5)
        let answer = try await Self.poll(harness, device.code)
        #expect(answer.status == 200)
        let token = try answer.idToken(verifiedBy: try await harness.get("/jwks").json)
        #expect(token.claims["sub"] == .string("user-grace"))
        #expect(token.claims["nonce"] == nil)
        #expect(!answer.refreshToken.isEmpty)
        #expect(try await harness.isAccepted(answer.accessToken))
    }

    @Test("A form with raw spaces is a form: a device and a refresh with several scopes, by a client with a secret")
    func rawSpaces() async throws {
        let harness = try Harness()
        let fields = [Harness.formType, TokenRequestTests.basic("dev-agent", "dev-agent-secret")]
        func send(_ target: String, _ body: String) async throws -> Answer {
            try await harness.send("POST", target, fields: fields, body: Array(body.utf8))
        }
        let begun = try await send("/device_authorization", "client_id=dev-agent&scope=openid offline_access")
        #expect(begun.status == 200, "\(begun.text)")
        let code = try #require(begun.json["device_code"]?.string)
        let granted = try await send("/token", "grant_type=\(Harness.deviceGrant)&device_code=\(code)")
        #expect(granted.status == 200 && granted.json["scope"] == "openid offline_access")
        let refreshed = try await send(
            "/token", "grant_type=refresh_token&refresh_token=\(granted.refreshToken)&scope=openid offline_access")
        #expect(refreshed.status == 200 && refreshed.refreshToken != granted.refreshToken)
        let tab = try await send("/token", "grant_type=refresh_token&scope=openid\toffline_access")
        #expect(tab.error == "invalid_request")
    }

    @Test("The answer has everything RFC 8628 wants")
    func members() async throws {
        let harness = try Harness(autoApprove: false)
        let answer = try await harness.post("/device_authorization", Self.client)
        let userCode = try #require(answer.json["user_code"]?.string)
        #expect(userCode.count == 9)
        let page = "\(harness.server.issuer)/device"
        #expect(answer.json["verification_uri"] == .string(page))
        #expect(answer.json["verification_uri_complete"] == .string("\(page)?user_code=\(userCode)"))
        #expect(answer.json["interval"] == .integer(5))
        #expect(answer.json["expires_in"] == .integer(600))
        #expect(answer.field("Cache-Control") == "no-store")
    }

    @Test("A code redeemed twice kills the tokens of the first time")
    func replay() async throws {
        let harness = try Harness()
        let device = try await Self.begin(harness)
        let first = try await Self.poll(harness, device.code)
        #expect(try await Self.poll(harness, device.code).error == "invalid_grant")
        #expect(try await !harness.isAccepted(first.accessToken))
    }

    @Test("Each poll that comes too early costs five seconds more, for good")
    func slowDown() async throws {
        let harness = try Harness(autoApprove: false)
        let device = try await Self.begin(harness)
        let steps: [(wait: Double, error: String)] = [
            (0, "authorization_pending"), (4, "slow_down"), (5, "slow_down"), (15, "authorization_pending"),
            (14, "slow_down"), (20, "authorization_pending"), (5, "slow_down"),
        ]
        for step in steps {
            harness.advance(step.wait)
            #expect(try await Self.poll(harness, device.code).error == step.error)
        }
        #expect(harness.server.approve(userCode: device.userCode))
        #expect(try await Self.poll(harness, device.code).error == "slow_down")
        harness.advance(30)
        #expect(try await Self.poll(harness, device.code).status == 200)
    }

    @Test("A denial is told once, then the code is gone")
    func denied() async throws {
        let harness = try Harness(autoApprove: false)
        let device = try await Self.begin(harness)
        #expect(harness.server.deny(userCode: device.userCode))
        #expect(!harness.server.approve(userCode: device.userCode))
        #expect(try await Self.poll(harness, device.code).error == "access_denied")
        harness.advance(60)
        #expect(try await Self.poll(harness, device.code).error == "invalid_grant")
    }

    @Test("A code expires, approved or not")
    func expired() async throws {
        let harness = try Harness(autoApprove: false)
        let device = try await Self.begin(harness)
        let approved = try await Self.begin(harness)
        #expect(harness.server.approve(userCode: approved.userCode))
        harness.advance(600)
        #expect(try await Self.poll(harness, device.code).error == "expired_token")
        #expect(try await Self.poll(harness, approved.code).error == "expired_token")
        #expect(!harness.server.approve(userCode: device.userCode))
    }

    @Test("A poll with the wrong code, client or parameters is refused and spends nothing")
    func refusals() async throws {
        let harness = try Harness()
        let device = try await Self.begin(harness)
        #expect(try await Self.poll(harness, "ddc_x").error == "invalid_grant")
        #expect(try await Self.poll(harness, device.userCode).error == "invalid_grant")
        #expect(try await Self.poll(harness, device.code, client: "dev-native").error == "unauthorized_client")
        #expect(try await Self.poll(harness, device.code, client: "nobody").error == "invalid_client")
        #expect(try await Self.poll(harness, "").error == "invalid_request")
        #expect(try await Self.poll(harness, device.code).status == 200)
    }

    @Test("A device request is refused for an unknown client, scope or grant")
    func requestRefusals() async throws {
        let harness = try Harness()
        let table: [(Harness.Pairs, String)] = [
            ([], "invalid_request"), ([("client_id", "nobody")], "invalid_client"),
            ([("client_id", "dev-native")], "unauthorized_client"),
            ([("client_id", "dev-device"), ("scope", "admin")], "invalid_scope"),
            ([("client_id", "dev-device"), ("client_secret", "x")], "invalid_client"),
            ([("client_id", "dev-device"), ("client_id", "dev-device")], "invalid_request"),
        ]
        for (form, error) in table {
            #expect(try await harness.post("/device_authorization", form).error == error)
        }
    }

    @Test("The table of devices forgets the oldest")
    func bounded() async throws {
        let harness = try Harness()
        let first = try await Self.begin(harness)
        for _ in 0..<999 { _ = try await Self.begin(harness) }
        let answer = try await Self.poll(harness, first.code)
        #expect(answer.status == 200)
        let second = try await Self.begin(harness)
        #expect(try await Self.poll(harness, first.code).error == "invalid_grant")
        #expect(try await Self.poll(harness, second.code).status == 200)
    }
}
