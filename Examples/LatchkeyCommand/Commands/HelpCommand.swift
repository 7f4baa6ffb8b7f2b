extension Command {
    static let help = Command(
        name: "help", summary: "Shows the commands, or one command's options",
        operands: [
            Operand(placeholder: "COMMAND", kind: .command, count: .optional, help: "The command to explain")
        ],
        run: { invocation in
            guard let name = invocation.arguments.operands.first else {
                try invocation.console.write(.output, Array(HelpText.program().utf8))
                return .success
            }
            guard let command = CommandTable.command(name) else {
                let nearest = Suggestion.nearest(to: name, among: CommandTable.commands.map(\.name))
                throw UsageError(
                    "There is no command \(Console.printable(String(name.prefix(64))))",
                    hint: nearest.map { "Did you mean \($0)?" } ?? "Run: latchkey help")
            }
            try invocation.console.write(.output, Array(HelpText.command(command).utf8))
            return .success
        })
}
