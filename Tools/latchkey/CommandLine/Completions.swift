import Latchkey

/// Writes completion scripts from the table.
enum Completions {
    /// A shell with a completion script.
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

    /// Returns the command that prints the names of a kind, for the scripts; `nil` if there is none.
    static func lister(_ kind: ValueKind) -> String? {
        switch kind {
        case .profile: "latchkey profiles --names 2>/dev/null"
        case .account: "latchkey accounts --names 2>/dev/null"
        default: nil
        }
    }

    /// Returns the fixed words of a kind.
    static func words(_ kind: ValueKind) -> [String]? {
        switch kind {
        case .words(let words), .anyCase(let words), .mostly(let words): words
        case .command: CommandTable.commands.map(\.name)
        default: nil
        }
    }
}
