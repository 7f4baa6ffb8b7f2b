import Latchkey
import Testing

@testable import LatchkeyCommand

@Suite("The table of commands") struct CommandTableTests {
    @Test("names are unique, and so are each command's options")
    func unique() {
        #expect(Set(CommandTable.commands.map(\.name)).count == CommandTable.commands.count)
        for command in CommandTable.commands {
            #expect(Set(command.everyOption.map(\.name)).count == command.everyOption.count, "\(command.name)")
        }
    }

    @Test(
        "only the last operands may be left out, and only the last repeat", arguments: CommandTable.commands.map(\.name)
    )
    func operands(_ name: String) throws {
        let command = try #require(CommandTable.command(name))
        #expect(command.operands.dropLast().allSatisfy { !$0.count.isRest })
        let others = command.operands.enumerated().filter { index, operand in
            if case .leading = operand.count { return index > 0 }
            return true
        }
        #expect(others.drop { $0.element.count == .one }.allSatisfy { $0.element.count != .one })
    }

    @Test(
        "the help names every command, option, status and output member", arguments: CommandTable.commands.map(\.name))
    func help(_ name: String) throws {
        let command = try #require(CommandTable.command(name))
        let text = HelpText(.english).command(command)
        #expect(HelpText(.english).program().contains("  \(name) "))
        #expect(command.everyOption.allSatisfy { text.contains("--\($0.name)") })
        #expect(command.output.allSatisfy { text.contains("  \($0.member) ") })
        #expect(text.contains("Output with --json") == !command.output.isEmpty)
        #expect(text.hasPrefix("\(command.summary).\n\nUsage: latchkey \(name) "))
    }

    @Test(
        "no line of the help is wider than the screen, but for command lines, which are copied",
        arguments: [60, 80, 100])
    func width(columns: Int) {
        let help = HelpText(.english, columns: columns)
        let lines = CommandTable.commands.flatMap(\.examples).map { "  \($0.line)" }
        let texts = [help.program()] + CommandTable.commands.map(help.command)
        for line in texts.flatMap({ $0.split(separator: "\n").map(String.init) }) where !lines.contains(line) {
            #expect(line.count <= columns || line.hasPrefix("Usage: "), "\(line)")
        }
    }

    @Test("every exit status is explained once")
    func statuses() {
        let codes = ExitStatus.meanings.map(\.status.code)
        #expect(codes == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 126, 127, 130, 141, 143])
    }

    @Test("commands with --json document what they print", arguments: CommandTable.commands.map(\.name))
    func output(_ name: String) throws {
        let command = try #require(CommandTable.command(name))
        guard command.options.contains(.json), name != "exec" else { return }
        #expect(!command.output.isEmpty)
    }
}
