/// Writes the help by the table.
enum HelpText {
    private static let width = 80

    /// The help of the program.
    static func program() -> String {
        let commands = CommandTable.commands.map { ($0.name, $0.summary) }
        return """
            Signs you in with an identity service, keeps the session, and gives its tokens to programs.

            Usage: latchkey COMMAND [OPTION]...

            Commands:
            \(columns(commands))

            Environment:
            \(columns(environment))

            Exit status:
            \(columns(ExitStatus.meanings.map { ("\($0.status.code)", $0.meaning) }))

            Errors are one line on standard error, and mostly a second one that says what to do. With --json they
            are one JSON object: code, message, recovery; retryAfterSeconds and serviceCode where they are known.

            Run "latchkey help COMMAND" for a command's options.

            """
    }

    /// The help of one command.
    static func command(_ command: Command) -> String {
        var parts = ["\(command.summary).", "Usage: \(usage(command))"]
        parts += command.details.map(wrapped)
        let operands = command.operands.map { ($0.placeholder, $0.help) }
        if !operands.isEmpty { parts.append("Operands:\n" + columns(operands)) }
        parts.append("Options:\n" + columns(command.everyOption.map { (shown($0), $0.help + repeated($0)) }))
        if !command.output.isEmpty {
            parts.append("Output with --json:\n" + columns(command.output.map { ($0.member, $0.meaning) }))
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The one line that shows how a command is called.
    static func usage(_ command: Command) -> String {
        let operands = command.operands.map { operand in
            switch operand.count {
            case .one: operand.placeholder
            case .optional: "[\(operand.placeholder)]"
            case .rest: "[--] \(operand.placeholder)..."
            }
        }
        return (["latchkey", command.name, "[OPTION]..."] + operands).joined(separator: " ")
    }

    private static let environment = [
        ("LATCHKEY_PROFILE", "The profile to use where --profile is not given"),
        ("LATCHKEY_CLIENT_SECRET", "The client's secret, for profiles that take it from here"),
        ("XDG_CONFIG_HOME", "Where profiles are kept, in latchkey/profiles; default ~/.config"),
        ("BROWSER", "The program that opens addresses, instead of the desktop's own"),
    ]

    private static func shown(_ option: Option) -> String {
        "--\(option.name)" + (option.value.map { " \($0.placeholder)" } ?? "")
    }

    private static func repeated(_ option: Option) -> String { option.repeats ? "; may be given several times" : "" }

    private static func columns(_ rows: [(String, String)]) -> String {
        let indent = min(30, (rows.map(\.0.count).max() ?? 0)) + 4
        return rows.map { name, text in
            let lines = lines(of: text, width: width - indent)
            let margin = String(repeating: " ", count: indent)
            let head = "  " + name
            let first =
                head.count + 2 > indent
                ? head + "\n" + margin : head + String(repeating: " ", count: indent - head.count)
            return first + lines.joined(separator: "\n" + margin)
        }.joined(separator: "\n")
    }

    private static func wrapped(_ text: String) -> String { lines(of: text, width: width).joined(separator: "\n") }

    private static func lines(of text: String, width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
