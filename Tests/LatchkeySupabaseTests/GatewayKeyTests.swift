import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

@testable import LatchkeySupabase

@Suite("What gateways answer for a wrong key") struct GatewayKeyTests {
    private static let signIn: SignInRequest = SignInRequest.signIn(
        .password(identifier: "ada@example.test", Secret("correct horse")))

    private func error(_ status: Int, _ body: String, _ fields: HeaderFields, refreshing: Bool) async throws
        -> AuthError
    {
        let scene = Scene()
        let path = "/token?grant_type=\(refreshing ? "refresh_token" : "password")"
        let answer = TransportResponse(status: status, fields: fields, body: Array(body.utf8))
        scene.transport.expect("POST", Scene.url + path, .answer(answer))
        return try await trouble {
            if refreshing { _ = try await scene.refresh() } else { _ = try await scene.begin(Self.signIn) }
        }
    }

    @Test(
        "sign-in and refresh say the same of a wrong key, whichever gateway refuses it",
        arguments: [
            (401, #"{"message":"Invalid authentication credentials"}"#), (401, #"{"message":"Unauthorized"}"#),
            (401, #"{"message":"No API key found in request"}"#),
            (
                401,
                #"{"message":"Invalid API key","hint":"Double check your Supabase `anon` or `service_role` API key."}"#
            ),
            (403, #"{"message":"Unregistered API key"}"#),
        ])
    func keys(_ status: Int, _ body: String) async throws {
        for fields in [["Server": "kong"], ["WWW-Authenticate": "Key realm=kong"]] as [HeaderFields] {
            for refreshing in [false, true] {
                let told = try await error(status, body, fields, refreshing: refreshing)
                #expect(told.code == .configuration(.clientRefused), "\(body)")
                #expect(told.message == "The publishable key is not accepted for this project.")
            }
        }
    }

    @Test(
        "what says nothing about a key is a gateway's answer, and says nothing about the session",
        arguments: [
            (401, "<html>Staff only</html>", ["WWW-Authenticate": "Basic realm=x"]),
            (401, #"{"message":"Unauthorized"}"#, ["WWW-Authenticate": "Basic realm=x"]),
            (401, #"{"message":"Unauthorized"}"#, [:]),
            (401, #"{"message":"Unauthorized"}"#, ["x-amzn-ErrorType": "UnauthorizedException"]),
            (401, #"{"message":"Unauthorized","statusCode":401}"#, ["X-Powered-By": "Express"]),
            (401, "Unauthorized", [:]), (403, "<html>Forbidden</html>", [:]), (403, "RBAC: access denied", [:]),
            (403, #"{"message":"You cannot consume this service"}"#, [:]), (403, #"{"message":"Unauthorized"}"#, [:]),
            (404, #"{"message":"no Route matched with those values"}"#, [:]), (400, "<html>Bad Request</html>", [:]),
        ] as [(Int, String, HeaderFields)])
    func pages(_ status: Int, _ body: String, _ fields: HeaderFields) async throws {
        for refreshing in [false, true] {
            let told = try await error(status, body, fields, refreshing: refreshing)
            #expect(told.foreign?.status == status && told.recovery == .retryLater, "\(body)")
        }
    }

    @Test(
        "a session whose person has a firewall's word in a name is no firewall's page",
        arguments: ["captcha", "Anubis", "Access denied", "just a moment", "blocked by", "appfw"])
    func names(_ word: String) async throws {
        let user: [String: JSON] = [
            "email": .string("\(word)@example.test"),
            "user_metadata": ["name": .string(word)], "factors": [["id": "f1", "friendly_name": .string(word)]],
        ]
        for refreshing in [false, true] {
            let scene = Scene()
            let path = "/token?grant_type=\(refreshing ? "refresh_token" : "password")"
            scene.expect("POST", path, 200, session(user: user))
            if refreshing {
                #expect(try await scene.refresh().refreshToken == Secret("r2"))
            } else {
                #expect(try await scene.begin(Self.signIn).grant().refreshToken == Secret("r2"))
            }
        }
    }

    @Test("a firewall's JSON with status 200 is no answer of the service")
    func firewall() async throws {
        let bodies = [
            #"{"url":"https://geo.captcha-delivery.com/captcha/?initialCid=1"}"#, #"{"message":"Access denied"}"#,
            #"["captcha"]"#,
        ]
        for body in bodies {
            for refreshing in [false, true] {
                let told = try await error(200, body, [:], refreshing: refreshing)
                #expect(told.foreign?.kind == .blocked && told.recovery == .retryLater, "\(body)")
            }
        }
    }

    @Test("a notice of maintenance with status 200 is not taken for a mail that was sent")
    func notice() async throws {
        let scene = Scene()
        let asked: [(String, SignInRequest)] = [
            ("otp", .signIn(.link(identifier: "ada@example.test"))),
            ("recover", .recover(identifier: "ada@example.test")),
        ]
        for (path, request) in asked {
            scene.expect("POST", "/\(path)?redirect_to=app%3A%2F%2Fcb", 200, ["status": "maintenance"])
            let told = try await trouble { _ = try await scene.begin(request) }
            #expect(told.foreign?.status == 200 && told.recovery == .retryLater)
        }
    }
}
