import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeySupabase

@Suite("Browsers, organizations, ID tokens, passkeys, wallets, and nobody in particular")
struct OtherWaysTests {
    @Test("a visit: the address is built here, bound by a proof key, and nothing is sent", .need("B6"))
    func visit() async throws {
        let scene = Scene()
        var options = SignInOptions()
        options.scopes = ["repo", "user:email"]
        options.loginHint = "ada"
        options.prompt = "consent"
        let challenge = try await scene.begin(.signIn(.browser(connection: "github")), options).challenge()
        guard case .visit(let url, let redirect) = challenge.ask else { throw Missing() }
        let query = try #require(FormEncoding.decode(WebAddress(url)?.query ?? ""))
        #expect(url.hasPrefix(Scene.url + "/authorize?") && redirect == "app://cb" && query["provider"] == "github")
        #expect(query["redirect_to"] == "app://cb" && query["scopes"] == "repo user:email")
        #expect(query["code_challenge_method"] == "s256" && query["code_challenge"]?.utf8.count == 43)
        #expect(query["login_hint"] == "ada" && query["prompt"] == "consent" && query["apikey"] == nil)
        #expect(scene.transport.requests.isEmpty)
        scene.expect(
            "POST", "/token?grant_type=pkce", 200,
            session(more: ["provider_token": "gh", "provider_refresh_token": ""]))
        let grant = try await scene.answer(.redirected(Secret("app://cb?code=abc")), challenge).grant()
        #expect(grant.sessions.first?.state["provider_tokens"] == ["provider_token": "gh"])
    }

    @Test(
        "a redirect of somewhere else, with tokens, or with an error, is not exchanged",
        arguments: [
            ("other://cb?code=abc", AuthError.Code.untrusted(.redirect)),
            ("app://other?code=abc", .untrusted(.redirect)),
            ("app://cb/x?code=abc", .untrusted(.redirect)),
            ("app://cb#access_token=a&refresh_token=r&token_type=bearer&expires_in=1", .untrusted(.malformed)),
            ("app://cb?error=access_denied", .refused(.denied)),
            ("app://cb?error=server_error&error_code=identity_already_exists", .refused(.other)),
        ])
    func refusedVisit(address: String, expected: AuthError.Code) async throws {
        let scene = Scene()
        let challenge = try await scene.begin(.signIn(.browser(connection: "github"))).challenge()
        let error = try await trouble { _ = try await scene.answer(.redirected(Secret(address)), challenge) }
        #expect(error.code == expected && scene.transport.requests.isEmpty)
    }

    @Test(
        "a redirect that the service does not know ends nothing, because it keeps no state; other failures do",
        arguments: [
            ("flow_state_not_found", 404, true), ("bad_code_verifier", 400, true), ("flow_state_expired", 422, true),
            ("over_request_rate_limit", 429, false), ("unexpected_failure", 500, false),
        ])
    func stillOpen(code: String, status: Int, isOpen: Bool) async throws {
        let scene = Scene()
        let challenge = try await scene.begin(.signIn(.browser(connection: "github"))).challenge()
        // A short pause would be waited for.
        scene.refuse("POST", "/token?grant_type=pkce", status, code, header: ["Retry-After": "60"])
        let thrown = await #expect(throws: (any Error).self) {
            _ = try await scene.answer(.redirected(Secret("app://cb?code=forged")), challenge)
        }
        #expect(thrown is StillOpen == isOpen)
        for query in ["error=access_denied", "x=1", "code=a&code=b"] {
            await #expect(throws: StillOpen.self) {
                _ = try await scene.answer(.redirected(Secret("app://cb?\(query)")), challenge)
            }
        }
        scene.expect("POST", "/token?grant_type=pkce", 200, session())
        _ = try await scene.answer(.redirected(Secret("app://cb?code=mine")), challenge).grant()
    }

    @Test("a code that the service was too busy to look at is sent once more after its pause")
    func busy() async throws {
        let scene = Scene()
        let challenge = try await scene.begin(.signIn(.browser(connection: "github"))).challenge()
        scene.refuse("POST", "/token?grant_type=pkce", 429, "over_request_rate_limit", header: ["Retry-After": "4"])
        scene.expect("POST", "/token?grant_type=pkce", 200, session())
        async let answered = scene.answer(.redirected(Secret("app://cb?code=mine")), challenge)
        try await scene.clock.waitForSleepers()
        #expect(scene.clock.advanceToNextSleeper() == .seconds(4))
        _ = try await answered.grant()
        try scene.transport.verifyFinished()
    }

    @Test("a visit to nowhere, or with nobody to come back to, sends nothing")
    func incomplete() async throws {
        var scene = Scene()
        for connection in [nil, ""] {
            let error = try await trouble { [scene] in
                _ = try await scene.begin(.signIn(.browser(connection: connection)))
            }
            #expect(error.code == .configuration(.invalid))
        }
        scene.provider.redirect = nil
        for method in [SignInMethod.browser(connection: "github"), .enterprise(domain: "acme.test")] {
            let error = try await trouble { [scene] in _ = try await scene.begin(.signIn(method)) }
            #expect(error.code == .configuration(.invalid) && error.message.contains("redirect"))
        }
        #expect(scene.transport.requests.isEmpty)
    }

    @Test("an organization: the service says where to go")
    func enterprise() async throws {
        let scene = Scene()
        scene.expect("POST", "/sso", 200, ["url": "https://idp.acme.test/saml?x=1"])
        let challenge = try await scene.begin(.signIn(.enterprise(domain: "acme.test"))).challenge()
        #expect(challenge.ask == .visit(url: "https://idp.acme.test/saml?x=1", redirect: "app://cb"))
        let body = try #require(scene.bodies.first)
        #expect(
            body["domain"] == "acme.test" && body["skip_http_redirect"] == true && body["redirect_to"] == "app://cb")
        #expect(body["code_challenge_method"] == "s256")
        scene.expect("POST", "/token?grant_type=pkce", 200, session())
        _ = try await scene.answer(.redirected(Secret("app://cb?code=abc")), challenge).grant()
    }

    @Test(
        "one that is not known, and an address that is no place to go",
        arguments: [
            ["code": "sso_provider_not_found", "message": "m"], ["url": "http://idp.acme.test"],
            ["url": "javascript:x"], [:],
        ] as [JSON])
    func enterpriseRefused(body: JSON) async throws {
        let scene = Scene()
        scene.expect("POST", "/sso", body["code"] == nil ? 200 : 404, body)
        let error = try await trouble { _ = try await scene.begin(.signIn(.enterprise(domain: "acme.test"))) }
        #expect(error.code == (body["code"] == nil ? .untrusted(.malformed) : .refused(.other)))
    }

    @Test(
        "an ID token, by the service's name for the issuer or by issuer and client", .need("N22"),
        arguments: [
            ("google", ["provider": "google"]), ("https://accounts.google.com", ["provider": "google"]),
            ("https://appleid.apple.com", ["provider": "apple"]),
            ("https://id.test/realm", ["issuer": "https://id.test/realm", "client_id": "c1"]),
        ] as [(String, [String: JSON])])
    func idToken(issuer: String, expected: [String: JSON]) async throws {
        let scene = Scene()
        scene.expect("POST", "/token?grant_type=id_token", 200, session())
        let token = accessToken(["aud": ["c1"]])
        let method = SignInMethod.idToken(Secret(token), issuer: issuer, nonce: Secret("raw"))
        _ = try await scene.begin(.signIn(method)).grant()
        let body = expected.merging(["id_token": .string(token), "nonce": "raw"]) { $1 }
        #expect(scene.bodies == [.object(body)] && scene.transport.requests.first?.fields["Authorization"] == nil)
    }

    @Test("a refused ID token, in the shape that has no codes")
    func idTokenRefused() async throws {
        let scene = Scene()
        let body: JSON = ["error": "invalid request", "error_description": "Bad ID token"]
        scene.transport.expect(
            "POST", Scene.url + "/token?grant_type=id_token",
            .answer(TransportResponse(status: 400, body: body.serialized())))
        let method = SignInMethod.idToken(Secret("x.y.z"), issuer: "google", nonce: nil)
        #expect(try await trouble { _ = try await scene.begin(.signIn(method)) }.code == .refused(.other))
    }

    @Test("nobody in particular")
    func anonymous() async throws {
        let scene = Scene()
        scene.expect(
            "POST", "/signup", 200, session(user: ["email": "", "is_anonymous": true, "role": "authenticated"]))
        let grant = try await scene.begin(.signIn(.anonymous)).grant()
        #expect(scene.bodies == [[:]] && grant.sessions.first?.label == "guest u1")
        scene.refuse("POST", "/signup", 422, "anonymous_provider_disabled")
        #expect(
            try await trouble { _ = try await scene.begin(.signIn(.anonymous)) }.code == .configuration(.unsupported))
    }

    @Test("a passkey as the only proof")
    func passkey() async throws {
        let scene = Scene()
        scene.expect(
            "POST", "/passkeys/authentication/options", 200, ["challenge_id": "c1", "options": ["challenge": "x"]])
        let challenge = try await scene.begin(.signIn(.passkey)).challenge()
        #expect(challenge.ask == .passkey(request: ["challenge": "x"]) && scene.bodies == [[:]])
        scene.expect("POST", "/passkeys/authentication/verify", 200, session())
        _ = try await scene.answer(.assertion(Secret("{\"id\":\"k\"}")), challenge).grant()
        #expect(scene.bodies.last == ["challenge_id": "c1", "credential": ["id": "k"]])
        scene.refuse("POST", "/passkeys/authentication/verify", 400, "webauthn_verification_failed")
        let wrong = try await trouble { _ = try await scene.answer(.assertion(Secret("{}")), challenge) }
        #expect(wrong.code == .refused(.wrongInput))
    }

    @Test("a wallet: message and signature are the app's")
    func wallet() async throws {
        let scene = Scene()
        let challenge = try await scene.begin(.signIn(.wallet(chain: "ethereum"))).challenge()
        #expect(challenge.ask == .wallet(message: "ethereum") && scene.transport.requests.isEmpty)
        for wrong in ["", "0x1", "{}", "{\"message\":\"m\"}", "{\"message\":1,\"signature\":\"s\"}"] {
            let error = try await trouble { _ = try await scene.answer(.assertion(Secret(wrong)), challenge) }
            #expect(error.code == .refused(.wrongInput) && scene.transport.requests.isEmpty)
        }
        let proof = Answer.assertion(Secret("{\"message\":\"m\",\"signature\":\"s\"}"))
        scene.refuse("POST", "/token?grant_type=web3", 400, "captcha_failed")
        let captcha = try await scene.answer(proof, challenge).challenge()
        let again = try await scene.answer(.code(Secret("cap")), captcha).challenge()
        scene.expect("POST", "/token?grant_type=web3", 200, session())
        _ = try await scene.answer(proof, again).grant()
        #expect(
            scene.bodies.last == [
                "chain": "ethereum", "message": "m", "signature": "s",
                "gotrue_meta_security": ["captcha_token": "cap"],
            ])
    }

    @Test("an identity is linked to the account of a session, natively or in the browser", .complaint(.supabase, 18))
    func linking() async throws {
        let scene = Scene()
        let credential = scene.credential()
        scene.expect("POST", "/token?grant_type=id_token", 200, session())
        let native = SignInMethod.idToken(Secret("t"), issuer: "google", nonce: nil)
        _ = try await scene.begin(.link(native), about: credential).grant()
        #expect(scene.bodies.last == ["provider": "google", "id_token": "t", "link_identity": true])
        #expect(scene.transport.requests.last?.fields["Authorization"] == "Bearer old")
        scene.expect("GET", "/user/identities/authorize", 200, ["url": "https://github.test/x"])
        let request = SignInRequest.link(.browser(connection: "github"))
        let challenge = try await scene.begin(request, about: credential).challenge()
        #expect(challenge.ask == .visit(url: "https://github.test/x", redirect: "app://cb"))
        let query = FormEncoding.decode(WebAddress(scene.transport.requests.last?.url ?? "")?.query ?? "")
        #expect(query?["skip_http_redirect"] == "true" && query?["code_challenge_method"] == "s256")
        scene.expect("POST", "/token?grant_type=pkce", 200, session(claims: ["sub": "u2"], user: ["id": "u2"]))
        scene.expect("POST", "/logout?scope=local", 204)
        let other = try await trouble { _ = try await scene.answer(.redirected(Secret("app://cb?code=a")), challenge) }
        #expect(other.code == .untrusted(.subject) && other.supabase == .sessionNotAskedFor)
        let foreign = accessToken(["sub": "u2"])
        #expect(scene.transport.requests.last?.fields["Authorization"] == "Bearer \(foreign)")
        scene.expect("POST", "/token?grant_type=pkce", 200, session())
        _ = try await scene.answer(.redirected(Secret("app://cb?code=a")), challenge).grant()
    }

    @Test("a refresh token of another library signs in as its person, and is replaced")
    func refreshToken() async throws {
        let scene = Scene()
        scene.expect("POST", "/token?grant_type=refresh_token", 200, session())
        let grant = try await scene.begin(.signIn(.refreshToken(Secret("r-old")))).grant()
        #expect(grant.refreshToken == Secret("r2") && grant.sessions.count == 1)
        let sent = try #require(scene.transport.requests.first)
        #expect(try JSON.parse(sent.body ?? [])["refresh_token"] == "r-old")
    }

    @Test(
        "a refresh token that the service does not take signs nobody in, and is shown nowhere",
        arguments: [
            ("refresh_token_not_found", 400, AuthError.Code.refused(.expired)),
            ("refresh_token_already_used", 400, .refused(.expired)), ("session_not_found", 403, .refused(.expired)),
            ("session_expired", 400, .refused(.expired)), ("user_banned", 403, .signInRequired(.banned)),
            ("over_request_rate_limit", 429, .rateLimited), ("unexpected_failure", 500, .serviceTrouble),
        ])
    func refusedRefreshToken(code: String, status: Int, expected: AuthError.Code) async throws {
        let scene = Scene()
        scene.refuse("POST", "/token?grant_type=refresh_token", status, code)
        let error = try await trouble { _ = try await scene.begin(.signIn(.refreshToken(Secret("r-old-token")))) }
        #expect(error.code == expected && error.serviceCode == code)
        #expect(!"\(error)\(error.message)".contains("r-old-token"))
    }

    @Test("an empty refresh token is not sent")
    func emptyRefreshToken() async throws {
        let scene = Scene()
        let error = try await trouble { _ = try await scene.begin(.signIn(.refreshToken(Secret("")))) }
        #expect(error.code == .configuration(.invalid) && scene.transport.requests.isEmpty)
    }

    @Test("what cannot be linked, raised or answered that way is said, and nothing is sent")
    func unsupported() async throws {
        let scene = Scene()
        let credential = scene.credential()
        for request in [
            SignInRequest.link(.anonymous), .stepUp(StepUp()), .signIn(.device), .signIn(.ticket(Secret("t"))),
            .signIn(.clientCredentials), .signIn(.custom(name: "badge")),
        ] {
            let error = try await trouble { _ = try await scene.begin(request, about: credential) }
            #expect(error.code == .configuration(.unsupported))
        }
        let nobody = SignInRequest.link(.browser(connection: "x"))
        #expect(try await trouble { _ = try await scene.begin(nobody) }.code == .configuration(.unsupported))
        let visit = try await scene.begin(.signIn(.browser(connection: "github"))).challenge()
        for answer in [Answer.poll, .resend, .code(Secret("1")), .choice("x"), .fields([:]), .password(Secret("p"))] {
            let error = try await trouble { _ = try await scene.answer(answer, visit) }
            #expect(error.code == .configuration(.unsupported))
        }
        var foreign = visit
        foreign.state = ["transaction": [:]]
        let error = try await trouble { [foreign] in _ = try await scene.answer(.resend, foreign) }
        #expect(error.code == .store(.damaged) && scene.transport.requests.isEmpty)
    }
}
