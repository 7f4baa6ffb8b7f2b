import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("A client with a secret") struct ClientSecretJourneyTests {
    private let tool: Tool
    private let server: DevServer

    init() throws { (tool, server) = (try Tool(), try Service.start()) }

    private func file(_ content: String, mode: UInt32 = 0o600) throws -> String {
        let path = "\(tool.folder.path)/client-secret"
        try SystemFiles().writeNew(path, Array(content.utf8))
        tool.folder.setMode(path, mode)
        return path
    }

    @Test("from a file, every later command finds it")
    func fromFile() async throws {
        let path = try file("\(Service.clientSecret)\n")
        let login = try await SignedIn.login(
            tool, server, ["--client-secret-file", path], client: "confidential")
        #expect(login.status == 0, "\(login.errors)")
        #expect(try await tool.run("refresh").status == 0)
        tool.folder.setMode(path, 0o644)
        #expect(try await tool.run("refresh").status == 7)
        try SystemFiles().remove(path)
        #expect(try await tool.run("refresh").status == 8)
        #expect(try await tool.run("status").status == 0)
    }

    @Test("from the environment, it is needed there again, and the profile does not hold it")
    func fromEnvironment() async throws {
        let variable = ["LATCHKEY_CLIENT_SECRET": Service.clientSecret]
        let login = try await SignedIn.login(tool, server, client: "confidential", environment: variable)
        #expect(login.status == 0, "\(login.errors)")
        #expect(try await tool.run("refresh", environment: variable).status == 0)
        #expect(try await tool.run("refresh").status == 8)
        #expect(!FilesBelow.content(tool.configuration).contains("app+secret"))
        #expect(!FilesBelow.content(tool.data).contains("app+secret"))
    }

    @Test("a wrong one is a wrong configuration, and no reason to end the session")
    func wrong() async throws {
        let variable = ["LATCHKEY_CLIENT_SECRET": Service.clientSecret]
        try await SignedIn.login(tool, server, client: "confidential", environment: variable)
        let wrong = try await tool.run("refresh", "--json", environment: ["LATCHKEY_CLIENT_SECRET": "wrong"])
        #expect(wrong.status == 8)
        #expect(wrong.errorJSON?["code"]?.string == "configuration.clientRefused")
        let again = try await tool.run("refresh", environment: variable)
        #expect(again.status == 0, "\(again.errors)")
    }

    @Test("one that must be asked for is not to be had without a terminal")
    func promptWithoutTerminal() async throws {
        let result = try await tool.run(
            "login", "--json", "--issuer", server.issuer, "--client-id", "confidential", "--ask-client-secret")
        #expect(result.status == 8)
        #expect(server.log().isEmpty)
    }

    @Test("typed at a terminal, it does not show")
    func prompt() async throws {
        let terminal = try TestTerminal()
        let child = try tool.start(
            [
                "login", "--issuer", server.issuer, "--client-id", "confidential", "--ask-client-secret",
                "--no-browser",
            ], at: terminal)
        try await terminal.wait { terminal.screen().contains("ecret") && !terminal.echoes }
        terminal.type("\(Service.clientSecret)\n")
        let url = /(http:\/\/127\.0\.0\.1:\d+\/[a-z]+\?\S+)/
        try await terminal.wait { terminal.screen().contains(url) }
        try await Browser().visit(String(try #require(terminal.screen().firstMatch(of: url)).1))
        #expect(try await child.wait().status == 0, "\(terminal.screen())")
        #expect(!terminal.screen().contains("app+secret"))
        #expect(terminal.screen().contains("Signed in as "))
    }
}
