import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("At a terminal") struct TerminalJourneyTests {
    private let tool: Tool
    private let server: DevServer

    init() throws { (tool, server) = (try Tool(), try Service.start { $0.autoApprove = false }) }

    @Test("Ctrl-C at a hidden prompt ends with 130 and leaves the terminal as it was")
    func hiddenPrompt() async throws {
        let terminal = try TestTerminal()
        let before = terminal.settings
        let child = try tool.start(
            ["login", "--issuer", server.issuer, "--client-id", "confidential", "--ask-client-secret"], at: terminal)
        try await terminal.wait { !terminal.echoes }
        terminal.type("\u{3}")
        #expect(try await child.wait().status == 130)
        #expect(terminal.settings == before)
    }

    @Test("Ctrl-C while waiting for the browser ends with 130 and closes the listener")
    func browser() async throws {
        let terminal = try TestTerminal()
        let before = terminal.settings
        let child = try tool.start(
            ["login", "--issuer", server.issuer, "--client-id", "dev-native", "--no-browser"], at: terminal)
        let url = /redirect_uri=http%3A%2F%2F127\.0\.0\.1%3A(\d+)/
        try await terminal.wait { terminal.screen().contains(url) }
        let port = String(try #require(terminal.screen().firstMatch(of: url)).1)
        terminal.type("\u{3}")
        #expect(try await child.wait().status == 130)
        #expect(terminal.settings == before)
        await #expect(throws: (any Error).self) { try await Browser().open("http://127.0.0.1:\(port)/callback") }
        #expect(try await tool.run("answer", "--json").json?["challenges"]?.array?.isEmpty ?? true)
    }

    @Test("the address where the browser arrived can be pasted")
    func paste() async throws {
        server.configure { $0.autoApprove = true }
        let terminal = try TestTerminal()
        let before = terminal.settings
        let child = try tool.start(
            ["login", "--issuer", server.issuer, "--client-id", "dev-native", "--no-browser"], at: terminal)
        let url = /(http:\/\/127\.0\.0\.1:\d+\/[a-z]+\?\S+)/
        try await terminal.wait { terminal.screen().contains(url) }
        let begin = String(try #require(terminal.screen().firstMatch(of: url)).1)
        let paste = "Or paste the address from the browser here (input is hidden): "
        try await terminal.wait { terminal.screen().hasSuffix(paste) }
        let said = terminal.screen().replacing("\r\n", with: "\n")
        #expect(
            said == "Open this address in a browser:\n  \(begin)\nWaiting for the browser (Ctrl-C to stop).\n\(paste)")
        terminal.type("\(begin)\n")
        try await terminal.wait { terminal.screen().contains("That is where the sign-in began") }
        terminal.type("\(try await Browser().destination(of: begin))\n")
        #expect(try await child.wait().status == 0, "\(terminal.screen())")
        #expect(terminal.settings == before)
    }

    @Test("a browser that comes back takes the question away, and the tool says who signed in")
    func comesBack() async throws {
        server.configure { $0.autoApprove = true }
        let terminal = try TestTerminal()
        let before = terminal.settings
        let child = try tool.start(
            ["login", "--issuer", server.issuer, "--client-id", "dev-native", "--no-browser"], at: terminal)
        let url = /(http:\/\/127\.0\.0\.1:\d+\/[a-z]+\?\S+)/
        try await terminal.wait { terminal.screen().contains("Or paste") }
        _ = try await Browser().visit(String(try #require(terminal.screen().firstMatch(of: url)).1))
        let result = try await child.wait()
        #expect(result.status == 0 && terminal.screen().contains("Signed in as"), "\(terminal.screen())")
        #expect(terminal.settings == before)
    }

    @Test("Ctrl-C while standard input is awaited ends with 130")
    func standardInput() async throws {
        let login = try await tool.run(
            "login", "--issuer", server.issuer, "--client-id", "dev-native", "--detach", "--json")
        let id = try #require(login.json?["challenge"]?.string)
        let terminal = try TestTerminal()
        let child = try tool.start(["answer", id, "--redirect-from-stdin"], at: terminal)
        terminal.type("half a line")
        try await terminal.wait { terminal.screen().contains("half a line") }
        terminal.type("\u{3}")
        let ended = try await child.wait()
        #expect(ended.status == 130, "\(ended.status): \(ended.errors)\n\(terminal.screen())")
        #expect(try await tool.run("answer", "--json").json?["challenges"]?.array?.count == 1)
    }
}
