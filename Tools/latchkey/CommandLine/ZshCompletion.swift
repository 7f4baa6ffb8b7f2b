/// The script for zsh.
enum ZshCompletion {
    static func script(_ commands: [Command], _ words: HelpWords) -> String {
        """
        #compdef latchkey
        # zsh completion for latchkey. Use it with: source <(latchkey completions zsh)
        _latchkey() {
            local -a commands
            commands=(
        \(commands.map { "        '\($0.name):\(quoted(words.summary($0)))'" }.joined(separator: "\n"))
            )
            if (( CURRENT == 2 )); then
                _describe -t commands command commands
                return
            fi
            local command=$words[2]
            shift words
            (( CURRENT-- ))
            case $command in
        \(commands.map { arguments($0, words) }.joined(separator: "\n"))
            esac
        }
        if [ "$funcstack[1]" = "_latchkey" ]; then
            _latchkey "$@"
        else
            compdef _latchkey latchkey
        fi

        """
    }

    private static func arguments(_ command: Command, _ words: HelpWords) -> String {
        let specs =
            command.everyOption.map { spec($0, words.option($0, of: command)) }
            + command.operands.enumerated().map(spec)
        return """
                    \(command.name))
                        _arguments -s \\
            \(specs.map { "                '\($0)'" }.joined(separator: " \\\n"))
                        ;;
            """
    }

    private static func spec(_ option: Option, _ help: String) -> String {
        let head = (option.repeats ? "*" : "") + "--\(option.name)"
        let value = option.value.map { ":\($0.placeholder):\(action($0.kind))" } ?? ""
        return "\(head)[\(quoted(help))]\(value)"
    }

    private static func spec(_ index: Int, _ operand: Operand) -> String {
        switch operand.count {
        case .one: "\(index + 1):\(operand.placeholder):\(action(operand.kind))"
        case .leading: "1:\(operand.placeholder):\(action(operand.kind))"
        case .optional: "\(index + 1)::\(operand.placeholder):\(action(operand.kind))"
        case .several: "*:\(operand.placeholder):\(action(operand.kind))"
        case .rest, .optionalRest: "*::\(operand.placeholder):_normal"
        }
    }

    private static func action(_ kind: ValueKind) -> String {
        if let words = Completions.words(kind) { return "(\(words.joined(separator: " ")))" }
        if let lister = Completions.lister(kind) { return "{compadd -- ${(f)\"$(\(lister))\"}}" }
        return kind == .file ? "_files" : " "
    }

    private static func quoted(_ text: String) -> String {
        text.map { character in
            switch character {
            case "'": "'\\''"
            case "[", "]", ":": "\\\(character)"
            default: String(character)
            }
        }.joined()
    }
}
