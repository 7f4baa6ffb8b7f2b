import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import LatchkeyOAuth
import LatchkeyTesting
import Testing

@Suite("The ID token") struct KeptIDTokenTests {
    @Test("is given as it came while it lasts, also offline, and by another process")
    func kept() async throws {
        let scene = try PersonScene()
        let auth = try await scene.signedIn()
        let token = try await auth.oauth().idToken()
        #expect(token.expiresAt == scene.clock.wall().addingTimeInterval(300))
        #expect("\(token)" == "OpenIDToken(<redacted>)")
        scene.server.stop()
        #expect(try await scene.process().oauth().idToken().value == token.value)
    }

    @Test("is replaced by a refresh once it has ended, or ends too soon")
    func replaced() async throws {
        let scene = try PersonScene()
        let auth = try await scene.signedIn()
        let first = try await auth.oauth().idToken()
        scene.clock.advance(by: .seconds(100))
        let second = try await auth.oauth().idToken(minimumValidity: .seconds(250))
        #expect(second.value != first.value && second.expiresAt > first.expiresAt)
        scene.clock.advance(by: .seconds(301))
        #expect(try await auth.oauth().idToken().expiresAt > second.expiresAt)
        #expect(scene.refreshes == 2)
        // The service gives no longer one: what it gives is the best there is.
        #expect(try await auth.oauth().idToken(minimumValidity: .seconds(100_000)).expiresAt > second.expiresAt)
        #expect(scene.refreshes == 3)
    }

    @Test("that has ended is not given out while the service cannot be reached")
    func offline() async throws {
        let scene = try PersonScene()
        let auth = try await scene.signedIn()
        scene.clock.advance(by: .seconds(301))
        scene.server.stop()
        #expect(try await trouble { _ = try await auth.oauth().idToken() }.code == .offline(.unreachable))
    }

    @Test("does not exist without `openid`")
    func none() async throws {
        let scene = try PersonScene()
        let auth = try await scene.signedIn(scopes: ["read", "offline_access"])
        let error = try await trouble { _ = try await auth.oauth().idToken() }
        #expect(error.code == .configuration(.unsupported) && error.message == "The sign-in brought no ID token.")
        #expect(scene.refreshes == 0)
    }
}
