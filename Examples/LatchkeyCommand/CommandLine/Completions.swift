import Latchkey

/// Writes completion scripts by the table.
enum Completions {
    /// A shell that there is a script for.
    enum Shell: String, CaseIterable {
        /// See the name.
        case bash, zsh, fish
    }

    /// The script for `shell`, ready to be sourced.
    static func script(for shell: Shell, _ language: TextLanguage = .english) -> String {
        let words = HelpWords(language)
        return switch shell {
        case .bash: BashCompletion.script(CommandTable.commands)
        case .zsh: ZshCompletion.script(CommandTable.commands, words)
        case .fish: FishCompletion.script(CommandTable.commands, words, ToolTexts(language: language))
        }
    }

    /// What prints the names of which `kind` is one, for the scripts; `nil`: nothing does.
    static func lister(_ kind: ValueKind) -> String? {
        switch kind {
        case .profile: "latchkey profiles --names 2>/dev/null"
        case .account: "latchkey accounts --names 2>/dev/null"
        default: nil
        }
    }

    /// The fixed words of which `kind` is one.
    static func words(_ kind: ValueKind) -> [String]? {
        switch kind {
        case .words(let words): words
        case .command: CommandTable.commands.map(\.name)
        default: nil
        }
    }
}
