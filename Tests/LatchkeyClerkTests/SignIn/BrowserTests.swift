import Latchkey
import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyJSON
import Proofs
import Testing

@testable import LatchkeyClerk

@Suite("Signing in elsewhere") struct BrowserTests {
    private static let redirect = "http://127.0.0.1:8765/callback"

    private func begin(_ scene: Scene, _ connection: String = "github") async throws -> Turn {
        var options = SignInOptions()
        options.redirect = Self.redirect
        return try await scene.begin(.signIn(.browser(connection: connection)), options)
    }

    /// The address at which the browser arrives.
    private func visit(_ turn: Turn, _ scene: Scene) async throws -> Secret {
        guard case .visit(let url, let redirect) = try turn.challenge().ask else { throw Missing() }
        #expect(redirect == Self.redirect)
        let response = try await scene.transport.send(TransportRequest("GET", url), deadline: .seconds(10))
        return Secret(try #require(response.fields["Location"]))
    }

    @Test(
        "somebody who has an account is signed in, and the nonce brings the newest client token",
        .complaint(.clerk, 7, 17))
    func known() async throws {
        let scene = try Scene()
        let turn = try await begin(scene)
        let address = try await visit(turn, scene)
        #expect(address.revealText().contains("rotating_token_nonce="))
        let grant = try await scene.answer(.redirected(address), turn).grant()
        #expect(grant.sessions[0].label == Scene.ada)
        #expect(grant.refreshToken?.revealText() != (try turn.challenge().state["token"]?.string))
        // Once.
        await #expect(throws: StillOpen.self) { try await scene.answer(.redirected(address), turn) }
    }

    @Test("somebody who has none goes on to a sign-up, which takes over what is known")
    func new() async throws {
        let scene = try Scene { $0.visitor = "nia@example.test" }
        let turn = try await begin(scene)
        let address = try await visit(turn, scene)
        #expect(!address.revealText().contains("nonce"))
        let grant = try await scene.answer(.redirected(address), turn).grant()
        #expect(grant.sessions[0].label == "nia@example.test")
        #expect(scene.transport.requests.contains { $0.url.contains("/client/sign_ups") })
    }

    @Test(
        "an app that wants no new accounts makes none, and what it wanted as the visit began counts",
        arguments: [(true, false), (false, true), (false, false)])
    func noNewAccounts(_ atFirst: Bool, _ atLast: Bool) async throws {
        var scene = try Scene { $0.visitor = "nia@example.test" }
        scene.provider.createsAccounts = atFirst
        let turn = try await begin(scene)
        let address = try await visit(turn, scene)
        // Another process may answer, by a provider that is set otherwise.
        scene.provider.createsAccounts = atLast
        let error = try await { [scene] () async throws -> AuthError? in
            do { _ = try await scene.answer(.redirected(address), turn).grant() } catch let error as AuthError {
                return error
            }
            return nil
        }()
        #expect(atFirst == (error == nil))
        #expect(atFirst || error?.code == .refused(.other) && error?.serviceCode == "external_account_not_found")
        #expect((scene.transport.count("/client/sign_ups") == 0) == !atFirst)
        #expect(scene.server.clerkSessionCount == (atFirst ? 1 : 0))
    }

    @Test("who says no there is not signed in here", .complaint(.clerk, 14))
    func refused() async throws {
        let scene = try Scene { $0.visitor = nil }
        let turn = try await begin(scene)
        let address = try await visit(turn, scene)
        let error = await #expect(throws: AuthError.self) { try await scene.answer(.redirected(address), turn) }
        #expect(error?.code == .refused(.denied) && error?.serviceCode == "oauth_access_denied")
    }

    @Test(
        "an address that is not the one that waits leaves the sign-in open", .complaint(.clerk, 7),
        arguments: [
            "http://127.0.0.1:8765/callbac", "http://127.0.0.1:8765/callback/x?rotating_token_nonce=n",
            "https://evil.example/callback?rotating_token_nonce=n", "",
            "http://127.0.0.1:8765/callback?rotating_token_nonce=a&rotating_token_nonce=b",
            "http://127.0.0.1:8765/callback?rotating_token_nonce=%zz",
        ])
    func foreign(_ address: String) async throws {
        let scene = try Scene()
        let turn = try await begin(scene)
        let before = scene.transport.requests.count
        await #expect(throws: StillOpen.self) { try await scene.answer(.redirected(Secret(address)), turn) }
        #expect(scene.transport.requests.count == before)
        let own = try await visit(turn, scene)
        #expect(try await scene.answer(.redirected(own), turn).grant().sessions.count == 1)
    }

    @Test("a nonce that was made up signs nobody in")
    func invented() async throws {
        let scene = try Scene()
        let turn = try await begin(scene)
        await #expect(throws: StillOpen.self) {
            try await scene.answer(.redirected(Secret("\(Self.redirect)?rotating_token_nonce=nonce_x")), turn)
        }
        #expect(scene.server.clerkSessionCount == 0)
        // The person's own return still counts.
        let own = try await visit(turn, scene)
        #expect(try await scene.answer(.redirected(own), turn).grant().sessions.count == 1)
    }

    struct Return: Sendable, CustomTestStringConvertible {
        let query: String
        let code: AuthError.Code
        var service: String?
        var testDescription: String { query.isEmpty ? "nothing" : query }
    }

    @Test(
        "a return without a nonce ends the visit, and says why as far as the service does",
        arguments: [
            Return(query: "", code: .declined), Return(query: "?", code: .declined),
            Return(query: "#_=_", code: .declined), Return(query: "?rotating_token_nonce=", code: .declined),
            Return(query: "?__clerk_status=failed", code: .refused(.denied)),
            Return(
                query: "?__clerk_status=failed&__clerk_error_code=oauth_access_denied", code: .refused(.denied),
                service: "oauth_access_denied"),
            Return(
                query: "?__clerk_status=failed&__clerk_error_code=user_locked", code: .refused(.denied),
                service: "user_locked"),
            Return(query: "?__clerk_status=failed&__clerk_error_code=new_code", code: .refused(.other)),
            Return(query: "?__clerk_status=expired", code: .refused(.expired)),
        ])
    func bare(_ back: Return) async throws {
        let scene = try Scene()
        let turn = try await begin(scene)
        let address = Secret(Self.redirect + back.query)
        let error = await #expect(throws: AuthError.self) { try await scene.answer(.redirected(address), turn) }
        #expect(error?.code == back.code && error?.serviceCode == back.service)
        #expect(scene.server.clerkSessionCount == 0)
    }

    @Test("an address that says that the person is new makes no account unless the service says so")
    func forgedTransfer() async throws {
        let scene = try Scene()
        let turn = try await begin(scene)
        let query = "?__clerk_status=failed&__clerk_error_code=external_account_not_found"
        let address = Secret(Self.redirect + query)
        await #expect(throws: AuthError.self) { try await scene.answer(.redirected(address), turn) }
        #expect(scene.transport.count("/sign_ups") == 0)
    }

    @Test("where the proof went to nobody, the error names the address that the instance's list must have")
    func notListed() async throws {
        let scene = try Scene()
        let turn = try await begin(scene)
        _ = try await visit(turn, scene)
        // Without the nonce, the token that is held here was replaced.
        scene.transport.answer { request in
            guard request.method == "GET", request.url.contains("/client/sign_ins/") else { return nil }
            return TransportResponse(status: 401, body: Array(#"{"errors":[{"code":"authentication_invalid"}]}"#.utf8))
        }
        let error = await #expect(throws: AuthError.self) {
            try await scene.answer(.redirected(Secret(Self.redirect)), turn)
        }
        #expect(error?.code == .configuration(.clientRefused) && error?.message.contains(Self.redirect) == true)
    }

    @Test("a service that is off, an address that is not allowed, and none at all are refused")
    func configuration() async throws {
        let scene = try Scene { $0.connections = ["oauth_google"] }
        let off = await #expect(throws: AuthError.self) { try await begin(scene) }
        #expect(off?.code == .configuration(.unsupported))
        var options = SignInOptions()
        options.redirect = "https://app.example.com/callback"
        let address = await #expect(throws: AuthError.self) {
            try await scene.begin(.signIn(.browser(connection: "google")), options)
        }
        #expect(address?.code == .configuration(.clientRefused))
        let none = await #expect(throws: AuthError.self) {
            try await scene.begin(.signIn(.browser(connection: "google")))
        }
        #expect(none?.code == .configuration(.unsupported))
    }

    @Test(
        "an ID token signs in, a ticket too, and an unknown issuer's or a used one does not", .need("N22"),
        .complaint(.clerk, 14))
    func brought() async throws {
        let scene = try Scene { $0.tickets = ["ticket-1": "user_ada"] }
        let parts = [#"{"alg":"none"}"#, #"{"email":"\#(Scene.ada)"}"#, "x"].map { Base64URL.encode(Array($0.utf8)) }
        let token = Secret(parts.joined(separator: "."))
        let google = SignInRequest.signIn(.idToken(token, issuer: "https://accounts.google.com", nonce: nil))
        #expect(try await scene.begin(google).grant().sessions[0].label == Scene.ada)
        let other = SignInRequest.signIn(.idToken(token, issuer: "https://evil.example", nonce: nil))
        let unknown = await #expect(throws: AuthError.self) { try await scene.begin(other) }
        #expect(unknown?.code == .configuration(.unsupported))
        #expect(try await scene.begin(.signIn(.ticket(Secret("ticket-1")))).grant().sessions.count == 1)
        let wrong = await #expect(throws: AuthError.self) { try await scene.begin(.signIn(.ticket(Secret("x")))) }
        #expect(wrong?.code == .refused(.expired))
    }

    @Test("two answers that send the sign-in back and forth end it")
    func loop() async throws {
        let scene = try Scene()
        let verification = #"{"status":"transferable","error":{"code":"x"}}"#
        let signIn =
            #"{"response":{"id":"sia_1","status":"needs_identifier","first_factor_verification":\#(verification)}}"#
        let signUp =
            #"{"response":{"id":"sua_1","status":"missing_requirements","verifications":{"external_account":\#(verification)}}}"#
        scene.transport.answer { request in
            let body = request.url.contains("sign_ups") ? signUp : signIn
            return TransportResponse(status: 200, body: Array(body.utf8))
        }
        let error = await #expect(throws: AuthError.self) { try await begin(scene) }
        #expect(error?.code == .untrusted(.malformed))
        #expect(scene.transport.requests.count < 6)
    }
}
