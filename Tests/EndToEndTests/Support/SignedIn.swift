import LatchkeyDevServer
import Testing

/// A tool that is signed in with a service.
struct SignedIn {
    let tool: Tool
    let server: DevServer

    /// A tool that is signed in already.
    init(tool: Tool, server: DevServer) { (self.tool, self.server) = (tool, server) }

    /// Signs in with a browser.
    init(_ change: (inout DevServer.Configuration) -> Void = { _ in }, _ more: String...) async throws {
        (tool, server) = (try Tool(), try Service.start(change))
        let result = try await Self.login(tool, server, more)
        try #require(result.status == 0, "\(result.errors)")
    }

    /// Logs in by `--no-browser`, playing the browser.
    @discardableResult
    static func login(
        _ tool: Tool, _ server: DevServer, _ more: [String] = [], client: String = "dev-native",
        environment: [String: String] = [:]
    ) async throws -> Program.Result {
        let child = try tool.start(
            ["login", "--issuer", server.issuer, "--client-id", client, "--no-browser"] + more,
            environment: environment)
        try await Browser().visit(try await child.find(/(http:\/\/127\.0\.0\.1:\d+\/[a-z]+\?\S+)/))
        return try await child.wait()
    }

    // The service lives as long as this value, so tests go through here.

    var folder: TemporaryFolder { tool.folder }
    var data: String { tool.data }
    var configuration: String { tool.configuration }

    /// Runs a command to its end.
    func run(
        _ arguments: String..., environment: [String: String] = [:], input: String = ""
    ) async throws -> Program.Result {
        try await tool.start(arguments, environment: environment, input: input).wait()
    }

    /// Starts a command.
    func start(_ arguments: [String]) throws -> Child { try tool.start(arguments) }
}
