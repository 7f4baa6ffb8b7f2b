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
        let login = try await SignedIn.login(
            tool, server, ["--client-secret-env"], client: "confidential", environment: variable)
        #expect(login.status == 0, "\(login.errors)")
        #expect(try await tool.run("refresh", environment: variable).status == 0)
        #expect(try await tool.run("refresh").status == 8)
        #expect(!FilesBelow.content(tool.configuration).contains("app+secret"))
        #expect(!FilesBelow.content(tool.data).contains("app+secret"))
    }

    @Test("from the environment, a line break behind it is no part of it", arguments: ["\n", "\r\n"])
    func lineBreak(_ end: String) async throws {
        let variable = ["LATCHKEY_CLIENT_SECRET": Service.clientSecret + end]
        let login = try await SignedIn.login(
            tool, server, ["--client-secret-env"], client: "confidential", environment: variable)
        #expect(login.status == 0, "\(login.errors)")
        #expect(try await tool.run("refresh", environment: variable).status == 0)
    }

    @Test("from the environment, it is used only where the profile says so, and what to do is said")
    func notAllowed() async throws {
        let variable = ["LATCHKEY_CLIENT_SECRET": Service.clientSecret]
        let refused = try await SignedIn.login(tool, server, client: "confidential", environment: variable)
        #expect(refused.status == 8, "\(refused.errors)")
        #expect(refused.errors.contains("LATCHKEY_CLIENT_SECRET is set but not used"))
        #expect(refused.errors.contains("was not sent; if it is this client's secret, add --client-secret-env"))
        // A public client needs none, and stays public.
        let first = try await SignedIn.login(tool, server, environment: variable)
        #expect(first.status == 0 && first.errors.contains("LATCHKEY_CLIENT_SECRET is set but not used"))
        let again = try await SignedIn.login(tool, server, environment: variable)
        #expect(again.status == 0 && !again.errors.contains("LATCHKEY_CLIENT_SECRET"), "\(again.errors)")
        let shown = try await tool.run("profiles", "show", "default", "--json", environment: variable)
        #expect(shown.json?["profiles"]?.array?.first?["clientSecret"] == nil, "\(shown.output)")
        #expect(try await tool.run("refresh").status == 0)
    }

    @Test("from the environment, it does not follow a profile to another client")
    func otherClient() async throws {
        let variable = ["LATCHKEY_CLIENT_SECRET": Service.clientSecret]
        try await SignedIn.login(
            tool, server, ["--client-secret-env"], client: "confidential", environment: variable)
        #expect(try await tool.run("logout", environment: variable).status == 0)
        let other = try await SignedIn.login(tool, server, environment: variable)
        #expect(other.status == 0, "\(other.errors)")
        #expect(try await tool.run("refresh").status == 0)
    }

    @Test("a profile whose service was changed by hand sends it no more, until the option is given again")
    func changedByHand() async throws {
        let variable = ["LATCHKEY_CLIENT_SECRET": Service.clientSecret]
        try await SignedIn.login(
            tool, server, ["--client-secret-env"], client: "confidential", environment: variable)
        let path = "\(tool.configuration)/latchkey/profiles/default.json"
        let text = String(decoding: try SystemFiles().read(path, limit: 1 << 16) ?? [], as: UTF8.self)
        try SystemFiles().remove(path)
        // Only what the profile names, and not to whom the secret may go.
        let changed = text.replacing(#""client_id":"confidential""#, with: #""client_id":"other""#)
        try #require(changed != text)
        try SystemFiles().writeNew(path, Array(changed.utf8))
        let before = server.log().count
        let refused = try await tool.run("refresh", environment: variable)
        #expect(refused.status == 8 && refused.errors.contains("--client-secret-env"), "\(refused.errors)")
        #expect(server.log().count == before)
        #expect(try await tool.run("profiles", "edit", "default", "--client-secret-env").status == 0)
        let again = try await tool.run("refresh", environment: variable)
        #expect(!again.errors.contains("so it is not sent"), "\(again.errors)")
    }

    @Test("two places of the secret are a wrong command line")
    func twoPlaces() async throws {
        let two = [
            ["--client-secret-env", "--ask-client-secret"], ["--client-secret-file", "/a", "--client-secret-env"],
        ]
        for words in two {
            let result = try await tool.start(["login", "--issuer", server.issuer, "--client-id", "c"] + words).wait()
            #expect(result.status == 2, "\(result.errors)")
        }
    }

    @Test("a sign-out needs none: the session ends here, and the service is told once the secret is there again")
    func signOutWithout() async throws {
        let variable = ["LATCHKEY_CLIENT_SECRET": Service.clientSecret]
        try await SignedIn.login(tool, server, ["--client-secret-env"], client: "confidential", environment: variable)
        let before = server.log().count
        let logout = try await tool.run("logout", "--json")
        #expect(logout.status == 0, "\(logout.errors)")
        #expect(logout.errors.contains("LATCHKEY_CLIENT_SECRET"))
        #expect(logout.json?["result"]?.string == "revocationQueued")
        #expect(try await tool.run("status").status == 3)
        #expect(server.log().dropFirst(before).allSatisfy { $0.endpoint != .revocation })
        let later = try await tool.run("logout", environment: variable)
        #expect(later.status == 0, "\(later.errors)")
        #expect(server.log().dropFirst(before).contains { $0.endpoint == .revocation })
    }

    @Test("a profile is removed without it, and says how many sign-outs the service was not told of")
    func removalWithout() async throws {
        let variable = ["LATCHKEY_CLIENT_SECRET": Service.clientSecret]
        try await SignedIn.login(tool, server, ["--client-secret-env"], client: "confidential", environment: variable)
        let profiles = try await tool.run("profiles", "--json").json?["profiles"]?.array
        let name = try #require(profiles?.first?["profile"]?.string ?? profiles?.first?["name"]?.string)
        let removed = try await tool.run("profiles", "remove", name, "--force", "--json")
        #expect(removed.status == 0, "\(removed.errors)")
        #expect(removed.json?["untold"]?.integer == 1)
        #expect(FilesBelow.content(tool.data).contains("renewal") == false)
    }

    @Test("a wrong one is a wrong configuration, and no reason to end the session")
    func wrong() async throws {
        let variable = ["LATCHKEY_CLIENT_SECRET": Service.clientSecret]
        try await SignedIn.login(
            tool, server, ["--client-secret-env"], client: "confidential", environment: variable)
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
