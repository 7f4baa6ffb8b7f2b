import Latchkey
import Testing

@testable import LatchkeyCommand

@Suite("The table of the SDK's Supabase calls and the tool's commands") struct SupabaseTableTests {
    private struct Row {
        /// The names of the calls, without parentheses and dots.
        var calls: Set<String>
        var commands: [String]
        var reason: String
    }

    private static let page = "Documentation/Providers/Supabase.md"

    private func rows() throws -> [Row] {
        let section = try #require(
            try Repository.text(Self.page).split(separator: "### Each call and its command").last?
                .split(separator: "\n## ").first)
        let lines = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
        return lines.map { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            func quoted(_ cell: String) -> [String] { cell.matches(of: /`([^`]+)`/).map { String($0.1) } }
            let calls = quoted(cells[1]).map { String($0.drop { $0 == "." }.prefix { $0.isLetter }) }
            return Row(
                calls: Set(calls), commands: quoted(cells[2]),
                reason: cells[3].split(separator: " ").joined(separator: " "))
        }
    }

    /// The names that sources declare in a line that begins so.
    private func names(_ text: some StringProtocol, after word: String) -> Set<String> {
        Set(
            text.split(separator: "\n").compactMap { line -> String? in
                guard line.hasPrefix(word) else { return nil }
                return String(line.dropFirst(word.count).prefix { $0.isLetter })
            })
    }

    /// Every public call of the handle, of the import, and every way to sign in.
    private func declared() throws -> Set<String> {
        let folder = "Plugins/Providers/LatchkeySupabase"
        let handle = try Repository.swiftFiles(under: "\(folder)/Handle").joined(separator: "\n")
        let imports = try Repository.swiftFiles(under: "\(folder)/Import").joined(separator: "\n")
        let calls = names(handle, after: "    public func ").union(names(imports, after: "    public func "))
        let requests = try Repository.text("Sources/Latchkey/Conversation/SignInRequest.swift")
        let ways =
            try #require(requests.split(separator: "public enum DeliveryChannel").first)
            .split(separator: "\n    var ").first ?? ""
        return calls.subtracting(["supabase"]).union(names(ways, after: "    case "))
    }

    @Test("every call of the SDK has a row, and each row a command that there is, or the reason why there is none")
    func calls() throws {
        let rows = try rows()
        let listed = rows.reduce(into: Set<String>()) { $0.formUnion($1.calls) }
        let declared = try declared()
        #expect(declared.count > 35)
        let missing = declared.subtracting(listed)
        #expect(missing.isEmpty, "no row: \(missing.sorted())")
        let gone = listed.subtracting(declared).subtracting(["resend"])
        #expect(gone.isEmpty, "no such call: \(gone.sorted())")
        for row in rows {
            #expect(row.commands.isEmpty != row.reason.isEmpty, "\(row.calls.sorted())")
            for command in row.commands {
                let words = command.split(separator: " ").map(String.init)
                #expect(CommandTable.command(words[0]) != nil, "\(command)")
                let (known, name) = (SupabaseAction.all.map(\.name), words.dropFirst().joined(separator: " "))
                #expect(words[0] != "supabase" || known.contains(name), "\(command)")
            }
        }
        print("supabase table: calls=\(declared.count) rows=\(rows.count) commands=\(SupabaseAction.all.count)")
    }

    @Test("every sub-command is in a row, and in the command's own help")
    func commands() throws {
        let listed = Set(try rows().flatMap(\.commands))
        let help = HelpText(.english, columns: 1_000).command(.supabase)
        for action in SupabaseAction.all {
            #expect(listed.contains("supabase \(action.name)"), "\(action.name)")
            #expect(help.contains("\"\(action.name)"), "\(action.name)")
        }
    }
}
