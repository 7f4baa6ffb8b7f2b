import Latchkey

/// The sentences of the help. English is in the table of commands, other languages are in dictionaries.
///
/// A key is `NAME` for a command's summary, `NAME 1` for its first paragraph, `--option`, `OPERAND`, or `.member`
/// for its output. If several commands use one option, operand or member for different things, the command comes
/// before it (`login --account`).
struct HelpWords {
    private let found: [String: String]

    init(_ language: TextLanguage) { found = language == .french ? Self.french : [:] }

    func summary(_ command: Command) -> String { found[command.name] ?? command.summary }

    func details(_ command: Command) -> [String] {
        command.details.enumerated().map { found["\(command.name) \($0 + 1)"] ?? $1 }
    }

    func option(_ option: Option, of command: Command) -> String {
        text("--\(option.name)", of: command) ?? option.help
    }

    func operand(_ operand: Operand, of command: Command) -> String {
        text(operand.placeholder, of: command) ?? operand.help
    }

    func member(_ member: (member: String, meaning: String), of command: Command) -> String {
        text(".\(member.member)", of: command) ?? member.meaning
    }

    private func text(_ key: String, of command: Command) -> String? { found["\(command.name) \(key)"] ?? found[key] }

    static let french = frenchCommands.merging(frenchOptions) { $1 }.merging(frenchOutput) { $1 }.merging(
        frenchSupabase
    ) { $1 }

    /// What is wrong with the translations: a sentence without one, a name that is translated once but means
    /// different things, a translation without a sentence.
    static var gaps: [String] {
        var (gaps, used, meanings): ([String], Set<String>, [String: String]) = ([], [], [:])
        for command in CommandTable.commands {
            let whole =
                [(command.name, command.summary)]
                + command.details.enumerated().map { ("\(command.name) \($0 + 1)", $1) }
            for (key, _) in whole where used.insert(key).inserted && french[key] == nil { gaps.append(key) }
            let parts =
                command.everyOption.map { ("--\($0.name)", $0.help) }
                + command.operands.map { ($0.placeholder, $0.help) }
                + command.output.map { (".\($0.member)", $0.meaning) }
            for (key, english) in parts {
                let own = "\(command.name) \(key)"
                if french[own] != nil {
                    used.insert(own)
                } else {
                    used.insert(key)
                    if french[key] == nil { gaps.append(own) }
                    if meanings.updateValue(english, forKey: key) ?? english != english {
                        gaps.append("\(own): ambiguous")
                    }
                }
            }
        }
        return gaps + french.keys.filter { !used.contains($0) }.map { "\($0): unused" }
    }
}
