import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyFileStore
import LatchkeyJSON
import LatchkeyOAuth
import Testing

@Suite("A process that is stopped while it refreshes")
struct StoppedHolderTests {
    private let stop: Int32 = 19
    private let resume: Int32 = 18

    @Test("keeps the lane: others use the token while it lasts, are told who holds it, and adopt what it brings")
    func stopped() async throws {
        let held = try await HeldService(.strict)
        let status = try #require(try await held.signedIn.run("status", "--json").json)
        let directory = try #require(status["store"]?["path"]?.string)
        var settings = EngineSettings()
        settings.refresh = .onDemand
        settings.lockDeadline = .milliseconds(500)
        let auth = try AuthClient.Builder()
            .provider(.oauth(issuer: held.server.issuer, clientID: "dev-native", named: "oauth"))
            .store(.file(unencryptedAt: directory)).transport(.curl()).settings(settings).build()
        let first = try await auth.accessToken()
        held.server.inject(DevServer.Fault(.hold, at: .token, grant: .refreshToken, acts: true))
        let child = try held.signedIn.start(["refresh"])
        let isHeld = try await Child.poll(within: 30) { held.acted > 0 ? true : nil }
        try #require(isHeld == true, "The refresh did not come.\n\(child.errors)")
        child.signal(stop)

        let error = await #expect(throws: AuthError.self) { try await auth.refresh() }
        #expect(error?.code == .busy)
        #expect(error?.message == "the lock is held by pid \(child.pid) (latchkey)")
        #expect(try await auth.accessToken() == first)
        #expect(held.acted == 1)

        child.signal(resume)
        held.server.release()
        #expect(try await child.wait().status == 0)
        _ = try await Child.poll(within: 5) { auth.currentToken() == first ? nil : true }
        #expect(auth.currentToken() != nil && auth.currentToken() != first)
        #expect(held.acted == 1)
    }
}
