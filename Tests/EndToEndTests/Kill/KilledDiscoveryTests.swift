import Latchkey
import LatchkeyDevServer
import Testing

/// A process that is ended while it waits for what it needs before its request.
@Suite("Killed before the request") struct KilledDiscoveryTests {
    @Test(
        "a process that is ended while it waits for the service's document leaves no mark, and the next one need not wait",
        arguments: [9, 15, 2] as [Int32])
    func killed(_ signal: Int32) async throws {
        let scene = try await SignedIn { configuration in
            configuration.rotation = .strict
            configuration.accessTokenLifetime = 1
        }
        defer { scene.server.stop() }
        try scene.forgetDocuments()
        scene.server.inject(DevServer.Fault(.hold, at: .discovery))
        let child = try scene.start(["refresh"])
        let isHeld = try await Child.poll(within: 30) { scene.server.heldAnswers > 0 ? true : nil }
        try #require(isHeld == true, "The document was not asked for.\n\(child.errors)")
        child.signal(signal)
        #expect(try await child.wait().status == 128 + signal)
        #expect(try !StoredLogin(below: scene.data).hasMark)
        let begun = SystemClock().now()
        let next = try await scene.run("token")
        #expect(next.status == 0, "\(next.errors)")
        // Ten seconds would be the wait for a request that may be under way.
        #expect(SystemClock().now() - begun < .seconds(6))
    }
}
