import Foundation
import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeyOAuthCore
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyClerk

@Suite("A proof once more") struct StepUpTests {
    /// Grace, signed in an hour ago.
    private func signedIn(_ rotation: DevServer.Clerk.Rotation = .signIns) async throws -> (Scene, AuthClient) {
        let scene = try Scene { $0.rotation = rotation }
        let auth = try AuthClient.Builder().provider(scene.provider).store(.memory).transport(scene.transport).build()
        _ = try await auth.converse(Scene.ofGrace, with: "clerk", asking: Self.answering)
        return (scene, auth)
    }

    private static let answering = ScriptedPresenter { challenge in
        switch challenge.ask {
        case .choose(let options): .choice(options.contains { $0.id == "password" } ? "password" : "totp")
        case .password: .password(Secret("grace-password"))
        default: .code(Scene.appCode)
        }
    }

    @Test(
        "each level asks for what it means, and the next token says so", .complaint(.clerk, 24),
        arguments: [("first_factor", 1), ("second_factor", 1), ("multi_factor", 2)], DevServer.Clerk.Rotation.allCases)
    func levels(_ level: (name: String, proofs: Int), _ rotation: DevServer.Clerk.Rotation) async throws {
        let (scene, auth) = try await signedIn(rotation)
        let before = try await auth.accessToken()
        let end = try await auth.converse(
            .stepUp(StepUp(acr: [level.name])), with: "clerk", asking: Self.answering)
        guard case .signedIn(let session) = end else { throw Missing() }
        let after = try await auth.accessToken()
        #expect(after != before && session.authenticatedAt != nil)
        let claims = try ClerkClaims(unverified: after.value)
        #expect(claims.minutesSinceFirstFactor == 0 && claims.minutesSinceSecondFactor == 0)
        #expect(scene.transport.count("/verify/attempt_") == level.proofs)
        // The session goes on, with the client token of the moment.
        _ = try await auth.accessToken(for: .template("backend"))
        #expect(try await auth.accounts().count == 1 && scene.server.clerkSessionCount == 1)
    }

    /// Mae, whose company has single sign-on, at the page where she proves it once more.
    private func atCompany(
        _ level: String
    ) async throws -> (scene: Scene, auth: AuthClient, challenge: Challenge, page: String) {
        let scene = try Scene { $0.settings = [.ssoOnly] }
        let auth = try AuthClient.Builder().provider(scene.provider).store(.memory).transport(scene.transport).build()
        var options = SignInOptions()
        options.redirect = "http://127.0.0.1:8765/callback"
        for request: SignInRequest in [
            .signIn(.enterprise(domain: "mae@corp.example.test")), .stepUp(StepUp(acr: [level])),
        ] {
            guard case .asked(let challenge) = try await auth.begin(request, with: "clerk", options: options),
                case .visit(let url, _) = challenge.ask
            else { throw Missing() }
            if case .stepUp = request { return (scene, auth, challenge, url) }
            let page = try await scene.transport.send(TransportRequest("GET", url), deadline: .seconds(20))
            let back = Secret(try #require(page.fields["Location"]))
            guard case .signedIn = try await auth.answer(.redirected(back), to: challenge.id) else { throw Missing() }
        }
        throw Missing()
    }

    @Test("a person of a company's sign-on proves it there, and the next token says so", arguments: [true, false])
    func company(_ visits: Bool) async throws {
        for level in ["first_factor", "multi_factor"] {
            let (scene, auth, challenge, page) = try await atCompany(level)
            var back = "http://127.0.0.1:8765/callback"
            if visits {
                let answer = try await scene.transport.send(TransportRequest("GET", page), deadline: .seconds(20))
                back = try #require(answer.fields["Location"])
            } else {
                // The session says that the last proof is older than the visit.
                scene.transport.answer { request in
                    guard request.method == "GET", request.url.contains("/client/sessions/") else { return nil }
                    let session: JSON = ["response": ["factor_verification_age": [3, -1]], "client": .null]
                    return TransportResponse(status: 200, body: session.serialized())
                }
            }
            let before = try await auth.accessToken()
            guard visits else {
                let error = await #expect(throws: AuthError.self) {
                    _ = try await auth.answer(.redirected(Secret(back)), to: challenge.id)
                }
                #expect(error?.code == .declined)
                #expect(try await auth.accessToken() == before)
                continue
            }
            guard case .signedIn = try await auth.answer(.redirected(Secret(back)), to: challenge.id) else {
                throw Missing()
            }
            let after = try await auth.accessToken()
            let claims = try ClerkClaims(unverified: after.value)
            #expect(after != before && claims.minutesSinceFirstFactor == 0)
            #expect(try await auth.accounts().count == 1 && scene.server.clerkSessionCount == 1)
        }
    }

    @Test("a proof elsewhere is followed by the second factor that the level wants")
    func companyAndApp() async throws {
        let (scene, auth, challenge, _) = try await atCompany("first_factor")
        _ = challenge
        @Sendable func verification(_ status: String, _ more: JSON = [:]) -> JSON {
            let base: JSON = [
                "object": "session_reverification", "status": .string(status), "level": "multi_factor",
                "supported_first_factors": [["strategy": "enterprise_sso"]],
                "supported_second_factors": [["strategy": "passkey"]],
            ]
            return .object((base.object ?? [:]).merging(more.object ?? [:]) { $1 })
        }
        scene.transport.answer { request in
            let form = FormEncoding.decode(String(decoding: request.body ?? [], as: UTF8.self)) ?? FormParameters()
            func answer(_ json: JSON) -> TransportResponse {
                let whole: JSON = ["response": json, "client": .null]
                return TransportResponse(status: 200, body: whole.serialized())
            }
            let place: JSON = ["external_verification_redirect_url": "https://sso.example.test/"]
            switch request.url.prefix(while: { $0 != "?" }).split(separator: "/").last {
            case "verify":
                return answer(
                    verification(form["level"] == "second_factor" ? "needs_second_factor" : "needs_first_factor"))
            case "prepare_first_factor":
                return answer(verification("needs_first_factor", ["first_factor_verification": place]))
            case "prepare_second_factor":
                return answer(verification("needs_second_factor", ["second_factor_verification": ["nonce": "{}"]]))
            case "attempt_second_factor": return answer(verification("complete"))
            default: return nil
            }
        }
        var options = SignInOptions()
        options.redirect = "http://127.0.0.1:8765/callback"
        guard
            case .asked(let visit) = try await auth.begin(
                .stepUp(StepUp(acr: ["multi_factor"])), with: "clerk", options: options),
            case .visit = visit.ask,
            case .asked(let second) = try await auth.answer(
                .redirected(Secret("http://127.0.0.1:8765/callback")), to: visit.id),
            case .passkey = second.ask,
            case .signedIn = try await auth.answer(.assertion(Secret("{}")), to: second.id)
        else { throw Missing() }
        #expect(scene.transport.count("/verify/attempt_second_factor") == 1)
    }

    @Test("a wrong proof can be corrected, and a level that there is not is refused before anything is sent")
    func wrong() async throws {
        let (scene, auth) = try await signedIn()
        let step = try await auth.begin(.stepUp(StepUp(acr: ["second_factor"])), with: "clerk")
        guard case .asked(let choice) = step,
            case .asked(let challenge) = try await auth.answer(.choice("totp"), to: choice.id)
        else { throw Missing() }
        await #expect(throws: AuthError.self) { try await auth.answer(.code(Secret("000000")), to: challenge.id) }
        guard case .signedIn = try await auth.answer(.code(Scene.appCode), to: challenge.id) else { throw Missing() }
        #expect(challenge.state["token"] == nil)
        let before = scene.transport.requests.count
        await #expect(throws: AuthError.self) {
            try await auth.begin(.stepUp(StepUp(acr: ["urn:moon"])), with: "clerk")
        }
        #expect(scene.transport.count("/verify") == 3 && scene.transport.requests.count >= before)
    }

    @Test("a backend's 403 asks for the level and age that it names")
    func verdict() throws {
        let provider: ClerkProvider = .clerk(publishableKey: "pk_test_ZXhhbXBsZS5hY2NvdW50cy5kZXYk")
        func verdict(_ status: Int, _ body: String) -> TokenVerdict {
            provider.verdict(on: TransportResponse(status: status, body: Array(body.utf8)))
        }
        let body = """
            {"clerk_error":{"type":"forbidden","reason":"reverification-error",
            "metadata":{"reverification":{"level":"second_factor","afterMinutes":10}}}}
            """
        #expect(verdict(403, body) == .insufficient(StepUp(acr: ["second_factor"], maxAge: .seconds(600))))
        #expect(verdict(403, #"{"clerk_error":{"reason":"reverification-error"}}"#) == .insufficient(StepUp()))
        #expect(
            verdict(403, body.replacing("second_factor", with: "moon").replacing("10", with: "-1"))
                == .insufficient(StepUp()))
        for other in ["", "<html>", "{}", #"{"clerk_error":{"reason":"x"}}"#, "[]"] {
            #expect(verdict(403, other) == .accepted)
        }
        #expect(verdict(401, "") == .rejected && verdict(200, body) == .accepted && verdict(404, body) == .accepted)
    }
}
