import Latchkey
import LatchkeyJSON

/// What a command works with: its arguments, and the world as far as it may touch it.
struct Invocation: Sendable {
    /// What the command line said.
    var arguments: Arguments
    /// The environment's variables.
    var environment: [String: String]
    /// Input and output.
    var console: Console
    /// Time, randomness and disk.
    var world: PluginContext

    /// What is said to a person.
    var texts: ToolTexts { ToolTexts(environment) }

    /// What is said to whoever reads the output: programs read English.
    var shown: ToolTexts { arguments.has(.json) ? .english : texts }

    /// An error for what the engine calls: it must not lose its code on the way through.
    func failure(_ code: AuthError.Code, _ key: String, _ values: [String: String] = [:]) -> AuthError {
        AuthError(code, shown(key, values) + ".")
    }

    /// Prints `value` as JSON when that was asked for, else `lines`.
    func show(_ value: @autoclosure () -> JSON, _ lines: @autoclosure () -> [String]) throws {
        if arguments.has(.json) {
            try console.write(.output, Console.escaped(value().serialized()) + [UInt8(ascii: "\n")])
        } else {
            for line in lines() { try console.say(Console.printable(line)) }
        }
    }

    /// Prints `lines` for a person where JSON was not asked for.
    func say(_ lines: String...) throws {
        if arguments.has(.json) { return }
        for line in lines { try console.say(Console.printable(line)) }
    }
}
