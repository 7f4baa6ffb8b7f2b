import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@testable import LatchkeyCommand

/// After a client's secret was changed at the service, or the client deleted.
@Suite("a client that the service refuses") struct RefusedClientTests {
    private func signedIn(_ lifetime: Int) async throws -> (SignedIn, secret: String) {
        let tool = try Tool()
        let secret = "\(tool.folder.path)/secret"
        try SystemFiles().writeNew(secret, Array(Service.clientSecret.utf8))
        let server = try Service.start { $0.accessTokenLifetime = lifetime }
        let login = try await SignedIn.login(
            tool, server, ["--client-secret-file", secret], client: "confidential")
        try #require(login.status == 0, "\(login.errors)")
        return (SignedIn(tool: tool, server: server), secret)
    }

    private func write(_ text: String, to path: String) throws {
        try SystemFiles().remove(path)
        try SystemFiles().writeNew(path, Array(text.utf8))
    }

    @Test("status, whoami, accounts and doctor say what token says, and a refresh with the right secret ends it")
    func alike() async throws {
        let (scene, secret) = try await signedIn(1)
        try write("another secret", to: secret)
        #expect(try await scene.run("refresh").status == 8)
        // The access token lasts for a second.
        var state: String?
        for _ in 0..<2_000 where state != "clientRefused" {
            state = try await scene.run("status", "--json").json?["state"]?.string
        }
        #expect(state == "clientRefused")
        for command in ["token", "status", "whoami"] {
            let result = try await scene.run(command)
            #expect(result.status == 8 && !result.output.contains("signed in"), "\(command): \(result.output)")
        }
        let status = try await scene.run("status")
        #expect(status.output.contains("no token can be had: the service refuses this client"))
        #expect(status.output.contains("latchkey refresh --profile default"), "\(status.output)")
        #expect(try await scene.run("accounts").output.contains("the service refuses this client"))
        let doctor = try await scene.run("doctor")
        #expect(doctor.status == 8 && !doctor.output.contains(": signed in"), "\(doctor.output)")
        try write(Service.clientSecret, to: secret)
        #expect(try await scene.run("refresh", "--profile", "default").status == 0)
        let after = try await scene.run("status", "--json")
        #expect(after.status == 0 && after.json?["clientRefused"] == nil)
    }

    @Test("while the access token lasts it is handed out, and status and doctor tell of the refusal beside it")
    func lasting() async throws {
        let (scene, secret) = try await signedIn(300)
        try write("another secret", to: secret)
        #expect(try await scene.run("refresh").status == 8)
        #expect(try await scene.run("token").status == 0)
        let status = try await scene.run("status")
        #expect(status.status == 0 && status.output.contains("refused this client at the last refresh"))
        #expect(try await scene.run("status", "--json").json?["clientRefused"] == true)
        let doctor = try await scene.run("doctor").output
        #expect(doctor.contains(/warn +session/) && doctor.contains("refused this client at the last refresh"))
        #expect(try await scene.run("whoami").status == 0)
    }
}
