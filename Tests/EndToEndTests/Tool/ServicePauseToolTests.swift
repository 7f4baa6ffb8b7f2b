import LatchkeyDevServer
import LatchkeyJSON
import Testing

/// `Retry-After` between commands.
@Suite struct ServicePauseToolTests {
    @Test(
        "after `Retry-After`, of whichever endpoint, no further command sends anything, and a person may ask anyway",
        arguments: [DevServer.Endpoint.token, .discovery], [429, 503])
    func commands(_ endpoint: DevServer.Endpoint, _ status: Int) async throws {
        let scene = try await SignedIn { $0.accessTokenLifetime = 1 }
        // With them at hand, no command would ask for the document.
        if endpoint == .discovery { try scene.forgetDocuments() }
        #expect(
            scene.server.inject(
                DevServer.Fault(.retryAfter, at: endpoint, count: 9, status: status, seconds: 300)))
        let before = scene.server.log().count
        let first = try await scene.run("refresh")
        #expect(first.status == 4)
        let sent = scene.server.log().count
        #expect(sent > before)
        for _ in 0..<3 {
            let told = try await scene.run("refresh", "--json")
            #expect(told.status == 4)
            let wait = try #require(told.errorJSON?["retryAfterSeconds"]?.integer)
            #expect((200...300).contains(wait))
        }
        #expect(scene.server.log().count == sent)
        #expect(try await scene.run("refresh", "--now").status == 4)
        #expect(scene.server.log().count > sent)
    }
}
