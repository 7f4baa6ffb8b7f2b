import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuthCore
import Testing

@testable import LatchkeyClerk

@Suite("Ways that the person has, but did not ask for") struct OtherWaysTests {
    fileprivate static let redirect = "http://127.0.0.1:8765/callback"
    private static let there = "https://sso.example.test/begin"

    private static var options: SignInOptions {
        var options = SignInOptions()
        options.redirect = redirect
        return options
    }

    private static func answer(_ content: JSON, _ status: Int = 200) -> TransportResponse {
        TransportResponse(status: status, body: JSON.object(["response": content, "client": .null]).serialized())
    }

    private static func refused(_ code: String) -> TransportResponse {
        TransportResponse(status: 422, body: Array(#"{"errors":[{"code":"\#(code)"}]}"#.utf8))
    }

    private static func form(_ request: TransportRequest) -> FormParameters {
        FormEncoding.decode(String(decoding: request.body ?? [], as: UTF8.self)) ?? FormParameters()
    }

    /// An instance whose person has these factors alone. A creation with a strategy is refused, or answered as without.
    private func scene(_ strategies: [String], refuses: Bool, status: String = "needs_first_factor") throws -> Scene {
        let scene = try Scene()
        let list = JSON.array(
            strategies.map {
                ["strategy": .string($0), "email_address_id": "idn_1", "safe_identifier": "e**@corp.example.test"]
            })
        let isFirst = status == "needs_first_factor"
        let attempt: JSON = [
            "object": "sign_in_attempt", "id": "sia_1", "status": .string(status),
            "supported_first_factors": isFirst ? list : [], "supported_second_factors": isFirst ? [] : list,
        ]
        let verification: JSON = ["status": "unverified", "external_verification_redirect_url": .string(Self.there)]
        let visiting = JSON.object(
            attempt.object?.merging(["first_factor_verification": verification]) { $1 } ?? [:])
        scene.transport.answer { request in
            let hasStrategy = Self.form(request)["strategy"] != nil
            if request.url.contains("/sign_ins?") {
                return hasStrategy && refuses ? Self.refused("strategy_for_user_invalid") : Self.answer(attempt)
            }
            return request.url.contains("/prepare_") ? Self.answer(visiting) : nil
        }
        return scene
    }

    private static let requests = [
        SignInRequest.signIn(.password(identifier: "eve@corp.example.test", Secret("x"))),
        .signIn(.code(identifier: "eve@corp.example.test", over: .mail)),
    ]

    @Test("a person who signs in only at an organization or at another service is led there", arguments: [true, false])
    func browser(_ refuses: Bool) async throws {
        for strategy in ["enterprise_sso", "oauth_google"] {
            for request in Self.requests {
                let scene = try scene([strategy], refuses: refuses)
                let turn = try await scene.begin(request, Self.options)
                #expect(try turn.challenge().ask == .visit(url: Self.there, redirect: Self.redirect))
                let prepared = try #require(scene.transport.requests.last)
                #expect(Self.form(prepared)["strategy"] == strategy)
                #expect(Self.form(prepared)["redirect_url"] == Self.redirect)
            }
        }
        let several = try scene(["oauth_google", "oauth_github"], refuses: refuses)
        guard case .choose(let options) = try await several.begin(Self.requests[0], Self.options).challenge().ask
        else { throw Missing() }
        #expect(options.map(\.label) == ["google, in a browser", "github, in a browser"])
    }

    @Test("another person than the one who was led there is not signed in, and the service keeps no session of theirs")
    func anotherPerson() async throws {
        let scene = try Scene {
            $0.settings = [.ssoOnly]
            $0.visitor = Scene.ada
        }
        let auth = try AuthClient.Builder().provider(scene.provider).store(.memory).transport(scene.transport).build()
        for round in 0..<2 {
            var step = try await auth.begin(Scene.ofGrace, with: "clerk", options: Self.options)
            if case .asked(let offer) = step, case .choose(let ways) = offer.ask {
                step = try await auth.answer(.choice(ways[0].id), to: offer.id)
            }
            guard case .asked(let challenge) = step, case .visit(let url, _) = challenge.ask else { throw Missing() }
            let page = try await scene.transport.send(TransportRequest("GET", url), deadline: .seconds(20))
            let back = Secret(try #require(page.fields["Location"]))
            let error = await #expect(throws: AuthError.self) {
                _ = try await auth.answer(.redirected(back), to: challenge.id)
            }
            #expect(error?.code == .refused(.otherPerson))
            try await auth.settleRevocations()
            // In the second round Ada is signed in beside it, and stays so.
            #expect(scene.server.clerkSessionCount == round)
            #expect(try await auth.accounts().count == round)
            guard round == 0 else { break }
            let own = try await auth.begin(
                .signIn(.browser(connection: "github")), with: "clerk", options: Self.options)
            guard case .asked(let visit) = own, case .visit(let place, _) = visit.ask else { throw Missing() }
            let there = try await scene.transport.send(TransportRequest("GET", place), deadline: .seconds(20))
            _ = try await auth.answer(.redirected(Secret(try #require(there.fields["Location"]))), to: visit.id)
        }
        _ = try await auth.accessToken()
    }

    @Test("where no redirect is received nobody is led anywhere, and a person with other factors is asked for those")
    func noRedirect() async throws {
        let scene = try scene(["enterprise_sso"], refuses: false)
        let error = await #expect(throws: AuthError.self) { try await scene.begin(Self.requests[1]) }
        #expect(error?.code == .configuration(.unsupported))
        let both = try self.scene(["enterprise_sso", "phone_code"], refuses: false)
        guard case .code(.sms, _) = try await both.begin(Self.requests[0], Self.options).challenge().ask else {
            throw Missing()
        }
    }

    /// Receives redirects if it can, and says no to every visit.
    private final class Window: RedirectReceiving {
        let calls = Locked<[String]>([])
        private let canOpen: Bool

        init(canOpen: Bool) { self.canOpen = canOpen }

        func openRedirect() async throws -> String {
            calls.withLock { $0.append("open") }
            guard canOpen else { throw AuthError(.configuration(.invalid), "The port is taken.") }
            return OtherWaysTests.redirect
        }

        func closeRedirect() async { calls.withLock { $0.append("close") } }

        func answer(_ challenge: Challenge) async throws -> Answer {
            if case .visit = challenge.ask { calls.withLock { $0.append("visit") } }
            return .declined
        }
    }

    @Test("a presenter opens an address for any sign-in, and one that can open none is still signed in with")
    func presenter() async throws {
        for canOpen in [true, false] {
            let scene = try Scene()
            let auth = try AuthClient.Builder().provider(scene.provider).store(.memory).transport(scene.transport)
                .build()
            let window = Window(canOpen: canOpen)
            _ = try await auth.converse(Scene.ofAda, with: "clerk", asking: window)
            #expect(window.calls.withLock { $0 } == (canOpen ? ["open", "close"] : ["open"]))
        }
        let scene = try scene(["enterprise_sso"], refuses: true)
        let auth = try AuthClient.Builder().provider(scene.provider).store(.memory).transport(scene.transport).build()
        let window = Window(canOpen: true)
        let error = await #expect(throws: AuthError.self) {
            try await auth.converse(Self.requests[0], with: "clerk", asking: window)
        }
        #expect(error?.code == .declined && window.calls.withLock { $0 } == ["open", "visit", "close"])
    }

    @Test("a person who signs in only by a link gets one, also as a proof that the device is known")
    func link() async throws {
        for status in ["needs_first_factor", "needs_client_trust"] {
            let scene = try scene(["email_link"], refuses: false, status: status)
            let turn = try await scene.begin(Self.requests[0], Self.options)
            guard case .openedLink = try turn.challenge().ask else { throw Missing() }
            let prepared = try #require(scene.transport.requests.last)
            #expect(prepared.url.contains(status == "needs_first_factor" ? "prepare_first" : "prepare_second"))
            let form = Self.form(prepared)
            #expect(form["strategy"] == "email_link" && form["redirect_uri"] == Self.redirect)
            #expect(form["code_challenge_method"] == "S256" && form["email_address_id"] == "idn_1")
        }
    }

    @Test("a passkey proves a second factor")
    func passkey() async throws {
        let scene = try Scene()
        let verification: JSON = ["nonce": #"{"challenge":"x"}"#]
        let attempt: JSON = [
            "object": "sign_in_attempt", "id": "sia_1", "status": "needs_second_factor",
            "supported_second_factors": [["strategy": "passkey"]], "second_factor_verification": verification,
        ]
        scene.transport.answer { _ in Self.answer(attempt) }
        let turn = try await scene.begin(Self.requests[0])
        guard case .passkey = try turn.challenge().ask else { throw Missing() }
        _ = try await scene.answer(.assertion(Secret("{}")), turn)
        let proof = try #require(scene.transport.requests.last { $0.url.contains("/attempt_second_factor") })
        #expect(Self.form(proof)["public_key_credential"] == "{}")
    }

    @Test(
        "a password that is known from leaks leads to a new one, which signs in",
        arguments: ["form_password_pwned", "form_password_compromised"])
    func leaked(_ code: String) async throws {
        let scene = try Scene()
        scene.transport.answer { Self.form($0)["strategy"] == "password" ? Self.refused(code) : nil }
        let turn = try await scene.begin(Scene.ofAda)
        guard case .code(.mail, _) = try turn.challenge().ask else { throw Missing() }
        let new = try await scene.answer(.code(Secret("424242")), turn)
        guard case .newPassword = try new.challenge().ask else { throw Missing() }
        #expect(try await scene.answer(.password(Secret("another horse")), new).grant().sessions.count == 1)
    }

    /// A sign-up that lacks `missing`.
    private func signUp(_ missing: [String], verifying: JSON = [:]) throws -> Scene {
        let scene = try Scene()
        let open: JSON = [
            "object": "sign_up_attempt", "id": "sua_1", "status": "missing_requirements",
            "missing_fields": .array(missing.map(JSON.string)), "email_address": "nia@example.test",
            "unverified_fields": missing.isEmpty ? ["email_address"] : [],
            "verifications": ["email_address": verifying],
        ]
        scene.transport.answer { request in
            if request.url.contains("/environment") {
                let display = #"{"terms_url":"https://example.test/terms","privacy_policy_url":"javascript:x"}"#
                return TransportResponse(status: 200, body: Array(#"{"display_config":\#(display)}"#.utf8))
            }
            return Self.answer(open)
        }
        return scene
    }

    private static let newPerson = SignInRequest.signUp(SignUpForm(identifier: "nia@example.test"))

    @Test("the terms are a question with their address, and who does not accept them makes no account")
    func legal() async throws {
        let scene = try signUp(["legal_accepted"])
        let turn = try await scene.begin(Self.newPerson)
        guard case .choose(let options) = try turn.challenge().ask else { throw Missing() }
        #expect(options[0].label.contains("https://example.test/terms") && !options[0].label.contains("javascript"))
        let before = scene.transport.requests.count
        let error = await #expect(throws: AuthError.self) { try await scene.answer(.choice(options[1].id), turn) }
        #expect(error?.code == .declined && scene.transport.requests.count == before)
        _ = try await scene.answer(.choice(options[0].id), turn)
        let sent = try #require(scene.transport.requests.last { $0.method == "PATCH" })
        #expect(Self.form(sent)["legal_accepted"] == "true")
    }

    @Test("a sign-up that lacks an account at another service is led there, and keeps the address that was typed")
    func accountElsewhere() async throws {
        let scene = try Scene {
            $0.requiredFields = ["email_address", "password", "oauth_github"]
            $0.visitor = "nia.at.work@example.test"
            $0.settings = [.legal]
        }
        let auth = try AuthClient.Builder().provider(scene.provider).store(.memory).transport(scene.transport).build()
        let form = SignUpForm(identifier: "nia+clerk_test@example.test", password: Secret("a long password"))
        guard case .asked(let challenge) = try await auth.begin(.signUp(form), with: "clerk", options: Self.options),
            case .visit(let url, Self.redirect) = challenge.ask
        else { throw Missing() }
        let page = try await scene.transport.send(TransportRequest("GET", url), deadline: .seconds(20))
        let back = Secret(try #require(page.fields["Location"]))
        guard case .asked(let terms) = try await auth.answer(.redirected(back), to: challenge.id),
            case .choose(let options) = terms.ask,
            case .asked(let code) = try await auth.answer(.choice(options[0].id), to: terms.id),
            case .code(.mail, "nia+clerk_test@example.test") = code.ask,
            case .signedIn(let session) = try await auth.answer(.code(Secret("424242")), to: code.id)
        else { throw Missing() }
        #expect(session.label == "nia+clerk_test@example.test" && scene.server.clerkSessionCount == 1)
    }

    @Test("what is done in a browser is not asked for as text")
    func strategies() async throws {
        for missing in [["oauth_google"], ["enterprise_sso", "passkey"], ["web3_wallet"]] {
            let scene = try signUp(missing)
            let error = await #expect(throws: AuthError.self) { try await scene.begin(Self.newPerson) }
            #expect(error?.code == .configuration(.unsupported) && error?.message.contains(missing[0]) == true)
        }
        // Where a browser comes back, the person is led there, once.
        let led = try signUp(["oauth_google"])
        let begun = await #expect(throws: AuthError.self) { try await led.begin(Self.newPerson, Self.options) }
        #expect(begun?.code == .untrusted(.malformed))
        let prepared = try #require(led.transport.requests.last)
        #expect(prepared.url.contains("/prepare_verification") && Self.form(prepared)["strategy"] == "oauth_google")
        let mixed = try signUp(["first_name", "oauth_google", "legal_accepted"])
        guard case .fields(let fields) = try await mixed.begin(Self.newPerson).challenge().ask else { throw Missing() }
        #expect(fields.map(\.name) == ["first_name"])
    }

    @Test(
        "an address is verified by a link if there are no codes, or the app wants links and a redirect is received",
        arguments: [
            (["email_link"], false, true, true), (["email_code", "email_link"], false, true, false),
            (["email_code", "email_link"], true, true, true), (["email_code", "email_link"], true, false, false),
        ])
    func byLink(_ offered: [String], _ wants: Bool, _ hasRedirect: Bool, _ isLink: Bool) async throws {
        var scene = try signUp([], verifying: ["supported_strategies": .array(offered.map(JSON.string))])
        scene.provider.verifiesByLink = wants
        let turn = try await scene.begin(Self.newPerson, hasRedirect ? Self.options : SignInOptions())
        switch try turn.challenge().ask {
        case .openedLink: #expect(isLink)
        case .code: #expect(!isLink)
        default: throw Missing()
        }
        let prepared = try #require(scene.transport.requests.last)
        #expect(prepared.url.contains("/prepare_verification"))
        #expect((Self.form(prepared)["code_challenge"] != nil) == isLink)
    }
}
