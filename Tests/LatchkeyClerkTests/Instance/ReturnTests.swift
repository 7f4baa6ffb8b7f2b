import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@testable import LatchkeyClerk

/// How the emulated instance sends a browser back.
@Suite("Returns of the emulated instance") struct ReturnTests {
    private static let redirect = "http://127.0.0.1:8765/callback"

    /// Begins at another service, and lets the browser go there.
    private func back(
        _ client: RawClient, _ kind: String = "sign_ins", _ redirect: String = redirect
    ) async throws -> (address: String, attempt: String) {
        let begun = try await client.send(
            "POST", "/client/\(kind)", ["strategy": "oauth_github", "redirect_url": redirect])
        let state =
            begun.content["first_factor_verification"] ?? begun.content["verifications"]?["external_account"] ?? .null
        let page = try #require(state["external_verification_redirect_url"]?.string)
        return (try await client.visit(page), "/client/\(kind)/\(try #require(begun.content["id"]?.string))")
    }

    private func nonce(_ address: String) -> String {
        String(address.split(separator: "rotating_token_nonce=").last ?? "")
    }

    @Test("allow-list gives the nonce to addresses on the list alone; the session is there all the same")
    func allowList() async throws {
        let client = try RawClient { ($0.settings, $0.redirects) = ([.allowList], ["com.example.app://callback"]) }
        let (bare, attempt) = try await back(client)
        #expect(bare == Self.redirect)
        #expect(try await client.send("GET", attempt).content["status"] == "complete")
        #expect(try await client.send("GET", "/client").content["sessions"]?.array?.count == 1)
        let listed = try await back(RawClient(at: client.server), "sign_ins", "com.example.app://callback")
        #expect(listed.address.hasPrefix("com.example.app://callback?rotating_token_nonce="))
        let plain = try await back(RawClient())
        #expect(plain.address.hasPrefix("\(Self.redirect)?rotating_token_nonce="))
    }

    @Test("a person without an account comes back bare, and the sign-in goes on as a sign-up")
    func transfer() async throws {
        let client = try RawClient { $0.visitor = "new@example.test" }
        let (bare, attempt) = try await back(client)
        #expect(bare == Self.redirect)
        let state = try await client.send("GET", attempt).content["first_factor_verification"]
        #expect(state?["status"] == "transferable" && state?["error"]?["code"] == "external_account_not_found")
        let made = try await client.send("POST", "/client/sign_ups", ["transfer": "true"])
        #expect(made.content["status"] == "complete")
    }

    @Test("a sign-up at another service by who has an account goes on as a sign-in")
    func transferBack() async throws {
        let client = try RawClient()
        let (bare, attempt) = try await back(client, "sign_ups")
        #expect(bare == Self.redirect)
        let state = try await client.send("GET", attempt).content["verifications"]?["external_account"]
        #expect(state?["status"] == "transferable" && state?["error"]?["code"] == "external_account_exists")
        let end = try await client.send("POST", "/client/sign_ins", ["transfer": "true"])
        #expect(end.content["status"] == "complete")
        let fresh = try RawClient { $0.visitor = "new@example.test" }
        let (address, own) = try await back(fresh, "sign_ups")
        let done = try await fresh.send("GET", own, query: "rotating_token_nonce=\(nonce(address))")
        #expect(done.content["status"] == "complete")
    }

    @Test("who refuses there comes back with what failed, and no account is made", arguments: ["sign_ins", "sign_ups"])
    func refused(_ kind: String) async throws {
        let client = try RawClient { $0.visitor = nil }
        let (address, attempt) = try await back(client, kind)
        #expect(address == "\(Self.redirect)?__clerk_status=failed&__clerk_error_code=oauth_access_denied")
        let content = try await client.send("GET", attempt).content
        let state = content["first_factor_verification"] ?? content["verifications"]?["external_account"]
        #expect(state?["error"]?["code"] == "oauth_access_denied")
        #expect(try await client.send("GET", "/client").content["sessions"] == [])
    }

    @Test("an address of a page elsewhere is refused, one of an app's own scheme is not")
    func addresses() async throws {
        let client = try RawClient()
        for (address, isRight) in [
            ("https://evil.example/", false), ("javascript://x", false), ("callback", false), ("", false),
            ("com.example.app://callback", true), ("http://localhost:3000/sso", true),
        ] {
            let begun = try await client.send(
                "POST", "/client/sign_ins", ["strategy": "oauth_github", "redirect_url": address])
            #expect((begun.status == 200) == isRight, "\(address)")
        }
    }
}
