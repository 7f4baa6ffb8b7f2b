/// The script for fish.
enum FishCompletion {
    static func script(_ commands: [Command]) -> String {
        let lines =
            [
                "# fish completion for latchkey. Use it with: latchkey completions fish | source",
                "complete -c latchkey -f",
            ]
            + commands.map { "complete -c latchkey -n __fish_use_subcommand -a \($0.name) -d '\(quoted($0.summary))'" }
            + [
                "complete -c latchkey -n __fish_use_subcommand -l help -d 'Shows the commands'",
                "complete -c latchkey -n __fish_use_subcommand -l version -d 'Shows the version'",
            ] + commands.flatMap(lines)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ command: Command) -> [String] {
        let head = "complete -c latchkey -n '__fish_seen_subcommand_from \(command.name)'"
        let options = command.everyOption.map { option in
            "\(head) -l \(option.name)\(option.value.map { value($0.kind) } ?? "") -d '\(quoted(option.help))'"
        }
        let operands = command.operands.compactMap { operand in
            if operand.count == .rest { return "\(head) -xa '(__fish_complete_subcommand --fcs-skip=2)'" }
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
