import Latchkey

/// Writes the help from the table of commands, in the person's language.
struct HelpText {
    private static let width = 80
    private static let wide = 104
    private let texts: ToolTexts
    private let words: HelpWords

    init(_ language: TextLanguage) { (texts, words) = (ToolTexts(language: language), HelpWords(language)) }

    /// The help of the program.
    func program() -> String {
        let parts = [
            texts("help.program"), texts("help.usage", ["usage": "latchkey COMMAND [OPTION]..."]),
            texts("help.commands") + "\n" + Self.columns(CommandTable.commands.map { ($0.name, words.summary($0)) }),
            texts("help.environment") + "\n" + Self.columns(Self.environment.map { ($0, texts("help.\($0)")) }),
            texts("help.exit") + "\n"
                + Self.columns(ExitStatus.meanings.map { ("\($0.status.code)", texts($0.meaning)) }),
            Self.lines(of: texts("help.errors"), width: Self.wide).joined(separator: "\n"), texts("help.more"),
        ]
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The help of one command.
    func command(_ command: Command) -> String {
        var parts = ["\(words.summary(command)).", texts("help.usage", ["usage": Self.usage(command)])]
        parts += words.details(command).map { Self.lines(of: $0, width: Self.width).joined(separator: "\n") }
        let operands = command.operands.map { ($0.placeholder, words.operand($0, of: command)) }
        if !operands.isEmpty { parts.append(texts("help.operands") + "\n" + Self.columns(operands)) }
        let options = command.everyOption.map {
            (Self.shown($0), words.option($0, of: command) + ($0.repeats ? texts("help.repeats") : ""))
        }
        parts.append(texts("help.options") + "\n" + Self.columns(options))
        if !command.output.isEmpty {
            let members = command.output.map { ($0.member, words.member($0, of: command)) }
            parts.append(texts("help.output") + "\n" + Self.columns(members))
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// Returns the one line that shows how to call a command.
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
        "LATCHKEY_PROFILE", "LATCHKEY_STORE", "LATCHKEY_CLIENT_SECRET", "XDG_CONFIG_HOME", "BROWSER", "LC_ALL",
    ]

    private static func shown(_ option: Option) -> String {
        "--\(option.name)" + (option.value.map { " \($0.placeholder)" } ?? "")
    }

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
