import Foundation
import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeyTesting
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
        "each level asks for what it means, and the next token says so",
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
