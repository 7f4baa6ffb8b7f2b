import FoundationEssentials
import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySystem
import Testing

/// A Supabase project for a test, and the tool of somebody who signs in there.
struct Project {
    static let ada = "ada@example.test"
    static let password = "ada-password"
    static let key = "sb_publishable_development"

    let tool: Tool
    let server: DevServer
    /// By how many seconds the project's clock was moved.
    let moved = Locked(0.0)

    init(_ tool: Tool? = nil, _ change: (inout DevServer.Supabase) -> Void = { _ in }) throws {
        self.tool = try tool ?? Tool()
        var configuration = DevServer.Configuration(autoApprove: true)
        configuration.signing = .es256
        change(&configuration.supabase)
        configuration.now = { [moved] in Date().timeIntervalSince1970 + moved.withLock { $0 } }
        server = try DevServer(configuration)
    }

    /// Somebody else's tool, at the same project.
    init(sharing project: Project) throws {
        (tool, server) = (try Tool(), project.server)
    }

    /// Moves the project's clock.
    func advance(by seconds: Double) { moved.withLock { $0 += seconds } }

    /// The command line of a login, with the project and its key.
    func words(_ more: [String]) -> [String] { ["login", "--supabase", server.supabaseURL, "--key", Self.key] + more }

    /// Logs in, away from any terminal.
    func login(_ more: String..., input: String = "") async throws -> Program.Result {
        try await tool.start(words(more), input: input).wait()
    }

    /// Signs Ada in with her password.
    @discardableResult
    func signIn(_ more: String...) async throws -> Program.Result {
        let child = try tool.start(
            words(["--account", Self.ada, "--password-from-stdin"] + more), input: Self.password + "\n")
        let result = try await child.wait()
        try #require(result.status == 0, "\(result.errors)")
        return result
    }

    /// Runs a command to its end.
    func run(_ arguments: String..., input: String = "") async throws -> Program.Result {
        try await tool.start(arguments, input: input).wait()
    }

    /// The code of the newest message.
    func code(_ recipient: String = ada) throws -> String { try #require(server.inbox(of: recipient).last).code }

    /// What an authenticator app with this secret shows, so many seconds from now.
    func totp(_ secret: String, in seconds: Double = 0) throws -> String {
        let time = Date().timeIntervalSince1970 + moved.withLock { $0 } + seconds
        return try #require(DevServer.TOTP.code(secret: secret, at: time))
    }

    /// Gives the person an authenticator app; its factor and secret.
    func enroll(_ more: String...) async throws -> (factor: String, secret: String) {
        let begun = try await tool.start(["supabase", "factors", "enroll", "--json"] + more).wait()
        let factor = try #require(begun.json?["factor"]?.string, "\(begun.errors)")
        let secret = try #require(begun.json?["secret"]?.string)
        let verified = try await run(
            "supabase", "factors", "verify", factor, "--code-from-stdin", input: try totp(secret) + "\n")
        try #require(verified.status == 0, "\(verified.errors)")
        return (factor, secret)
    }

    /// The levels of the sessions that live.
    func levels(_ mail: String = ada) -> [String] { server.supabaseSessions(of: mail).map(\.level) }

    /// Opens an address and goes where it leads; the last address, which nobody has opened when it is not of `project`.
    static func follow(_ address: String, opening: Bool = true) async throws -> String {
        var address = address
        for _ in 0..<8 {
            guard opening || !address.contains("/callback?") || address.contains("/auth/v1/") else { break }
            let response = try await CurlTransport().send(TransportRequest("GET", address), deadline: .seconds(20))
            guard let next = response.fields["Location"] else { break }
            address = next
        }
        return address
    }
}

/// Checks how a command ended, and that it said so to programs.
func expect(
    _ result: Program.Result, _ status: Int32, _ code: String, service: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(result.status == status, "\(result.output)\n\(result.errors)", sourceLocation: sourceLocation)
    #expect(result.errorJSON?["code"]?.string == code, "\(result.errors)", sourceLocation: sourceLocation)
    #expect(result.errorJSON?["serviceCode"]?.string == service, "\(result.errors)", sourceLocation: sourceLocation)
    #expect(result.output.isEmpty, sourceLocation: sourceLocation)
}
