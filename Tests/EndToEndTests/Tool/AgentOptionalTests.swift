import FoundationEssentials
import Latchkey
import LatchkeyJSON
import Testing

@testable import LatchkeyCommand

@Suite("The agent is a convenience", .timeLimit(.minutes(3))) struct AgentOptionalTests {
    private static let passphrase = "correct horse battery staple\n"

    /// A tool whose session is in an encrypted file.
    private func encrypted(_ environment: [String: String]) async throws -> Tool {
        let (tool, server) = (try Tool(), try Service.start())
        let login = try await SignedIn.login(tool, server, environment: environment)
        try #require(login.status == 0, "\(login.errors)")
        let moved = try await tool.run(
            "store", "migrate", "--to", "encrypted", "--passphrase-from-stdin", environment: environment,
            input: Self.passphrase)
        try #require(moved.status == 0, "\(moved.errors)")
        return tool
    }

    @Test("where no agent can be, the passphrase opens the session all the same, and the reason is told")
    func withoutPlace() async throws {
        let folder = TemporaryFolder()
        try SystemFiles().makeDirectory("\(folder.path)/latchkey")
        try SystemFiles().setMode("\(folder.path)/latchkey", 0o777)
        let deep = "\(folder.path)/" + String(repeating: "d", count: 60) + "/" + String(repeating: "e", count: 60)
        for (environment, reason) in [
            (["XDG_RUNTIME_DIR": folder.path], folder.path), (["XDG_RUNTIME_DIR": "", "XDG_DATA_HOME": deep], "107"),
        ] {
            let tool = try await encrypted(environment)
            let result = try await tool.run(
                "store", "verify", "--passphrase-from-stdin", environment: environment, input: Self.passphrase)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains("Runs without an agent: ") && result.errors.contains(reason))
            let wrong = try await tool.run(
                "store", "verify", "--passphrase-from-stdin", environment: environment, input: "wrong wrong wrong\n")
            #expect(wrong.status != 0)
        }
    }

    @Test("lock and status find the agent of the profile's data, whatever XDG_RUNTIME_DIR says")
    func found() async throws {
        let runtime = TemporaryFolder()
        let here = ["XDG_RUNTIME_DIR": runtime.path]
        let elsewhere = ["XDG_RUNTIME_DIR": ""]
        let tool = try await encrypted(here)
        let unlocked = try await tool.run(
            "unlock", "--for", "5m", "--passphrase-from-stdin", environment: here, input: Self.passphrase)
        #expect(unlocked.status == 0, "\(unlocked.errors)")
        #expect(try await tool.run("agent", "status", environment: elsewhere).status == 0)
        #expect(try await tool.run("token", environment: elsewhere).status == 0)
        let lock = try await tool.run("lock", "--json", environment: elsewhere)
        #expect(lock.status == 0 && lock.json?["wasUnlocked"]?.bool == true)
        #expect(try await tool.run("token", environment: here).status == 5)
        let again = try await tool.run("lock", "--json", environment: elsewhere)
        #expect(again.status == 0 && again.json?["wasUnlocked"]?.bool == false)
        #expect(!FilesBelow.list("\(tool.data)/latchkey/agent").contains { $0.contains("/place-") })
    }
}
