/// The script for bash, also for version 3.2.
///
/// Names of accounts come from a service, and names of files from an archive or another user. So nothing that is offered
/// goes through an expansion: `compgen -W` expands each word of its list, commands in it included ("Programmable
/// Completion" in the manual of bash). Words are compared and quoted one by one, and files are quoted by readline.
enum BashCompletion {
    static func script(_ commands: [Command]) -> String {
        """
        # bash completion for latchkey. Use it with: source <(latchkey completions bash)
        _latchkey_offer() {
            local line quoted
            while IFS= read -r line; do
                [[ -n $line ]] || continue
                printf -v quoted %q "$line"
                if [[ $line == "$current"* || $quoted == "$current"* ]]; then
                    COMPREPLY[${#COMPREPLY[@]}]=$quoted
                fi
            done <<< "$1"
        }
        _latchkey_files() {
            local line
            if compopt -o filenames 2> /dev/null; then
                while IFS= read -r line; do
                    [[ -z $line ]] || COMPREPLY[${#COMPREPLY[@]}]=$line
                done <<< "$1"
            else
                _latchkey_offer "$1"
            fi
        }
        _latchkey_programs() {
            if [[ $current == */* ]]; then _latchkey_files "$1"; else _latchkey_offer "$1"; fi
        }
        _latchkey() {
            local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
            local command="${COMP_WORDS[1]}" words=""
            COMPREPLY=()
            if [ "$COMP_CWORD" -eq 1 ]; then
                _latchkey_offer \(list(commands.map(\.name) + ["--help", "--version"]))
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
                _latchkey_offer "$words"
            fi
        }
        complete -F _latchkey latchkey

        """
    }

    /// Fixed words of this program's own.
    private static func list(_ words: [String]) -> String { "$'\(words.joined(separator: "\\n"))'" }

    private static func values(_ command: Command) -> [String] {
        command.options.compactMap { option in
            guard let value = option.value else { return nil }
            let reply = reply(value.kind).map { "\($0); " } ?? ""
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
            return "        \(pattern)) \(reply); return ;;"
        }
    }

    private static func operands(_ command: Command) -> String? {
        guard let operand = command.operands.first, let reply = reply(operand.kind) else { return nil }
        return "            \(command.name)) \(reply) ;;"
    }

    /// The command that offers words of a kind. What it substitutes stands in quotes, where it is not expanded again.
    private static func reply(_ kind: ValueKind) -> String? {
        if let words = Completions.words(kind) { return "_latchkey_offer \(list(words))" }
        if let lister = Completions.lister(kind) { return "_latchkey_offer \"$(\(lister))\"" }
        switch kind {
        case .file: return "_latchkey_files \"$(compgen -f -- \"$current\")\""
        case .program: return "_latchkey_programs \"$(compgen -c -- \"$current\")\""
        default: return nil
        }
    }
}
