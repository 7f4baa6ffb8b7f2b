import Latchkey

/// Writes the help from the table of commands, in the person's language.
struct HelpText {
    private let texts: ToolTexts
    private let words: HelpWords
    private let width: Int

    /// Creates the help for a screen of `columns`; `nil` if it is not for a screen.
    init(_ language: TextLanguage, columns: Int? = nil) {
        (texts, words) = (ToolTexts(language: language), HelpWords(language))
        // Longer lines are hard to read, and shorter ones have no place for two columns.
        width = min(max(columns ?? 80, 60), 100)
    }

    /// The help of the program.
    func program() -> String {
        let parts = [
            filled(texts("help.program")), texts("help.usage", ["usage": "latchkey COMMAND [OPTION]..."]),
            texts("help.commands") + "\n" + columns(CommandTable.commands.map { ($0.name, words.summary($0)) }),
            texts("help.environment") + "\n" + columns(Self.environment.map { ($0, texts("help.\($0)")) }),
            texts("help.exit") + "\n"
                + columns(ExitStatus.meanings.map { ("\($0.status.code)", texts($0.meaning)) }),
            filled(texts("help.errors")), texts("help.more"),
        ]
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The help of one command.
    func command(_ command: Command) -> String {
        var parts = [filled("\(words.summary(command))."), texts("help.usage", ["usage": Self.usage(command)])]
        parts += words.details(command).map(filled)
        let operands = command.operands.map { ($0.placeholder, words.operand($0, of: command)) }
        if !operands.isEmpty { parts.append(texts("help.operands") + "\n" + columns(operands)) }
        let options = command.everyOption.map {
            (Self.shown($0), words.option($0, of: command) + ($0.repeats ? texts("help.repeats") : ""))
        }
        parts.append(texts("help.options") + "\n" + columns(options))
        if !command.examples.isEmpty {
            let lines = command.examples.map { "  \($0.line)" }
            parts.append(texts("help.examples") + "\n" + lines.joined(separator: "\n"))
        }
        if !command.output.isEmpty {
            let members = command.output.map { ($0.member, words.member($0, of: command)) }
            parts.append(texts("help.output") + "\n" + columns(members))
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// Returns the one line that shows how to call a command.
    static func usage(_ command: Command) -> String {
        let operands = command.operands.map { operand in
            switch operand.count {
            case .one: operand.placeholder
            case .optional, .leading: "[\(operand.placeholder)]"
            case .several: "[\(operand.placeholder)]..."
            case .rest: "[--] \(operand.placeholder)..."
            case .optionalRest: "[[--] \(operand.placeholder)...]"
            }
        }
        return (["latchkey", command.name, "[OPTION]..."] + operands).joined(separator: " ")
    }

    /// The variables of the environment that the tool reads; `help.NAME` says what each is for.
    static let environment = [
        "LATCHKEY_PROFILE", "LATCHKEY_STORE", "LATCHKEY_CLIENT_SECRET", "XDG_CONFIG_HOME",
        "LATCHKEY_ACCEPT_DIRECTORY", "BROWSER", "NO_COLOR", "TERM", "LC_ALL",
    ]

    /// Returns an option as it is typed.
    static func shown(_ option: Option) -> String {
        "--\(option.name)" + (option.value.map { " \($0.placeholder)" } ?? "")
    }

    private func filled(_ text: String) -> String { Self.lines(of: text, width: width).joined(separator: "\n") }

    private func columns(_ rows: [(String, String)]) -> String {
        let indent = min(30, (rows.map(\.0.count).max() ?? 0)) + 4
        return rows.map { name, text in
            let lines = Self.lines(of: text, width: width - indent)
            let margin = String(repeating: " ", count: indent)
            let head = "  " + name
            let first =
                head.count + 2 > indent
                ? head + "\n" + margin : head + String(repeating: " ", count: indent - head.count)
            return first + lines.joined(separator: "\n" + margin)
        }.joined(separator: "\n")
    }

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
