import Latchkey
import LatchkeyCrypto
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@testable import LatchkeyClerk

@Suite("The emulated instance and pages in a browser") struct PageTests {
    @Test("a page gets a token for its browser, signs in by it, and never sees a client token") func signIn()
        async throws
    {
        let page = try RawClient(style: .browser)
        #expect(try await page.send("GET", "/client").content == .null)
        #expect(page.token?.hasPrefix("dvb_") == true)
        let session = try await page.signIn()
        #expect(try await party(page, session) == RawClient.origin)
        #expect(try await page.send("PATCH", "/me", ["first_name": "Ada"], as: session).content["first_name"] == "Ada")
        #expect(page.token?.hasPrefix("dvb_") == true)
        // Another browser is another client.
        #expect(try await RawClient(at: page.server, style: .browser).send("GET", "/client").content == .null)
    }

    /// The party that a session token names.
    private func party(_ client: RawClient, _ session: String) async throws -> String? {
        let answer = try await client.send("POST", "/client/sessions/\(session)/tokens")
        let parts = try #require(answer.json["jwt"]?.string).split(separator: ".")
        return try JSON.parse(Base64URL.decode(parts[1]))["azp"]?.string
    }

    @Test("a session token names the page's origin, and no party for a native program") func party() async throws {
        let native = try RawClient()
        #expect(try await party(native, native.signIn()) == nil)
    }

    @Test("without a browser's token a page is told to get one, and a native program needs none") func none()
        async throws
    {
        let server = try RawClient().server
        func ask(_ query: String) async throws -> RawAnswer {
            var request = TransportRequest("GET", "\(server.clerkURL)/v1/client?\(query)")
            request.fields["Origin"] = RawClient.origin
            return RawAnswer(try await CurlTransport().send(request, deadline: .seconds(20)))
        }
        for query in ["", "__clerk_db_jwt=dvb_invented"] {
            let answer = try await ask(query)
            #expect(answer.status == 401 && answer.code == "dev_browser_unauthenticated")
            #expect(answer.fields["Access-Control-Allow-Origin"] == RawClient.origin)
            #expect(answer.fields["Access-Control-Allow-Credentials"] == "true")
        }
        let native = try await ask("_is_native=1")
        #expect(native.status == 200 && native.fields["Access-Control-Allow-Origin"] == nil)
    }

    @Test("a page that asks before it sends is allowed, with all methods") func preflight() async throws {
        let server = try RawClient().server
        var request = TransportRequest("OPTIONS", "\(server.clerkURL)/v1/client/sign_ins")
        request.fields["Origin"] = RawClient.origin
        request.fields["Access-Control-Request-Method"] = "PATCH"
        request.fields["Access-Control-Request-Headers"] = "content-type"
        let answer = try await CurlTransport().send(request, deadline: .seconds(20))
        #expect(answer.status == 204 && answer.fields["Access-Control-Allow-Origin"] == RawClient.origin)
        #expect(answer.fields["Access-Control-Allow-Methods"]?.contains("PATCH") == true)
        #expect(answer.fields["Access-Control-Allow-Headers"] == "content-type")
    }

    @Test("a method in the form counts as one in the query does") func form() async throws {
        let client = try RawClient()
        let session = try await client.signIn()
        let renamed = try await client.send("POST", "/me", ["_method": "PATCH", "first_name": "Ada"], as: session)
        #expect(renamed.content["first_name"] == "Ada")
        #expect(try await client.send("POST", "/client", ["_method": "GET"]).content["sessions"]?.array?.count == 1)
        #expect(try await client.send("GET", "/me", query: "_method=DELETE", as: session).content["object"] == "user")
    }

    @Test("codes and links are in the server's inbox") func inbox() async throws {
        let client = try RawClient()
        _ = try await client.send("POST", "/client/sign_ins", ["identifier": RawClient.ada, "strategy": "email_code"])
        _ = try await client.send(
            "POST", "/client/sign_ins",
            [
                "identifier": RawClient.ada, "strategy": "email_link",
                "redirect_url": "http://127.0.0.1:8765/callback",
            ])
        let request = TransportRequest("GET", "\(client.server.issuer)/inbox.json")
        let answer = RawAnswer(try await CurlTransport().send(request, deadline: .seconds(20)))
        let messages = answer.json["messages"]?.array ?? []
        #expect(messages.compactMap { $0["type"]?.string } == ["clerk_code", "clerk_link"])
        #expect(messages.first?["code"] == "424242" && messages.first?["to"]?.string == RawClient.ada)
        #expect(messages.last?["link"]?.string?.hasPrefix("\(client.server.clerkURL)/v1/verify?") == true)
    }
}
