import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyPluginKit
import LatchkeyTesting
import Testing

@Suite struct JSONServiceTests {
    @Test("A request carries its members, its fields and its token, and asks for JSON")
    func request() async throws {
        let one = OneAnswer(200, #"{"access_token":"a"}"#)
        var service = one.service()
        service.fields = ["apikey": "key", "Content-Type": "application/x-amz-json-1.1"]
        let answer = try await service.post(
            "/token", ["refresh_token": .revealing(Secret("r")), "absent": nil], fields: ["apikey": "other"],
            bearer: Secret("b"))
        #expect(try answer["access_token"].string() == "a")
        let request = try #require(one.transport.requests.first)
        #expect(request.method == "POST")
        #expect(request.url == "https://id.example.com/v1/token")
        #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == #"{"refresh_token":"r"}"#)
        #expect(request.fields["Accept"] == "application/json")
        #expect(request.fields.all("Content-Type") == ["application/x-amz-json-1.1"])
        #expect(request.fields.all("apikey") == ["other"])
        #expect(request.fields["Authorization"] == "Bearer b")
        #expect(!request.mayBeWrittenTwice)
    }

    @Test("A GET has no content")
    func get() async throws {
        let one = OneAnswer(200, "[1]")
        #expect(try await one.service().get("/token").body.array?.count == 1)
        #expect(one.transport.requests.first?.body == nil)
        #expect(one.transport.requests.first?.fields["Content-Type"] == nil)
    }

    @Test("A success without content has no members, and what is missing is named")
    func empty() async throws {
        let answer = try await OneAnswer(204, "").service().post("/token")
        #expect(answer.status == 204)
        let error = #expect(throws: JSONError.self) { try answer["access_token"].string() }
        #expect(error == JSONError(.missing, at: "$.access_token"))
    }

    @Test(
        "What is not of the service's form is something else's answer, and passes",
        arguments: [
            (200, "<html>Welcome</html>"), (200, "null"), (200, "token"), (200, "{\"a\":1"), (200, "{\"a\":1,\"a\":2}"),
            (302, ""), (301, "{}"), (304, ""), (101, ""), (600, "{}"),
        ])
    func foreign(status: Int, body: String) async throws {
        let error = try #require(await OneAnswer(status, body).failure() as? AuthError)
        #expect(error.recovery == .retryLater)
        #expect(error.foreign?.status == status && error.foreign?.place == "https://id.example.com")
    }

    @Test(
        "A provider says what is of its service's form, and nothing else reaches it, whatever the status",
        arguments: [200, 400, 401, 403, 404, 429, 500], [#"{"message":"Forbidden"}"#, "[]", "<html>", ""])
    func own(status: Int, body: String) async throws {
        var service = OneAnswer(status, body, ["Retry-After": "9"]).service()
        service.isOwn = { _, body in body["__type"] != nil }
        service.explaining = { _ in AuthError(.refused(.other), "It was explained.") }
        let error = await #expect(throws: AuthError.self) { try await service.post("/token") }
        #expect(error?.recovery == .retryLater && error?.retryAfter == .seconds(9))
        #expect(error?.foreign?.status == status)
    }

    @Test("An answer that is larger or deeper than the limits is not trusted")
    func limits() async {
        let one = OneAnswer(200, #"{"a":[[["b"]]]}"#)
        var service = one.service()
        for limits in [JSONLimits(bytes: 8), JSONLimits(depth: 2)] {
            service.limits = limits
            let error = await #expect(throws: AuthError.self) { try await service.post("/token") }
            #expect(error?.code == .untrusted(.malformed))
        }
    }

    @Test(
        "Trouble is told with its wait, whatever its body says",
        arguments: [429, 500, 502, 503, 504, 599],
        [#"{"error":"invalid_grant"}"#, "<html></html>", ""])
    func trouble(status: Int, body: String) async throws {
        let answer = OneAnswer(status, body, ["Retry-After": "17", "X-Request-ID": "r-1"])
        let error = try #require(await answer.failure() as? AuthError)
        #expect(error.code == (status == 429 ? .rateLimited : .serviceTrouble))
        #expect(error.retryAfter == .seconds(17))
        #expect(error.requestID == "r-1")
        #expect(error.provider == "example")
        #expect(await OneAnswer(status, body, ["Retry-After": "soon"]).failure() as? AuthError != nil)
    }

    @Test("A wait until a date counts by the service's clock")
    func date() async throws {
        let fields: HeaderFields = [
            "Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:07 GMT",
        ]
        #expect((await OneAnswer(503, "", fields).failure() as? AuthError)?.retryAfter == .seconds(30))
    }

    @Test("An error answer has the service's own words, and a gateway's has none")
    func errorAnswer() async throws {
        let own = try #require(
            await OneAnswer(400, #"{"error":"x"}"#, ["Retry-After": "3"]).failure() as? JSONService.ErrorAnswer)
        #expect(own.status == 400)
        #expect(own.body["error"]?.string == "x")
        #expect(own.retryAfter == .seconds(3))
        for body in ["", "<html>invalid_grant</html>", "[]", "null", #"{"error":"x"}}"#] {
            let foreign = await OneAnswer(403, body).failure() as? JSONService.ErrorAnswer
            #expect(foreign?.body == .null)
        }
    }

    @Test("A number that is no plain word never reaches an error", arguments: ["a b", "<x>", "", "ü", "very\nsecret"])
    func requestID(number: String) async throws {
        let error = try #require(await OneAnswer(500, "", ["X-Request-ID": number]).failure() as? AuthError)
        #expect(error.requestID == nil)
    }

    @Test("An error answer means what the call says")
    func explaining() async {
        var service = OneAnswer(409, "{}").service()
        service.explaining = { $0.error(.refused(.other), "It is there already.") }
        let error = await #expect(throws: AuthError.self) { try await service.post("/token") }
        #expect(error?.code == .refused(.other))
    }

    @Test(
        "Nothing leaves for an address that is not below the base, or not safe",
        arguments: [
            ("https://id.example.com", ".evil.example/token"), ("https://id.example.com", "@evil.example/token"),
            ("https://id.example.com", ":8443/token"), ("https://id.example.com", "/token#x"),
            ("http://id.example.com", "/token"), ("ftp://id.example.com", "/token"), ("", "/token"),
            ("https://id.example.com", "/to ken"), ("https://ada@id.example.com", "/token"),
        ])
    func address(base: String, path: String) async throws {
        let one = OneAnswer(200, "{}")
        let error = await one.failure(base, path: path)
        #expect(error is NotSent)
        #expect(error?.meaning == .configuration(.invalid))
        #expect(one.transport.requests.isEmpty)
    }

    @Test(
        "Nothing leaves with a token that would begin another header field", arguments: ["", "a\r\nb: c", "a b", "ü"])
    func bearer(token: String) async {
        let one = OneAnswer(200, "{}")
        #expect(await one.failure(bearer: Secret(token)) is NotSent)
        #expect(one.transport.requests.isEmpty)
    }

    @Test("A transport's error stays what it is")
    func transport() async {
        let lost = TransportError(.timedOut, wasSent: true)
        #expect(await OneAnswer(.failure(lost)).failure() as? TransportError == lost)
        #expect(await OneAnswer(.failure(CancellationError())).failure() is CancellationError)
    }

    @Test("No error prints what was sent or answered", arguments: [200, 302, 400, 401, 404, 429, 500])
    func printing(status: Int) async throws {
        for body in ["very-secret", #"{"error":"very-secret","code":"very-secret"}"#]
        where status != 200 || body.first != "{" {
            let one = OneAnswer(status, body, ["X-Request-ID": "very secret", "Location": "very-secret"])
            let error = try #require(await one.failure(bearer: Secret("very-secret")))
            var shown = "\(error) \(String(reflecting: error))"
            dump(error, to: &shown)
            dump((error as? JSONService.ErrorAnswer)?.refreshError("very-secret", definite: [:]) as Any, to: &shown)
            dump((error as? JSONService.ErrorAnswer)?.error("very-secret", meanings: [:]) as Any, to: &shown)
            #expect(!shown.contains("very-secret"))
        }
        var shown = ""
        dump(try await OneAnswer(200, #"{"a":"very-secret"}"#).service().get("/token"), to: &shown)
        #expect(!shown.contains("very-secret"))
    }
}
