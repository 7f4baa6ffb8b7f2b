/// The script for bash, also for version 3.2.
enum BashCompletion {
    static func script(_ commands: [Command]) -> String {
        """
        # bash completion for latchkey. Use it with: source <(latchkey completions bash)
        _latchkey() {
            local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
            local command="${COMP_WORDS[1]}" words="" IFS=$'\\n'
            COMPREPLY=()
            if [ "$COMP_CWORD" -eq 1 ]; then
                COMPREPLY=($(compgen -W \(list(commands.map(\.name) + ["--help", "--version"])) -- "$current"))
                return
            fi
            case "$command $previous" in
        \((commands.flatMap(values) + commands.flatMap(followers)).joined(separator: "\n"))
            esac
            case "$command" in
        \(commands.map(words).joined(separator: "\n"))
            esac
            if [ "${current#-}" = "$current" ]; then
                case "$command" in
        \(commands.compactMap(operands).joined(separator: "\n"))
                esac
            else
                COMPREPLY=($(compgen -W "$words" -- "$current"))
            fi
        }
        complete -F _latchkey latchkey

        """
    }

    private static func list(_ words: [String]) -> String { "$'\(words.joined(separator: "\\n"))'" }

    private static func values(_ command: Command) -> [String] {
        command.options.compactMap { option in
            guard let value = option.value else { return nil }
            let reply = reply(value.kind).map { "COMPREPLY=(\($0)); " } ?? ""
            return "        \"\(command.name) --\(option.name)\") \(reply)return ;;"
        }
    }

    private static func words(_ command: Command) -> String {
        "        \(command.name)) words=\(list(command.everyOption.map { "--\($0.name)" })) ;;"
    }

    /// Returns the words that may follow an operand with fixed words.
    private static func followers(_ command: Command) -> [String] {
        zip(command.operands, command.operands.dropFirst()).compactMap { first, second in
            guard let words = Completions.words(first.kind), let reply = reply(second.kind) else { return nil }
            let pattern = words.map { "\"\(command.name) \($0)\"" }.joined(separator: " | ")
            return "        \(pattern)) COMPREPLY=(\(reply)); return ;;"
        }
    }

    private static func operands(_ command: Command) -> String? {
        guard let operand = command.operands.first, let reply = reply(operand.kind) else { return nil }
        return "            \(command.name)) COMPREPLY=(\(reply)) ;;"
    }

    private static func reply(_ kind: ValueKind) -> String? {
        if let words = Completions.words(kind) { return "$(compgen -W \(list(words)) -- \"$current\")" }
        if let lister = Completions.lister(kind) { return "$(compgen -W \"$(\(lister))\" -- \"$current\")" }
        switch kind {
        case .file: return "$(compgen -f -- \"$current\")"
        case .program: return "$(compgen -c -- \"$current\")"
        default: return nil
        }
    }
}
