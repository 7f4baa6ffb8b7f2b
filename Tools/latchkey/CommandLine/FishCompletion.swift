/// The script for fish.
enum FishCompletion {
    static func script(_ commands: [Command], _ words: HelpWords, _ texts: ToolTexts) -> String {
        let lines =
            [
                "# fish completion for latchkey. Use it with: latchkey completions fish | source",
                "complete -c latchkey -f",
            ]
            + commands.map {
                "complete -c latchkey -n __fish_use_subcommand -a \($0.name) -d '\(quoted(words.summary($0)))'"
            }
            + [
                "complete -c latchkey -n __fish_use_subcommand -l help -d '\(quoted(texts("help.list")))'",
                "complete -c latchkey -n __fish_use_subcommand -l version -d '\(quoted(texts("help.version")))'",
            ] + commands.flatMap { Self.lines($0, words) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ command: Command, _ words: HelpWords) -> [String] {
        let head = "complete -c latchkey -n '__fish_seen_subcommand_from \(command.name)'"
        let options = command.everyOption.map { option in
            "\(head) -l \(option.name)\(option.value.map { value($0.kind) } ?? "") -d '\(quoted(words.option(option, of: command)))'"
        }
        let operands = command.operands.compactMap { operand in
            if operand.count.isRest { return "\(head) -xa '(__fish_complete_subcommand --fcs-skip=2)'" }
            return candidates(operand.kind).map { "\(head) -a '\($0)'" }
        }
        return options + operands
    }

    private static func value(_ kind: ValueKind) -> String {
        if kind == .file { return " -rF" }
        return candidates(kind).map { " -xa '\($0)'" } ?? " -x"
    }

    private static func candidates(_ kind: ValueKind) -> String? {
        if let words = Completions.words(kind) { return words.joined(separator: " ") }
        return Completions.lister(kind).map { "(\($0))" }
    }

    private static func quoted(_ text: String) -> String {
        text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    }
}
