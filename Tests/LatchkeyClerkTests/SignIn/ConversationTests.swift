import Latchkey
import LatchkeyDevServer
import Proofs
import Testing

@testable import LatchkeyClerk

@Suite("Signing in and up") struct ConversationTests {
    @Test("a password signs in: the client token is the credential, and goes bare", .complaint(.clerk, 25))
    func password() async throws {
        let scene = try Scene()
        let grant = try await scene.begin(Scene.ofAda).grant()
        #expect(grant.sessions.count == 1 && grant.sessions[0].label == Scene.ada)
        #expect(grant.sessions[0].id.value.hasPrefix("sess_"))
        #expect(grant.sessions[0].account.value.contains("user_ada"))
        let last = try #require(scene.transport.requests.last)
        #expect(last.fields["Authorization"] == grant.refreshToken?.revealText())
        #expect(
            scene.transport.requests.allSatisfy { $0.fields["Origin"] == nil && $0.url.contains("_is_native=true") })
        #expect(scene.transport.requests.allSatisfy { $0.fields["clerk-api-version"] == "2026-05-12" })
        #expect(scene.transport.requests.first?.fields["Authorization"] == nil)
    }

    @Test("a wrong password, and a name that nobody has, are wrong input")
    func wrong() async throws {
        let scene = try Scene()
        for who in [Scene.ada, "nobody@example.test"] {
            let error = await #expect(throws: AuthError.self) {
                try await scene.begin(.signIn(.password(identifier: who, Secret("wrong"))))
            }
            #expect(error?.code == .refused(.wrongInput))
        }
    }

    @Test(
        "a code by mail or message is sent once, and a wrong one can be corrected", .complaint(.clerk, 34),
        arguments: [true, false])
    func code(_ isMail: Bool) async throws {
        let scene = try Scene()
        let turn = try await scene.begin(
            .signIn(.code(identifier: isMail ? Scene.ada : "+12015550100", over: isMail ? .mail : .sms)))
        guard case .code(let channel, let sentTo) = try turn.challenge().ask else { throw Missing() }
        #expect(channel == (isMail ? .mail : .sms) && sentTo != nil)
        #expect(scene.server.clerkMessages.count == 1)
        let error = await #expect(throws: AuthError.self) { try await scene.answer(.code(Secret("000000")), turn) }
        #expect(error?.code == .refused(.wrongInput))
        #expect(try await scene.answer(.code(Secret("424242")), turn).grant().sessions.count == 1)
    }

    @Test("a code is sent again, and too many wrong ones end the attempt")
    func resend() async throws {
        var scene = try Scene { $0.codeTries = 2 }
        let turn = try await scene.begin(.signIn(.code(identifier: Scene.ada, over: .mail)))
        for _ in 1...2 { _ = try? await scene.answer(.code(Secret("000000")), turn) }
        let error = await #expect(throws: AuthError.self) { try await scene.answer(.code(Secret("424242")), turn) }
        // As for a person that the service does not know, where nobody counts.
        #expect(error?.code == .refused(.wrongInput) && error?.serviceCode == "form_code_incorrect")
        let again = try await scene.answer(.resend, turn)
        #expect(try again.challenge().ask == turn.challenge().ask)
        #expect(scene.server.clerkMessages.count == 2)
        scene.provider.tellsUnknownPeople = true
        for _ in 1...2 { _ = try? await scene.answer(.code(Secret("000000")), again) }
        let teller = scene
        let told = await #expect(throws: AuthError.self) { try await teller.answer(.code(Secret("424242")), again) }
        #expect(told?.serviceCode == "verification_failed")
        let last = try await scene.answer(.resend, again)
        #expect(try await scene.answer(.code(Secret("424242")), last).grant().sessions.count == 1)
    }

    @Test("of several second factors the person chooses", .complaint(.clerk, 13))
    func second() async throws {
        let scene = try Scene()
        let turn = try await scene.begin(Scene.ofGrace)
        guard case .choose(let options) = try turn.challenge().ask else { throw Missing() }
        #expect(options.map(\.id) == ["totp", "backup_code"])
        let app = try await scene.answer(.choice("totp"), turn)
        #expect(try app.challenge().ask == .totp)
        let error = await #expect(throws: AuthError.self) { try await scene.answer(.code(Secret("000000")), app) }
        #expect(error?.code == .refused(.wrongInput))
        #expect(try await scene.answer(.code(Scene.appCode), app).grant().sessions[0].label == Scene.grace)
        let other = try await scene.answer(.choice("backup_code"), scene.begin(Scene.ofGrace))
        #expect(try await scene.answer(.code(Secret("grace-backup")), other).grant().sessions.count == 1)
        await #expect(throws: AuthError.self) { try await scene.answer(.choice("sms"), turn) }
    }

    @Test("a device that is new to the service proves a code by mail")
    func trust() async throws {
        let scene = try Scene { $0.asksForClientTrust = true }
        let turn = try await scene.begin(Scene.ofAda)
        guard case .code(.mail, _) = try turn.challenge().ask else { throw Missing() }
        #expect(try await scene.answer(.code(Secret("424242")), turn).grant().sessions.count == 1)
    }

    @Test("a lost password is replaced, which signs in")
    func recover() async throws {
        let scene = try Scene()
        let turn = try await scene.begin(.recover(identifier: Scene.ada))
        let new = try await scene.answer(.code(Secret("424242")), turn)
        guard case .newPassword = try new.challenge().ask else { throw Missing() }
        let short = await #expect(throws: AuthError.self) { try await scene.answer(.password(Secret("short")), new) }
        #expect(short?.code == .refused(.passwordNotAccepted) && short?.message.contains("password") == true)
        #expect(try await scene.answer(.password(Secret("another horse")), new).grant().sessions.count == 1)
        let again = SignInRequest.signIn(.password(identifier: Scene.ada, Secret("another horse")))
        #expect(try await scene.begin(again).grant().sessions.count == 1)
    }

    @Test("a sign-up asks for what is missing, and then for the code that was sent", .need("R1"))
    func signUp() async throws {
        let scene = try Scene { $0.requiredFields = ["email_address", "password", "first_name"] }
        let turn = try await scene.begin(.signUp(SignUpForm(identifier: "new+clerk_test@example.test")))
        guard case .fields(let fields) = try turn.challenge().ask else { throw Missing() }
        #expect(fields.map(\.name).sorted() == ["first_name", "password"])
        #expect(fields.first { $0.name == "password" }?.rules != nil)
        let wrong = await #expect(throws: AuthError.self) {
            try await scene.answer(.fields(["password": Secret("short"), "first_name": Secret("Nia")]), turn)
        }
        #expect(wrong?.code == .refused(.passwordNotAccepted))
        let code = try await scene.answer(
            .fields(["password": Secret("long enough"), "first_name": Secret("Nia")]), turn)
        guard case .code(.mail, let sentTo) = try code.challenge().ask else { throw Missing() }
        #expect(sentTo == "new+clerk_test@example.test")
        // Who asks for another one is told the same address.
        #expect(try await scene.answer(.resend, code).challenge().ask == code.challenge().ask)
        #expect(try await scene.answer(.code(Secret("424242")), code).grant().sessions[0].label == sentTo)
        let taken = await #expect(throws: AuthError.self) {
            try await scene.begin(.signUp(SignUpForm(identifier: "new+clerk_test@example.test")))
        }
        #expect(taken?.code == .refused(.other) && taken?.serviceCode == "form_identifier_exists")
    }

    @Test("what is switched off in the dashboard is named", arguments: ["native_api_disabled", "maintenance_mode"])
    func off(_ code: String) async throws {
        let scene = try Scene {
            $0.allowsNative = code != "native_api_disabled"
            $0.isInMaintenance = code == "maintenance_mode"
        }
        let error = await #expect(throws: AuthError.self) { try await scene.begin(Scene.ofAda) }
        #expect(error?.code == (code == "maintenance_mode" ? .serviceTrouble : .configuration(.clientRefused)))
    }

    @Test("an unknown status is not supported, and no crash", .complaint(.clerk, 38))
    func unknown() async throws {
        let scene = try Scene()
        let answers = [
            #"{"response":{"id":"sia_1","status":"needs_moon_phase"}}"#, #"{"response":{"id":"sia_1"}}"#,
            #"{"response":{"id":"sia_1","status":"needs_first_factor","supported_first_factors":[{"strategy":"web3_x"}]}}"#,
            #"{"response":{"id":"sia_1","status":"needs_second_factor","supported_second_factors":null}}"#,
        ]
        for body in answers {
            scene.transport.answer { _ in TransportResponse(status: 200, body: Array(body.utf8)) }
            let error = await #expect(throws: AuthError.self) { try await scene.begin(Scene.ofAda) }
            #expect(error?.code == .configuration(.unsupported), "\(body)")
        }
        let check = #"{"response":{"id":"sia_1","status":"needs_protect_check"}}"#
        scene.transport.answer { _ in TransportResponse(status: 200, body: Array(check.utf8)) }
        let error = await #expect(throws: AuthError.self) { try await scene.begin(Scene.ofAda) }
        #expect(error?.code == .refused(.captcha))
    }
}
