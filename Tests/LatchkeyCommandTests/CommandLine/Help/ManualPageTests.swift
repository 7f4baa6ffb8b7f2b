import Foundation
import Latchkey
import Testing

@testable import LatchkeyCommand

@Suite("The manual page") struct ManualPageTests {
    private static let page = ManualPage(.english).text()
    /// The page as it is typed: without the escapes.
    private static func plain(_ page: String) -> String { page.replacing("\\-", with: "-").replacing("\\fB", with: "") }

    @Test("names every command with each of its options and operands", arguments: CommandTable.commands.map(\.name))
    func commands(_ name: String) throws {
        let command = try #require(CommandTable.command(name))
        let parts = Self.plain(Self.page).split(separator: ".SS \"latchkey ").filter { $0.hasPrefix("\(name) ") }
        #expect(parts.count == 1)
        let part = try #require(parts.first)
        #expect(part.contains("\n\(command.summary).\n"))
        for option in command.everyOption { #expect(part.contains("\n--\(option.name)"), "\(option.name)") }
        for operand in command.operands { #expect(part.contains("\n\(operand.placeholder)\\fR"), "\(operand)") }
    }

    @Test("has the sections that a reader looks for, in their usual order, in each language")
    func sections() {
        let english = [
            "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES",
        ]
        #expect(Self.page.matches(of: /(?m)^\.SH "(.*)"$/).map { String($0.1) } == english)
        let french = ManualPage(.french).text().matches(of: /(?m)^\.SH "(.*)"$/).map { String($0.1) }
        #expect(french.count == english.count && french[3] == "COMMANDES")
        #expect(Self.page.hasPrefix(".TH \"LATCHKEY\" \"1\" \"\" \"latchkey \(LatchkeyTool.version)\""))
        for (status, _) in ExitStatus.meanings { #expect(Self.page.contains("\n\\fB\(status.code)\\fR\n")) }
    }

    @Test("every example is a command line that the tool takes", arguments: ManualPage.examples.map(\.line))
    func examples(_ line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        #expect(words.first == "latchkey")
        guard case .run(let arguments) = try Parser().parse(Array(words.dropFirst())) else {
            Issue.record("\(line) runs nothing")
            return
        }
        #expect(Self.plain(Self.page).contains("\n\(line)\n"))
        #expect(arguments.command.name == words[1])
    }

    @Test("its own list is made of the commands' examples, each once, and shows the usual ones from login to logout")
    func list() throws {
        let page = Self.plain(Self.page)
        let list = try #require(page.components(separatedBy: ".SH \"EXAMPLES\"\n").last)
        let lines = list.matches(of: /\.EX\n(.*)\n\.EE/).map { String($0.1) }
        #expect(lines == ManualPage.examples.map(\.line) && Set(lines).count == lines.count)
        let commands = lines.map { $0.split(separator: " ")[1] }
        #expect(commands == ["login", "login", "token", "exec", "request", "status", "logout"])
        let all = CommandTable.commands.flatMap(\.examples).map(\.line)
        #expect(Set(lines).isSubset(of: all))
        let french = Self.plain(ManualPage(.french).text()).components(separatedBy: ".SH \"EXEMPLES\"\n").last ?? ""
        #expect(french.matches(of: /\.EX\n(.*)\n\.EE/).map { String($0.1) } == lines)
    }

    @Test("no text becomes a request of the formatter, or ends a quotation")
    func escapes() {
        var page = Roff()
        page.section("a \"quoted\" title")
        page.paragraph(".so /etc/passwd")
        page.paragraph("'tis \\fBnot\\fR bold")
        #expect(page.text.hasPrefix(".SH \"a \\(dqquoted\\(dq title\"\n"))
        #expect(page.text.contains("\n\\&.so /etc/passwd\n"))
        #expect(page.text.contains("\n\\&'tis \\efBnot\\efR bold\n"))
    }
}
