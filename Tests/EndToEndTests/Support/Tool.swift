import FoundationEssentials
import Latchkey
import LatchkeyJSON
import Testing

/// The built tool in a home directory of its own.
struct Tool: Sendable {
    let folder = TemporaryFolder()
    private let program: Program

    init() throws {
        program = Program(try Self.built("latchkey"))
    }

    /// The path of a program of this package.
    static func built(_ name: String) throws -> String {
        // Programs lie beside the test bundle, where SwiftPM puts both.
        let bundle = CommandLine.arguments.first ?? ""
        let beside = "\(bundle.prefix(upTo: bundle.lastIndex(of: "/") ?? bundle.startIndex))/\(name)"
        let built = "\(#filePath)".replacing("/Tests/EndToEndTests/Support/Tool.swift", with: "/.build/debug/\(name)")
        let found = [beside, built].first { (try? SystemFiles().status($0))??.kind == .file }
        return try #require(found, "\(name) is not built.")
    }

    var configuration: String { "\(folder.path)/config" }
    var data: String { "\(folder.path)/data" }

    /// Runs a command to its end.
    func run(
        _ arguments: String..., environment: [String: String] = [:], input: String = ""
    ) async throws -> Program.Result {
        try await start(arguments, environment: environment, input: input).wait()
    }

    /// Starts a command.
    func start(
        _ arguments: [String], environment: [String: String] = [:], input: String = ""
    ) throws -> Child {
        try program.start(arguments, environment: variables(environment), input: input)
    }

    /// Starts a command at a terminal.
    func start(_ arguments: [String], at terminal: TestTerminal, environment: [String: String] = [:]) throws -> Child {
        try program.start(at: terminal, arguments, environment: variables(environment))
    }

    /// The program, for scripts of a test.
    var path: String { program.path }

    /// The variables that keep it away from the home directory of whoever runs the tests.
    func variables(_ more: [String: String] = [:]) -> [String: String] {
        ["HOME": folder.path, "XDG_CONFIG_HOME": configuration, "XDG_DATA_HOME": data, "BROWSER": "/bin/false"]
            .merging(more) { $1 }
    }
}

extension Program.Result {
    /// The object that was printed.
    var json: JSON? { try? JSON.parse(Array(output.utf8)) }

    /// The error that was printed as JSON.
    var errorJSON: JSON? { try? JSON.parse(Array(errors.utf8)) }

    /// The one line that was printed.
    var line: String { output.hasSuffix("\n") ? String(output.dropLast()) : output }
}
