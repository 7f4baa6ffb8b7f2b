import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import RecordedGoTrue
import Proofs
import Testing

@testable import LatchkeySupabase

@Suite("What only Supabase can do")
struct HandleTests {
    static let user: JSON = [
        "id": "u1", "email": "ada@example.test", "phone": "", "new_email": "new@example.test", "is_anonymous": false,
        "email_confirmed_at": "2026-01-05T10:00:00Z", "user_metadata": ["nickname": "ada"],
        "identities": [["identity_id": "i1", "id": "42", "provider": "github", "email": "a@b"], ["id": "broken"]],
        "factors": [["id": "f-totp", "factor_type": "totp", "status": "verified", "friendly_name": "mine"]],
    ]

    @Test("the person: read anew, kept with the session, and whole")
    func person() async throws {
        let stage = try await Stage.signedIn()
        stage.scene.expect("GET", "/user", 200, Self.user)
        let user = try await stage.client.supabase().user()
        #expect(user.id == "u1" && user.phone == nil && user.newEmail == "new@example.test" && user.isEmailConfirmed)
        #expect(user.identities.map(\.id) == ["i1"] && user.factors.map(\.isVerified) == [true])
        #expect(user.metadata == ["nickname": "ada"] && user.json == Self.user)
        #expect(stage.scene.transport.requests.last?.fields["Authorization"] == "Bearer \(accessToken())")
        let next = try Stage(store: stage.store)
        next.scene.expect("POST", TokenRefreshTests.path, 200, session(user: [:], more: ["user": .null]))
        _ = try await next.client.refresh()
        #expect(try await next.client.accounts().first?.label == "ada@example.test")
    }

    @Test(
        "a session that the service says is gone ends here too, with its code", .complaint(.supabase, 22),
        arguments: [
            "session_not_found", "user_not_found", "user_banned",
        ])
    func gone(code: String) async throws {
        let stage = try await Stage.signedIn()
        stage.scene.refuse("GET", "/user", 403, code)
        let error = try await trouble { try await stage.client.supabase().validate() }
        let reason: AuthError.SignInRequiredReason = code == "user_banned" ? .banned : .refused
        #expect(error.code == .signInRequired(reason) && error.serviceCode == code)
        #expect(stage.client.currentToken() == nil)
        #expect(try await trouble { _ = try await stage.client.accessToken() }.code == .signInRequired(reason))
        let next = try Stage(store: stage.store)
        #expect(try await trouble { _ = try await next.client.accessToken() }.code == .signInRequired(reason))
    }

    @Test(
        "what a gateway says, and what is no verdict, ends nothing",
        arguments: [
            (403, "{\"message\":\"session_not_found\"}"), (401, ""), (500, ""), (404, "404 page not found"),
            (200, "<html>"),
        ])
    func notGone(status: Int, body: String) async throws {
        let stage = try await Stage.signedIn()
        let answer = TransportResponse(status: status, body: Array(body.utf8))
        stage.scene.transport.expect("GET", Scene.url + "/user", .answer(answer))
        await #expect(throws: AuthError.self) { try await stage.client.supabase().validate() }
        #expect(stage.client.currentToken() != nil)
    }

    @Test(
        "a token that the service calls bad is refreshed once, and the call made again, whatever it is",
        .complaint(.supabase, 17))
    func badToken() async throws {
        let stage = try await Stage.signedIn()
        stage.scene.refuse("PUT", "/user", 403, "bad_jwt")
        stage.scene.expect("POST", TokenRefreshTests.path, 200, session(claims: ["n": 2]))
        stage.scene.expect("PUT", "/user", 200, Self.user)
        try await stage.client.supabase().update(SupabaseUserUpdate())
        #expect(stage.scene.transport.requests.last?.fields["Authorization"] == "Bearer \(accessToken(["n": 2]))")
        for _ in 0..<2 { stage.scene.refuse("GET", "/user", 403, "bad_jwt") }
        stage.scene.expect("POST", TokenRefreshTests.path, 200, session(claims: ["n": 3]))
        #expect(try await trouble { try await stage.client.supabase().validate() }.supabase == .badJWT)
        try stage.scene.transport.verifyFinished()
    }

    @Test("changes of the person go one after the other: the service loses what is sent side by side")
    func oneAtATime() async throws {
        let stage = try await Stage.signedIn()
        let latch = Latch()
        let answer = ScriptedTransport.Outcome.answer(TransportResponse(status: 200, body: Self.user.serialized()))
        stage.scene.transport.expect("PUT", Scene.url + "/user", answer, heldBy: latch)
        stage.scene.transport.expect("PUT", Scene.url + "/user", answer)
        let handle = try stage.client.supabase()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for key in ["a", "b"] {
                group.addTask {
                    var update = SupabaseUserUpdate()
                    update.metadata = [key: true]
                    try await handle.update(update)
                }
            }
            try await stage.scene.transport.waitForRequests(2)
            for _ in 0..<100 { await Task.yield() }
            #expect(stage.scene.transport.requests.count == 2)
            latch.open()
            try await group.waitForAll()
        }
        #expect(stage.scene.transport.requests.count == 3)
    }

    @Test("an update sends what is set and nothing else, and its refusals say what is wanted")
    func update() async throws {
        let stage = try await Stage.signedIn()
        var update = SupabaseUserUpdate()
        update.email = "new@example.test"
        update.password = Secret("new password")
        update.currentPassword = Secret("old")
        update.nonce = Secret("123456")
        update.metadata = ["gone": .null]
        stage.scene.expect("PUT", "/user?redirect_to=app%3A%2F%2Fcb", 200, Self.user)
        try await stage.client.supabase().update(update, redirect: "app://cb")
        #expect(
            stage.scene.bodies.last == [
                "email": "new@example.test", "password": "new password", "current_password": "old", "nonce": "123456",
                "data": ["gone": .null],
            ])
        update.email = nil
        for (code, status, expected) in [
            ("reauthentication_needed", 400, AuthError.Code.refused(.factorRequired)),
            ("insufficient_aal", 401, .refused(.factorRequired)),
            ("current_password_required", 400, .refused(.factorRequired)),
            ("same_password", 422, .refused(.passwordNotAccepted)), ("email_exists", 422, .refused(.other)),
            ("request_timeout", 504, .serviceTrouble),
        ] {
            stage.scene.refuse("PUT", "/user", status, code)
            #expect(try await trouble { try await stage.client.supabase().update(update) }.code == expected)
        }
        stage.scene.expect("GET", "/reauthenticate")
        try await stage.client.supabase().reauthenticate()
        #expect(stage.client.currentToken() != nil)
    }

    @Test("what waits is sent again: a change is asked for again, a confirmation by its type; nothing else is sent")
    func resend() async throws {
        let stage = try await Stage.signedIn()
        let handle = try stage.client.supabase()
        stage.scene.expect("GET", "/user", 200, Self.user)
        stage.scene.expect("PUT", "/user?redirect_to=app%3A%2F%2Fcb", 200, Self.user)
        #expect(try await handle.resend(.emailChange) == "new@example.test")
        #expect(stage.scene.bodies.last == ["email": "new@example.test"])
        let open: JSON = ["id": "u1", "email": "a@example.test", "phone": "15550100"]
        for (message, path, body): (SupabaseMessage, String, JSON) in [
            (.signUp, "/resend?redirect_to=app%3A%2F%2Fcb", ["type": "signup", "email": "a@example.test"]),
            (.phone, "/resend", ["type": "sms", "phone": "15550100"]),
        ] {
            stage.scene.expect("GET", "/user", 200, open)
            stage.scene.expect("POST", path)
            try await handle.resend(message)
            #expect(stage.scene.bodies.last == body)
        }
        for message in [SupabaseMessage.signUp, .phone, .phoneChange] {
            stage.scene.expect("GET", "/user", 200, Self.user)
            #expect(try await trouble { try await handle.resend(message) }.code == .refused(.other))
        }
        stage.scene.expect("GET", "/user", 200, Self.user)
        stage.scene.refuse(
            "PUT", "/user?redirect_to=app%3A%2F%2Fcb", 429, "over_email_send_rate_limit",
            message: "For security purposes, you can only request this after 58 seconds.")
        let early = try await trouble { try await handle.resend(.emailChange) }
        #expect(early.code == .rateLimited && early.retryAfter == .seconds(59))
        let wrong = try await trouble { try await handle.resend(.signUp, redirect: "app:/cb") }
        #expect(wrong.code == .configuration(.invalid))
        try stage.scene.transport.verifyFinished()
    }

    @Test("a change of the mail address names the provider's redirect, as every other mail does; no other change does")
    func updateRedirect() async throws {
        let stage = try await Stage.signedIn()
        let handle = try stage.client.supabase()
        var update = SupabaseUserUpdate()
        update.email = "new@example.test"
        stage.scene.expect("PUT", "/user?redirect_to=app%3A%2F%2Fcb", 200, Self.user)
        try await handle.update(update)
        stage.scene.expect("PUT", "/user?redirect_to=app%3A%2F%2Fother", 200, Self.user)
        try await handle.update(update, redirect: "app://other")
        for redirect in ["app:/cb", "APP://cb", "http://a.test/cb", "app://cb#x"] {
            let error = try await trouble { try await handle.update(update, redirect: redirect) }
            #expect(error.code == .configuration(.invalid))
        }
        update.email = nil
        update.metadata = ["a": 1]
        stage.scene.expect("PUT", "/user", 200, Self.user)
        try await handle.update(update)
        #expect(stage.scene.transport.requests.last?.url == Scene.url + "/user")
        try stage.scene.transport.verifyFinished()
    }

    @Test("another address counts when both have confirmed it, and the session that then comes replaces the old one")
    func confirm() async throws {
        let stage = try await Stage.signedIn()
        stage.scene.expect("POST", "/verify", 200, ["code": "200", "msg": "Confirmation link accepted."])
        #expect(try await !stage.client.supabase().confirm("ada@example.test", code: Secret("1")))
        #expect(stage.scene.bodies.last == ["type": "email_change", "email": "ada@example.test", "token": "1"])
        stage.scene.expect("POST", "/verify", 200, session(refresh: "r7", claims: ["session_id": "s9"]))
        stage.scene.expect("POST", "/logout?scope=local", 204)
        #expect(try await stage.client.supabase().confirm("+15550100001", code: Secret("2")))
        #expect(stage.scene.transport.requests.last?.fields["Authorization"] == "Bearer \(accessToken())")
        stage.scene.expect("POST", TokenRefreshTests.path, 200, session(refresh: "r8"))
        try await stage.client.refresh()
        #expect(stage.scene.bodies.last == ["refresh_token": "r7"])
        stage.scene.expect("POST", "/verify", 200, session(claims: ["sub": "u2"], user: ["id": "u2"]))
        let foreign = try await trouble { _ = try await stage.client.supabase().confirm("x@y", code: Secret("2")) }
        #expect(foreign.code == .untrusted(.subject))
    }

    @Test("an app becomes a factor: begun, proven, and the raised session is stored before anything else is sent")
    func enroll() async throws {
        let stage = try await Stage.signedIn()
        let handle = try stage.client.supabase()
        stage.scene.expect(
            "POST", "/factors", 200,
            ["id": "f1", "type": "totp", "totp": ["uri": "otpauth://x", "secret": "JBSW", "qr_code": "<svg/>"]])
        let begun = try await handle.enrollTOTP(name: "mine", issuer: "Notes")
        #expect(begun.uri == Secret("otpauth://x") && begun.secret == Secret("JBSW"))
        #expect(stage.scene.bodies.last == ["factor_type": "totp", "friendly_name": "mine", "issuer": "Notes"])
        stage.scene.expect("POST", "/factors/f1/challenge", 200, ["id": "c1"])
        stage.scene.refuse("POST", "/factors/f1/verify", 422, "mfa_verification_failed")
        #expect(
            try await trouble { try await handle.verify(factor: "f1", code: Secret("0")) }.code == .refused(.wrongInput)
        )
        stage.scene.expect("POST", "/factors/f1/challenge", 200, ["id": "c2"])
        stage.scene.expect("POST", "/factors/f1/verify", 200, FactorTests.raised)
        try await handle.verify(factor: "f1", code: Secret("123456"))
        #expect(stage.scene.bodies.last == ["challenge_id": "c2", "code": "123456"])
        // A wrong code left nothing open, so the refresh goes out at once, with the new token.
        stage.scene.expect("POST", TokenRefreshTests.path, 200, session())
        try await stage.client.refresh()
        #expect(stage.scene.bodies.last == ["refresh_token": "r-aal2"])
    }

    @Test("a proof whose answer is lost keeps the old token from being sent while the proof may be under way")
    func lostProof() async throws {
        let stage = try await Stage.signedIn()
        stage.scene.transport.expect(
            "POST", Scene.url + "/factors/f1/verify", .failure(TransportError(.timedOut, wasSent: true)))
        let challenge = SupabaseFactorChallenge(id: "c1", factorID: "f1")
        let handle = try stage.client.supabase()
        #expect(
            try await trouble { try await handle.verify(challenge, code: Secret("1")) }.code == .offline(.unreachable))
        let sent = stage.scene.transport.requests.count
        let next = try Stage(store: stage.store)
        #expect(try await next.client.accessToken().value == Secret(accessToken()))
        // What asks the person's own things goes on meanwhile, and forgets nothing of it.
        stage.scene.expect("GET", "/user", 200, Self.user)
        try await handle.validate()
        let key = try #require(stage.store.keys(.credential).first)
        let stored = try stage.store.read(key)
        let record = try #require(stored)
        #expect(try JSON.parse(record.bytes)["mark"]?["replay"] == "killsFamily")
        #expect(stage.scene.transport.requests.count == sent + 1 && next.scene.transport.requests.isEmpty)
    }

    @Test("a factor goes, and the session with what it gave")
    func unenroll() async throws {
        let stage = try await Stage.signedIn()
        stage.scene.expect("DELETE", "/factors/f-totp", 200, ["id": "f-totp"])
        stage.scene.expect("POST", TokenRefreshTests.path, 200, session())
        try await stage.client.supabase().unenroll("f-totp")
        stage.scene.refuse("DELETE", "/factors/f-totp", 422, "insufficient_aal")
        let error = try await trouble { try await stage.client.supabase().unenroll("f-totp") }
        #expect(error.code == .refused(.factorRequired))
        try stage.scene.transport.verifyFinished()
    }

    @Test(
        "an id that is none never gets into a path",
        arguments: ["", "../admin", "a/b", "a?b", "é", String(repeating: "a", count: 65)])
    func ids(_ id: String) async throws {
        let stage = try await Stage.signedIn()
        let handle = try stage.client.supabase()
        let calls: [() async throws -> Void] = [
            { try await handle.unenroll(id) }, { try await handle.unlink(id) },
            { try await handle.remove(passkey: id) },
            { try await handle.rename(passkey: id, to: "x") }, { _ = try await handle.challenge(id) },
            { try await handle.verify(factor: id, code: Secret("1")) },
        ]
        for call in calls { #expect(try await trouble(call).code == .configuration(.invalid)) }
        #expect(stage.scene.transport.requests.count == 1)
    }

    @Test("identities: listed, linked by an ID token or a visit, unlinked", .complaint(.supabase, 18))
    func identities() async throws {
        let stage = try await Stage.signedIn()
        let handle = try stage.client.supabase()
        stage.scene.expect("GET", "/user", 200, Self.user)
        #expect(try await handle.identities().first?.provider == "github")
        stage.scene.expect("DELETE", "/user/identities/i1")
        try await handle.unlink("i1")
        stage.scene.refuse("DELETE", "/user/identities/i1", 422, "single_identity_not_deletable")
        #expect(try await trouble { try await handle.unlink("i1") }.supabase == .singleIdentityNotDeletable)
        stage.scene.expect("GET", "/user/identities/authorize", 200, ["url": "https://github.test/x"])
        guard case .asked = try await handle.link(.browser(connection: "github")) else { throw Missing() }
        stage.scene.expect("POST", "/token?grant_type=pkce", 200, session(refresh: "r6", claims: ["session_id": "s6"]))
        guard case .signedIn(let linked) = try await handle.open(Secret("app://cb?code=abc")) else { throw Missing() }
        #expect(linked.id == AuthSession.ID("s6"))
    }

    @Test(
        "linking with a token that the service calls bad refreshes once and asks once more, as every other call does",
        arguments: ["/token?grant_type=id_token", "/user/identities/authorize"])
    func linkingWithBadToken(path: String) async throws {
        let isVisit = path.hasPrefix("/user")
        let method =
            isVisit ? SignInMethod.browser(connection: "github") : .idToken(Secret("t"), issuer: "google", nonce: nil)
        let stage = try await Stage.signedIn()
        let handle = try stage.client.supabase()
        stage.scene.refuse(isVisit ? "GET" : "POST", path, 401, "bad_jwt")
        stage.scene.expect("POST", TokenRefreshTests.path, 200, session(refresh: "r2", claims: ["n": 2]))
        let linked = session(refresh: "r6", claims: ["session_id": "s6"])
        stage.scene.expect(isVisit ? "GET" : "POST", path, 200, isVisit ? ["url": "https://github.test/x"] : linked)
        // The former session is replaced by a linked one, and ended.
        stage.scene.transport.always("POST", Scene.url + "/logout", .answer(TransportResponse(status: 204)))
        switch try await handle.link(method) {
        case .asked: #expect(isVisit)
        case .signedIn(let session): #expect(!isVisit && session.id == AuthSession.ID("s6"))
        case .continuesElsewhere: throw Missing()
        }
        let bearer = "Bearer \(accessToken(["n": 2]))"
        let again = stage.scene.transport.requests.filter { $0.fields["Authorization"] == bearer }
        #expect(again.contains { $0.url.hasPrefix(Scene.url + path) })
        try stage.scene.transport.verifyFinished()
        // Once, and no more; and no other refusal is asked again.
        let other = try await Stage.signedIn()
        for _ in 0..<2 { other.scene.refuse(isVisit ? "GET" : "POST", path, 401, "bad_jwt") }
        other.scene.expect("POST", TokenRefreshTests.path, 200, session(refresh: "r2", claims: ["n": 2]))
        #expect(try await trouble { _ = try await other.client.supabase().link(method) }.supabase == .badJWT)
        other.scene.refuse(isVisit ? "GET" : "POST", path, 422, "identity_already_exists")
        let taken = try await trouble { _ = try await other.client.supabase().link(method) }
        #expect(taken.supabase == .identityAlreadyExists)
        try other.scene.transport.verifyFinished()
    }

    @Test("passkeys: made, listed, renamed, removed")
    func passkeys() async throws {
        let stage = try await Stage.signedIn()
        let handle = try stage.client.supabase()
        stage.scene.expect("POST", "/passkeys/registration/options", 200, ["challenge_id": "c", "options": ["x": 1]])
        let request = try await handle.beginPasskey()
        stage.scene.expect("POST", "/passkeys/registration/verify", 200, ["id": "p1", "friendly_name": "Passkey"])
        #expect(try await handle.addPasskey(request, credential: ["id": "k"]).name == "Passkey")
        #expect(stage.scene.bodies.last == ["challenge_id": "c", "credential": ["id": "k"]])
        stage.scene.expect("GET", "/passkeys", 200, [["id": "p1"]])
        #expect(try await handle.passkeys().map(\.id) == ["p1"])
        stage.scene.expect("PATCH", "/passkeys/p1", 200, ["id": "p1"])
        try await handle.rename(passkey: "p1", to: "mine")
        #expect(stage.scene.bodies.last == ["friendly_name": "mine"])
        stage.scene.expect("DELETE", "/passkeys/p1", 204)
        try await handle.remove(passkey: "p1")
        try stage.scene.transport.verifyFinished()
    }

    @Test("the identity provider's tokens are there as long as the session")
    func providerTokens() async throws {
        let stage = try await Stage.signedIn(session(more: ["provider_token": "gh"]))
        let tokens = try await stage.client.supabase().providerTokens()
        #expect(tokens.access == Secret("gh") && tokens.refresh == nil)
    }

    /// A real token and the keys of the server that signed it.
    private func recorded() throws -> (answer: JSON, keys: JSON) {
        let exchanges = try RecordedExchange.all()
        let token = try #require(exchanges.first { $0.title == "password/password-ok" })
        let keys = try #require(exchanges.first { $0.title == "discovery/jwks-es256" })
        return (try JSON.parse(token.response.body), try JSON.parse(keys.response.body))
    }

    @Test("claims are checked by the project's keys, fetched once")
    func claims() async throws {
        let (answer, keys) = try recorded()
        let stage = try await Stage.signedIn(answer)
        stage.scene.expect("GET", "/.well-known/jwks.json", 200, keys)
        for _ in 0..<3 { #expect(try await stage.client.supabase().claims()["aal"] == "aal1") }
        try stage.scene.transport.verifyFinished()
    }

    @Test("a token that the keys do not bear out is not believed")
    func forged() async throws {
        var (answer, keys) = try recorded()
        var members = try #require(answer.object)
        let parts = try #require(members["access_token"]?.string).split(separator: ".")
        members["access_token"] = .string("\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))")
        answer = .object(members)
        let stage = try await Stage.signedIn(answer)
        stage.scene.expect("GET", "/.well-known/jwks.json", 200, keys)
        #expect(try await trouble { _ = try await stage.client.supabase().claims() }.code == .untrusted(.signature))
    }

    @Test("a project with a shared secret, or without a key that fits, is asked itself")
    func shared() async throws {
        let (answer, _) = try recorded()
        let stage = try await Stage.signedIn(answer)
        stage.scene.expect("GET", "/.well-known/jwks.json", 200, ["keys": []])
        stage.scene.expect("GET", "/user", 200, answer["user"] ?? [:])
        #expect(try await stage.client.supabase().claims()["role"] == "authenticated")
        stage.scene.refuse("GET", "/user", 403, "session_not_found")
        #expect(try await trouble { _ = try await stage.client.supabase().claims() }.code == .signInRequired(.refused))
    }

    @Test("ending the other sessions leaves this one", .complaint(.supabase, 22))
    func others() async throws {
        let stage = try await Stage.signedIn()
        stage.scene.expect("POST", "/logout?scope=others", 204)
        try await stage.client.supabase().signOutOthers()
        #expect(stage.client.currentToken() != nil)
    }

    @Test("a handle of nobody, of another provider's account or of an unknown name says so", .complaint(.supabase, 28))
    func nobody() async throws {
        let other = Scene()
        let both = try AuthClient.Builder().provider(other.provider).provider(ScriptedProvider())
            .store(MemoryStore()).transport(other.transport).context(other.world).build()
        _ = try await both.signIn(with: "scripted", .anonymous)
        #expect(try await trouble { try await both.supabase().user() }.code == .configuration(.invalid))
        #expect(other.transport.requests.isEmpty && both.currentToken() != nil)
        let stage = try Stage()
        #expect(try await trouble { try await stage.client.supabase().user() }.code == .signInRequired(.signedOut))
        #expect(try await trouble { _ = try stage.client.supabase("billing") }.code == .configuration(.invalid))
    }
}
