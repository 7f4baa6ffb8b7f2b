extension Command {
    static let help = Command(
        name: "help", summary: "Shows the commands, or one command's options",
        options: [.manual],
        operands: [
            Operand(placeholder: "COMMAND", kind: .command, count: .optional, help: "The command to explain")
        ],
        run: { invocation in
            let help = HelpText(invocation.texts.language, columns: invocation.console.columns())
            if invocation.arguments.has(.manual) {
                try invocation.console.write(.output, Array(ManualPage(invocation.texts.language).text().utf8))
                return .success
            }
            guard let name = invocation.arguments.operands.first else {
                try invocation.console.write(.output, Array(help.program().utf8))
                return .success
            }
            guard let command = CommandTable.command(name) else {
                let nearest = Suggestion.nearest(to: name, among: CommandTable.commands.map(\.name))
                throw UsageError(
                    "usage.noSuchCommand", ["word": Console.printable(String(name.prefix(64)))],
                    hint: nearest.map { ToolText("hint.didYouMean", ["word": $0]) } ?? .run("latchkey help"))
            }
            try invocation.console.write(.output, Array(help.command(command).utf8))
            return .success
        })
}

extension Option {
    fileprivate static let manual = flag("man", "Prints the manual page, which man -l - shows")
}
