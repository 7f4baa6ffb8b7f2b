import Latchkey
import LatchkeyJSON

/// What a command works with: its arguments, and the outside world.
struct Invocation: Sendable {
    /// The parsed command line.
    var arguments: Arguments
    /// The same as it was typed, without the program's name.
    var words: [String] = []
    /// The environment variables.
    var environment: [String: String]
    /// Input and output.
    var console: Console
    /// Time, random bytes and the disk.
    var world: PluginContext
    /// The security logs, written before the program ends.
    var securityLogs = SecurityLogs()
    /// The clients, ended before the program does.
    var clients = OpenClients()
    /// The directory that is accepted with the access that others have to it; `nil` for none.
    var acceptedDirectory: String?
    /// What runs the development server; `nil` if this program does not have it.
    var devServer: (@Sendable (DevServerLine) async throws -> Void)?
    /// The profile that hints name.
    var profileInUse = ProfileInUse()

    /// The texts for a person.
    var texts: ToolTexts { ToolTexts(environment) }

    /// The texts for the output: English if programs read it.
    var shown: ToolTexts { arguments.has(.json) ? .english : texts }

    /// Returns the command line as it was typed, with one more option.
    func again(_ option: Option, _ value: String? = nil) -> String {
        (["latchkey"] + words + ["--\(option.name)"] + [value].compactMap(\.self)).map(\.quotedForShell).joined(
            separator: " ")
    }

    /// Creates an error for code that the engine calls, so that its code is kept on the way through.
    func failure(_ code: AuthError.Code, _ key: String, _ values: [String: String] = [:]) -> AuthError {
        AuthError(code, shown(key, values) + ".")
    }

    /// Prints `value` as JSON if the person asked for that, else `lines`.
    func show(_ value: @autoclosure () -> JSON, _ lines: @autoclosure () -> [String]) throws {
        if arguments.has(.json) {
            try console.write(.output, Console.escaped(value().serialized()) + [UInt8(ascii: "\n")])
        } else {
            for line in lines() { try console.say(Console.printable(line)) }
        }
    }

    /// Prints `lines` for a person, unless JSON was asked for.
    func say(_ lines: String...) throws {
        if arguments.has(.json) { return }
        for line in lines { try console.say(Console.printable(line)) }
    }
}
