import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore
import Testing

@Suite("The device grant (RFC 8628)")
struct DeviceTests {
    private static let full =
        #"{"device_code":"dc","user_code":"AB-CD","verification_uri":"https://id.example/d","#
        + #""verification_uri_complete":"https://id.example/d?c=AB-CD","expires_in":600,"interval":7}"#

    private func read(_ text: String) throws(JSONError) -> DeviceAuthorization {
        try DeviceAuthorization.read(Array(text.utf8))
    }

    @Test("the answer with all members")
    func everything() throws {
        var dumped = ""
        dump(try read(Self.full), to: &dumped)
        for text in ["\(try read(Self.full))", dumped] {
            #expect(text.contains("device code <redacted> at https://") && !text.contains("WDJB"))
        }
        let answer = try read(Self.full)
        #expect(answer.deviceCode == Secret("dc") && answer.userCode == "AB-CD")
        #expect(
            answer.verificationURI == "https://id.example/d" && answer.completeURI == "https://id.example/d?c=AB-CD")
        #expect(answer.expiresIn == .seconds(600) && answer.interval == .seconds(7))
    }

    @Test(
        "each required member that is missing is named",
        arguments: ["device_code", "user_code", "verification_uri", "expires_in"])
    func missing(_ member: String) throws {
        var members = try #require(try JSON.parse(Array(Self.full.utf8)).object)
        members[member] = nil
        let body = JSON.object(members).serialized()
        #expect(
            failure { () throws(JSONError) in _ = try DeviceAuthorization.read(body) }
                == JSONError(.missing, at: "$.\(member)"))
    }

    @Test(
        "the interval has a default and bounds",
        arguments: [
            Row("absent", "", .seconds(5)), Row("zero", #","interval":0"#, .seconds(1)),
            Row("negative", #","interval":-9"#, .seconds(1)), Row("text", #","interval":"8""#, .seconds(8)),
            Row("huge", #","interval":1e9"#, .seconds(300)), Row("nonsense", #","interval":{}"#, .seconds(5)),
        ] as [Row<String, Duration>])
    func interval(_ row: Row<String, Duration>) throws {
        let text =
            #"{"device_code":"d","user_code":"u","verification_url":"https://x.example/","expires_in":"9e9"\#(row.input)}"#
        let answer = try read(text)
        #expect(answer.interval == row.expected && answer.expiresIn == .seconds(86_400))
        #expect(answer.verificationURI == "https://x.example/")
    }

    @Test(
        "nobody is sent to an address that is not safe", arguments: ["http://id.example/d", "javascript:alert(1)", "d"])
    func unsafe(_ address: String) {
        let text = #"{"device_code":"d","user_code":"u","verification_uri":"\#(address)","expires_in":9}"#
        #expect(
            failure { () throws(JSONError) in _ = try read(text) } == JSONError(.wrongType, at: "$.verification_uri"))
    }

    @Test(
        "a refused request says why",
        arguments: [
            Row(
                "unknown client", TransportResponse(401, #"{"error":"invalid_client"}"#), .configuration(.clientRefused)
            ),
            Row(
                "not allowed", TransportResponse(400, #"{"error":"unauthorized_client"}"#),
                .configuration(.clientRefused)),
            Row("bad scope", TransportResponse(400, #"{"error":"invalid_scope"}"#), .refused(.scope)),
            Row("200 with error", TransportResponse(200, #"{"error":"invalid_request"}"#), .configuration(.invalid)),
            Row("429", TransportResponse(429), .rateLimited), Row("500", TransportResponse(500), .serviceTrouble),
            Row("a page", TransportResponse(200, "<html>"), .offline(.unreachable)),
            Row("a firewall", TransportResponse(403, "<html>"), .serviceTrouble),
            Row("nothing in it", TransportResponse(200, "{}"), .serviceTrouble),
            Row("half of it", TransportResponse(200, #"{"device_code":"d"}"#), .untrusted(.malformed)),
        ] as [Row<TransportResponse, AuthError.Code>])
    func refusedRequest(_ row: Row<TransportResponse, AuthError.Code>) {
        let error = failure { () throws(AuthError) in _ = try DeviceAuthorization.judge(row.input, now: noon) }
        #expect(error?.code == row.expected)
    }

    @Test(
        "each answer to a poll has one meaning",
        arguments: [
            Row("pending", TransportResponse(400, #"{"error":"authorization_pending"}"#), "pending"),
            Row("pending with 200", TransportResponse(200, #"{"error":"authorization_pending"}"#), "pending"),
            Row("slow_down", TransportResponse(400, #"{"error":"slow_down"}"#), "slowDown"),
            Row("denied", TransportResponse(400, #"{"error":"access_denied"}"#), "denied"),
            Row("expired", TransportResponse(400, #"{"error":"expired_token"}"#), "expired"),
            Row("forgotten", TransportResponse(400, #"{"error":"invalid_grant"}"#), "stopped"),
            Row("not found", TransportResponse(404, #"{"error":"device_not_found"}"#), "stopped"),
            Row("client refused", TransportResponse(401, #"{"error":"invalid_client"}"#), "stopped"),
            Row("an empty 400", TransportResponse(400), "transient"),
            Row("a gateway's 401", TransportResponse(401, "<html>"), "transient"),
            Row("a firewall", TransportResponse(403, "<html>"), "transient"),
            Row("a gateway's JSON", TransportResponse(403, #"{"message":"Forbidden"}"#), "transient"),
            Row("an unknown code", TransportResponse(400, #"{"error":"hush"}"#), "stopped"),
            Row("no token", TransportResponse(200, #"{"token_type":"Bearer"}"#), "stopped"),
            Row("nothing in it", TransportResponse(200, "{}"), "transient"),
            Row("a page with 200", TransportResponse(200, "<html>"), "transient"),
            Row("a page with 404", TransportResponse(404, "<html>"), "elsewhere"),
            Row("moved", TransportResponse(308, "", ["Location": "https://new.example/"]), "elsewhere"),
            Row("sent on to a sign-in", TransportResponse(302, "<html>", ["Location": "/login"]), "elsewhere"),
            Row("429", TransportResponse(429, #"{"error":"x"}"#, ["Retry-After": "3"]), "transient"),
            Row("503", TransportResponse(503), "transient"),
            Row("tokens", TransportResponse(200, #"{"access_token":"a"}"#), "tokens"),
        ])
    func polls(_ row: Row<TransportResponse, String>) {
        #expect("\(DevicePoll.judge(row.input, now: noon))".prefix { $0 != "(" } == row.expected)
    }

    @Test(
        "a proof key is wanted where the service says so in a refusal, and nowhere else",
        arguments: [
            Row(
                "Keycloak",
                #"{"error":"invalid_request","error_description":"Missing parameter: code_challenge_method"}"#, true),
            Row("in words", #"{"error":"invalid_request","error_description":"PKCE is required"}"#, true),
            Row(
                "another parameter", #"{"error":"invalid_request","error_description":"Missing parameter: scope"}"#,
                false),
            Row("no words", #"{"error":"invalid_request"}"#, false),
            Row("another code", #"{"error":"invalid_client","error_description":"code_challenge"}"#, false),
            Row("a page", "code_challenge", false),
        ] as [Row<String, Bool>])
    func wantsProofKey(_ row: Row<String, Bool>) {
        #expect(DeviceAuthorization.wantsProofKey(TransportResponse(400, row.input)) == row.expected)
    }

    @Test("a failure says in which of the two requests it was, and no code is told as something entered")
    func named() {
        let refusals = [
            ("invalid_client", "in the device authorization request"),
            ("invalid_request", "to the device authorization request"),
            ("odd_word", "the device authorization request with `odd_word`"),
        ]
        for (code, words) in refusals {
            let response = TransportResponse(400, #"{"error":"\#(code)"}"#)
            let error = failure { () throws(AuthError) in _ = try DeviceAuthorization.judge(response, now: noon) }
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
            guard case .stopped(let stopped) = DevicePoll.judge(response, now: noon) else {
                Issue.record("\(code) does not stop the polls")
                continue
            }
            #expect(stopped.authError(for: .device).message.contains("device token poll"))
        }
        let used = DevicePoll.judge(TransportResponse(400, #"{"error":"invalid_grant"}"#), now: noon)
        guard case .stopped(let failure) = used else {
            Issue.record("\(used)")
            return
        }
        #expect(
            failure.authError(for: .device).message
                == "The service refused the device code in the device token poll with `invalid_grant`.")
    }

    @Test("the body names a client that authenticates by Basic too, and has the challenge of a proof key")
    func requestOfClient() throws {
        let pkce = try #require(ProofKey(random: Array(repeating: 7, count: 32)))
        let request = DeviceAuthorization.request(
            scopes: ["x"], pkce: pkce, to: "https://id.example/d", clientID: "id", authentication: .basic(Secret("s")))
        #expect(request.fields["Authorization"] != nil)
        #expect(
            String(decoding: request.body ?? [], as: UTF8.self)
                == "client_id=id&scope=x&code_challenge=\(pkce.challenge)&code_challenge_method=S256")
        let poll = TokenGrant.device(Secret("d"), verifier: pkce.verifier).request(
            to: "https://id.example/t", clientID: "id", authentication: .none)
        #expect(
            String(decoding: poll.body ?? [], as: UTF8.self).contains("&code_verifier=\(pkce.verifier.revealText())&"))
    }

    @Test("the request names scopes and resources")
    func request() {
        let request = DeviceAuthorization.request(
            scopes: ["openid", "x"], resources: ["https://a"], to: "https://id.example/d", clientID: "id",
            authentication: .none)
        #expect(
            String(decoding: request.body ?? [], as: UTF8.self)
                == "scope=openid+x&resource=https%3A%2F%2Fa&client_id=id")
    }
}
