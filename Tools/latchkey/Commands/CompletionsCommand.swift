extension Command {
    static let completions = Command(
        name: "completions", summary: "Prints the completion script of a shell",
        details: [
            "For bash, in ~/.bashrc: source <(latchkey completions bash). For zsh, in ~/.zshrc after compinit:"
                + " source <(latchkey completions zsh). For fish: latchkey completions fish >"
                + " ~/.config/fish/completions/latchkey.fish"
        ],
        operands: [
            Operand(
                placeholder: "SHELL", kind: .words(Completions.Shell.allCases.map(\.rawValue)), count: .one,
                help: "bash, zsh or fish")
        ],
        run: { invocation in
            // The parser has checked the word.
            let shell = invocation.arguments.operands.first.flatMap(Completions.Shell.init) ?? .bash
            try invocation.console.write(.output, Array(Completions.script(for: shell, invocation.texts.language).utf8))
            return .success
        })
}
