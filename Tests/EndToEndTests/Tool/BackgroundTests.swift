import LatchkeyDevServer
import Testing

/// What the tool does with a terminal that is another program's, or that knows no more than lines.
@Suite("The terminal of somebody else", .timeLimit(.minutes(2))) struct BackgroundTests {
    private static func start(
        _ script: String, at terminal: TestTerminal, _ tool: Tool, _ environment: [String: String] = [:]
    ) throws -> Child {
        // With job control, each job has a process group of its own, as in a person's shell.
        let shell = Program(try #require(Program.onPath("bash")))
        let variables = tool.variables(["TOOL": tool.path].merging(environment) { $1 })
        return try shell.start(at: terminal, ["-m", "-c", script], environment: variables)
    }

    @Test("a login in the background leaves the terminal as it is, asks nothing there, and goes on by its browser")
    func background() async throws {
        let (tool, server, terminal) = (try Tool(), try Service.start(), try TestTerminal(columns: 200, rows: 60))
        let before = terminal.settings
        let login = "\"$TOOL\" login --issuer \(server.issuer) --client-id dev-native --no-browser"
        let shell = try Self.start("\(login) & wait $!; echo ended with $?", at: terminal, tool)
        try await terminal.wait { terminal.screen().contains("Ctrl-C to stop") }
        let address = try #require(terminal.screen().firstMatch(of: /\s(http:\/\/\S+\/authorize\S+)/)).1
        let arrival = try await Browser().destination(of: String(address))
        #expect(terminal.settings == before && !terminal.screen().contains("hidden"))
        #expect(try await Browser().open(arrival) == 200)
        try await terminal.wait { terminal.screen().contains("ended with") }
        #expect(terminal.screen().contains("ended with 0") && terminal.settings == before, "\(terminal.screen())")
        #expect(try await shell.wait().status == 0)
    }

    @Test("what must be asked in the background ends with what is missing, and declines nothing")
    func question() async throws {
        let (tool, terminal) = (try Tool(), try TestTerminal(columns: 200, rows: 60))
        let server = try Service.start()
        let login =
            "\"$TOOL\" login --issuer \(server.issuer) --client-id confidential --client-credentials"
            + " --ask-client-secret"
        let shell = try Self.start("\(login) & wait $!; echo ended with $?", at: terminal, tool)
        try await terminal.wait { terminal.screen().contains("ended with") }
        let screen = terminal.screen()
        #expect(screen.contains("There is no terminal to ask at for the client secret") && terminal.echoes, "\(screen)")
        #expect(!screen.contains("declined"))
        #expect(try await shell.wait().status == 0)
    }

    @Test(
        "a dumb terminal gets lines alone, and NO_COLOR no colours",
        arguments: [("TERM", "dumb", false, false), ("NO_COLOR", "1", true, false), ("NO_COLOR", "", true, true)])
    func looks(name: String, value: String, hasPicture: Bool, hasColours: Bool) async throws {
        let (tool, server, terminal) = (try Tool(), try Service.start(), try TestTerminal(columns: 120, rows: 80))
        let child = try tool.start(
            ["login", "--issuer", server.issuer, "--client-id", "dev-device", "--device"], at: terminal,
            environment: ["TERM": "xterm"].merging([name: value]) { $1 })
        try await terminal.wait { terminal.screen().contains("Signed in as") }
        let screen = terminal.screen()
        #expect(screen.contains("\u{1B}") == hasColours, "\(screen)")
        #expect(screen.contains("▀") == hasPicture)
        _ = child
    }
}
