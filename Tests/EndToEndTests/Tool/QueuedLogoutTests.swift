import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("A sign-out that the service was not told of", .timeLimit(.minutes(2))) struct QueuedLogoutTests {
    @Test("says which commands tell it, and until when: seven days, for people and in JSON")
    func says() async throws {
        for language in ["C", "fr_FR.UTF-8"] {
            let scene = try await SignedIn()
            scene.server.stop()
            let result = try await scene.run("logout", environment: ["LC_ALL": language])
            #expect(result.status == 0)
            let sentence =
                language == "C"
                ? /refresh or logout of this profile tries again, until (\S+) \(in 6d 23h\)\.\n$/
                : /refresh ou logout de ce profil réessaiera, jusqu’au (\S+) \(dans 6d 23h\)\.\n$/
            let date = try #require(result.output.firstMatch(of: sentence), "\(result.output)").1
            let end = try Date(String(date), strategy: .iso8601)
            #expect(abs(end.timeIntervalSinceNow - 7 * 86_400) < 60)
        }
    }

    @Test("has the end in JSON, and a sign-out that was told has none")
    func json() async throws {
        let scene = try await SignedIn()
        scene.server.inject(DevServer.Fault(.drop, at: .revocation, count: 3))
        let queued = try await scene.run("logout", "--json")
        #expect(queued.json?["result"]?.string == "revocationQueued")
        let text = try #require(queued.json?["triedUntil"]?.string)
        #expect(abs(try Date(text, strategy: .iso8601).timeIntervalSinceNow - 7 * 86_400) < 60)
        scene.server.clear()
        let later = try await scene.run("logout", "--json")
        #expect(later.json?["result"]?.string == "nothingToDo" && later.json?["triedUntil"] == nil)
        try await SignedIn.login(scene.tool, scene.server)
        let told = try await scene.run("logout", "--json")
        #expect(told.json?["result"]?.string == "revoked" && told.json?["triedUntil"] == nil)
    }

    @Test("is told by each command that it names, a refresh with nobody signed in included")
    func told() async throws {
        for command in ["refresh", "logout", "login"] {
            let scene = try await SignedIn()
            scene.server.inject(DevServer.Fault(.drop, at: .revocation, count: 3))
            #expect(try await scene.run("logout", "--json").json?["triedUntil"] != nil)
            scene.server.clear()
            if command == "login" {
                try await SignedIn.login(scene.tool, scene.server)
            } else {
                _ = try await scene.run(command)
            }
            #expect(try await scene.run("status", "--json").json?["pendingRevocations"]?.integer == 0, "\(command)")
            #expect(scene.server.log().contains { $0.endpoint == .revocation && $0.outcome == "ok" }, "\(command)")
        }
    }
}
