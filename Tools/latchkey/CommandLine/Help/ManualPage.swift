import Latchkey

/// Writes the manual page from the table of commands, in the person's language, with the macros of groff_man(7).
struct ManualPage {
    private let texts: ToolTexts
    private let words: HelpWords

    init(_ language: TextLanguage) { (texts, words) = (ToolTexts(language: language), HelpWords(language)) }

    /// Command lines that show what the tool is for: those of the commands' examples that say what they do.
    static let examples = CommandTable.commands.flatMap(\.examples).filter { $0.meaning != nil }

    private static let files: [(path: String, meaning: String)] = [
        ("$XDG_CONFIG_HOME/latchkey/profiles", "manual.file.profiles"),
        ("$XDG_DATA_HOME/latchkey", "manual.file.sessions"),
        ("$XDG_STATE_HOME/latchkey/anchors", "manual.file.anchors"),
        ("$XDG_RUNTIME_DIR", "manual.file.runtime"),
    ]

    /// The whole page. It holds no date, so that two builds of one version make the same page.
    func text() -> String {
        var page = Roff()
        page.macro("TH", "LATCHKEY", "1", "", "latchkey \(LatchkeyTool.version)", texts("manual.title"))
        page.section(texts("manual.name"))
        page.paragraph("latchkey - \(texts("manual.purpose"))")
        page.section(texts("manual.synopsis"))
        for line in ["latchkey COMMAND [OPTION]...", "latchkey help COMMAND", "latchkey --version"] { page.line(line) }
        page.section(texts("manual.description"))
        page.paragraph(texts("help.program"))
        page.paragraph(texts("help.errors"))
        page.section(texts("manual.commands"))
        for command in CommandTable.commands { add(command, to: &page) }
        page.section(texts("manual.environment"))
        page.entries(HelpText.environment.map { ($0, texts("help.\($0)")) })
        page.section(texts("manual.files"))
        page.entries(Self.files.map { ($0.path, texts($0.meaning)) })
        page.section(texts("manual.exit"))
        page.entries(ExitStatus.meanings.map { ("\($0.status.code)", texts($0.meaning)) })
        page.section(texts("manual.examples"))
        for example in Self.examples {
            if let meaning = example.meaning { page.paragraph(texts(meaning)) }
            page.example(example.line)
        }
        return page.text
    }

    private func add(_ command: Command, to page: inout Roff) {
        page.subsection(HelpText.usage(command))
        page.paragraph("\(words.summary(command)).")
        for paragraph in words.details(command) { page.paragraph(paragraph) }
        page.entries(command.operands.map { ($0.placeholder, words.operand($0, of: command)) })
        page.entries(
            command.everyOption.map {
                (HelpText.shown($0), words.option($0, of: command) + ($0.repeats ? texts("help.repeats") : ""))
            })
        for example in command.examples { page.example(example.line) }
        guard !command.output.isEmpty else { return }
        page.paragraph(texts("help.output"))
        page.entries(command.output.map { ($0.member, words.member($0, of: command)) })
    }
}
