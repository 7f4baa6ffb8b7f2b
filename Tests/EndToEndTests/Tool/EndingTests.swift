import Latchkey
import LatchkeyDevServer
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// `Scripts/verify exits` does this for every command, at every moment.
@Suite("the end of latchkey while a service has not answered") struct EndingTests {
    /// A refresh of which the service has taken the token, and holds the answer.
    private func held(_ scene: SignedIn, _ words: [String], environment: [String: String] = [:]) async throws -> Child {
        #expect(scene.server.inject(DevServer.Fault(.hold, at: .token, grant: .refreshToken, acts: true)))
        let child = try scene.tool.start(words, environment: environment)
        let isHeld = try await Child.poll(within: 30) { scene.server.heldAnswers > 0 ? true : nil }
        try #require(isHeld == true, "The refresh did not come.\n\(child.errors)")
        return child
    }

    @Test(
        "a signal waits for the answer, says for whose, and ends with the signal's status; the session lives on",
        arguments: [
            (SIGINT, "C", "latchkey: Waits for"), (SIGTERM, "fr_FR.UTF-8", "latchkey: Attente de la réponse de"),
            (SIGHUP, "C", "latchkey: Waits for"),
        ] as [(Int32, String, String)])
    func signal(_ number: Int32, _ language: String, _ words: String) async throws {
        let scene = try await SignedIn()
        let child = try await held(scene, ["refresh"], environment: ["LC_ALL": language])
        child.signal(number)
        _ = try await child.find { _, errors in errors.hasPrefix("\(words) \(scene.server.issuer)") ? true : nil }
        #expect(scene.server.release() == 1)
        let result = try await child.wait()
        #expect(result.status == 128 + number)
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(try await scene.run("refresh").status == 0)
    }

    @Test("a second signal ends it at once; two that come together are one, as from timeout")
    func second() async throws {
        let scene = try await SignedIn()
        let child = try await held(scene, ["refresh"])
        child.signal(SIGTERM)
        child.signal(SIGTERM)
        _ = try await child.find(/(Waits for)/)
        try await Task.sleep(for: .milliseconds(700))
        #expect(scene.server.heldAnswers == 1, "It still waits.")
        child.signal(SIGINT)
        #expect(try await child.wait(within: 5).status == 143)
        scene.server.release()
    }

    @Test("a deadline of the caller's ends its wait and not the refresh, and names the service that was slow")
    func deadline() async throws {
        let scene = try await SignedIn()
        #expect(try await scene.run("token").status == 0)
        scene.server.inject(DevServer.Fault(.status, at: .resource, status: 401))
        let url = scene.server.issuer + "/resource"
        let child = try await held(
            scene, ["request", url, "--allow-origin", scene.server.issuer, "--timeout", "1s"])
        _ = try await child.find(/(did not answer in time)/)
        _ = try await child.find(/(Waits for)/)
        scene.server.release()
        let result = try await child.wait()
        #expect(result.status == 4)
        #expect(result.errors.hasPrefix("latchkey: \(scene.server.issuer) did not answer in time"))
        #expect(try await scene.run("refresh").status == 0)
    }

    @Test("where nothing was sent, a signal ends it at once")
    func nothingSent() async throws {
        let scene = try await SignedIn()
        // With it at hand, nothing would be waited for before the request.
        try scene.forgetDocuments()
        #expect(scene.server.inject(DevServer.Fault(.hold, at: .discovery)))
        let child = try scene.tool.start(["refresh"])
        try #require(try await Child.poll(within: 30) { scene.server.heldAnswers > 0 ? true : nil } == true)
        child.signal(SIGTERM)
        let result = try await child.wait(within: 5)
        #expect(result.status == 143)
        #expect(result.errors.isEmpty)
        scene.server.release()
        #expect(try await scene.run("refresh").status == 0)
    }

    @Test("a login that is told to end while its code is exchanged keeps the session and the profile")
    func login() async throws {
        let (tool, server) = (try Tool(), try Service.start())
        #expect(server.inject(DevServer.Fault(.hold, at: .token, acts: true)))
        let child = try tool.start(["login", "--issuer", server.issuer, "--client-id", "dev-native", "--no-browser"])
        let address = try await child.find(/(http:\/\/127\.0\.0\.1:\d+\/[a-z]+\?\S+)/)
        async let visit: Void = { _ = try? await Browser().visit(address) }()
        try #require(try await Child.poll(within: 30) { server.heldAnswers > 0 ? true : nil } == true)
        child.signal(SIGTERM)
        _ = try await child.find(/(Waits for)/)
        server.release()
        #expect(try await child.wait().status == 143)
        await visit
        #expect(try await tool.run("token").status == 0)
        #expect(try await tool.run("refresh").status == 0)
    }
}
