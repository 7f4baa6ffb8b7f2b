import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeySystem
import Testing

/// A person's machine without a terminal, at a project, and what the person would answer.
final class NoTerminalScene: Sendable {
    static let new = "new@example.test"
    static let phone = "15550100"

    let project: Project
    /// Where codes go.
    let recipient: String
    private let app = Locked<String?>(nil)
    private let link = Locked<String?>(nil)

    init(recipient: String = Project.ada, _ change: (inout DevServer.Supabase) -> Void = { _ in }) throws {
        self.recipient = recipient
        project = try Project {
            $0.resendGap = 0
            change(&$0)
        }
    }

    /// Where a private file has the client's secret.
    func secretFile() throws -> String {
        let path = "\(project.tool.folder.path)/secret"
        if (try? SystemFiles().status(path)) ?? nil == nil {
            try SystemFiles().writeNew(path, Array("dev+secret/100%".utf8))
        }
        return path
    }

    /// Runs a command line, with every answer by standard input that its options name.
    func run(_ words: [String]) async throws -> Program.Result {
        try await project.tool.start(words, input: try input(words)).wait()
    }

    private func input(_ words: [String]) throws -> String {
        var lines: [String] = []
        if words.contains("--password-from-stdin") {
            lines.append(words[0] == "login" && !words.contains("--sign-up") ? Project.password : "another-password 1")
        }
        if words.contains("--current-password-from-stdin") { lines.append(Project.password) }
        if words.contains("--code-from-stdin"), words[0] != "login" { lines.append(try code()) }
        if words.contains("--redirect-from-stdin") { lines.append(try #require(link.withLock { $0 })) }
        if words.contains("--passphrase-from-stdin") { lines.append(MatrixProfile.passphrase) }
        return lines.map { $0 + "\n" }.joined()
    }

    private func code() throws -> String {
        if let app = app.withLock({ $0 }) { return try project.totp(app) }
        return try project.code(recipient)
    }

    /// Takes the link of the newest mail, as far as a browser on another machine goes.
    func follow() async throws {
        let mail = try #require(project.server.inbox(of: recipient).last?.link)
        let visit = try await CurlTransport().send(TransportRequest("GET", mail), deadline: .seconds(20))
        let place = try #require(visit.fields["Location"])
        link.withLock { $0 = place }
    }

    /// Gives Ada an authenticator app, and a telephone that gets messages.
    func enrollBoth() async throws {
        try await project.signIn()
        _ = try await enroll()
        let terminal = try TestTerminal()
        let child = try project.tool.start(
            ["supabase", "factors", "enroll", "--phone", "+\(Self.phone)"], at: terminal)
        try await terminal.wait { terminal.screen().contains("Code sent to +\(Self.phone)") }
        terminal.type("\(try project.code(Self.phone))\n")
        try #require(try await child.wait().status == 0, "\(terminal.screen())")
    }

    /// Gives Ada an authenticator app.
    func enroll() async throws -> String {
        let (factor, secret) = try await project.enroll("--name", "mine")
        app.withLock { $0 = secret }
        return factor
    }

    /// Begins a login that another command goes on with; the id of what it asks.
    func begin(_ more: String...) async throws -> String {
        try challenge(try await run(project.words(more + ["--detach"])))
    }

    /// What a command left open.
    func challenge(_ result: Program.Result) throws -> String {
        try #require(Self.challenge(in: result), "\(result.output)\(result.errors)")
    }

    static func challenge(in result: Program.Result) -> String? {
        result.output.firstMatch(of: /challenge\s+(\S+)/).map { String($0.1) }
    }

    /// A project that asks only the new address of a person who changes theirs.
    static func changing() throws -> NoTerminalScene {
        try NoTerminalScene(recipient: new) { $0.needsBothAddresses = false }
    }

    /// Signs in, and begins the change of the address.
    func beginChange() async throws {
        try await project.signIn()
        try #require(try await project.run("supabase", "email", Self.new).status == 0)
    }
}
