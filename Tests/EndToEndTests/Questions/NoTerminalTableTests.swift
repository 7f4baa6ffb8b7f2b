import Foundation
import Latchkey
import LatchkeyDevServer
import Testing

@testable import LatchkeyCommand

@Suite("Without a terminal, every question says what is asked for, and how it is answered") struct NoTerminalTableTests
{
    @Test("what the hint names, typed as it stands, answers the question", arguments: NoTerminalRow.all)
    func walk(_ row: NoTerminalRow) async throws { try await row.walk() }

    @Test("a telephone gets no message whose code could not be given")
    func noMessage() async throws {
        let project = try Project()
        try await project.signIn()
        let phone = "+\(NoTerminalScene.phone)"
        #expect(try await project.run("supabase", "factors", "enroll", "--phone", phone, "--json").status == 0)
        expect(try await project.run("supabase", "factors", "verify", "--json"), 8, "configuration.unsupported")
        #expect(project.server.inbox().isEmpty)
        let wrong = try await project.run("supabase", "factors", "verify", "--code-from-stdin", input: "000000\n")
        #expect(wrong.status == 6 && project.server.inbox().count == 1, "\(wrong.errors)")
    }

    /// What no service of these tests asks, and the option of `answer` that would answer it.
    private static let unmet: [(kind: TerminalQuestion.Kind, ask: Ask, says: String, option: String?)] = [
        (.code, .code(over: .mail, sentTo: nil), "the code that was sent", "--code-from-stdin"),
        (.backupCode, .backupCode, "a backup code", "--code-from-stdin"),
        (.form, .fields([Ask.Field(name: "name")]), "the form that the service wants filled in", nil),
        (.signature, .wallet(message: "text"), "the signature of a passkey or wallet", nil),
    ]

    @Test("what no service of these tests asks is told too, and the option is one of the command's")
    func unmet() throws {
        for (kind, ask, says, option) in Self.unmet {
            let question = TerminalQuestion(ask)
            #expect(question.kind == kind)
            let message = question.refusal("error.noTerminal", hint: nil).message
            #expect(message == "There is no terminal to ask at for \(says)")
            #expect(question.option.map { "--\($0.name)" } == option)
            _ = try Parser().parse(["answer", "ID", option ?? "--decline"])
        }
    }

    @Test("every kind of question has a row, every kind a text, and every such sentence is in a row")
    func kinds() {
        let rows = NoTerminalRow.all
        #expect(Set(rows.map(\.kind)).union(Self.unmet.map(\.kind)) == Set(TerminalQuestion.Kind.allCases))
        let keys = ToolTexts.table.keys
        #expect(Set(keys.filter { $0.hasPrefix("question.") }) == Set(TerminalQuestion.Kind.allCases.map(\.rawValue)))
        #expect(Set(keys.filter { $0.contains("noTerminal") }) == Set(rows.map(\.key)).subtracting([""]))
        print("no terminal: kinds=\(TerminalQuestion.Kind.allCases.count) rows=\(rows.count)")
    }

    /// The tool's sources by their names.
    private func sources() throws -> [(name: String, text: String)] {
        let folder = "Tools/latchkey"
        return try FileManager.default.subpathsOfDirectory(atPath: "\(Repository.root)/\(folder)")
            .filter { $0.hasSuffix(".swift") }
            .map { path in
                let file = path.split(separator: "/").last ?? ""
                return (String(file.dropLast(".swift".count)), try Repository.text("\(folder)/\(path)"))
            }
    }

    @Test("every place that asks has a row, and no other place asks at the terminal")
    func places() throws {
        var sites: Set<String> = []
        var asking: Set<String> = []
        var looking: Set<String> = []
        for (name, text) in try sources() where name != "TerminalQuestion" {
            for found in text.matches(of: /TerminalQuestion\(([.\w]+)/) { sites.insert("\(name) \(found.1)") }
            if text.contains("TerminalPresenter()") { asking.insert(name) }
            if text.contains("hasTerminal") { looking.insert(name) }
        }
        #expect(sites == Set(NoTerminalRow.all.map(\.site)))
        #expect(asking == ["Presenters"])
        // Who else looks for a terminal asks by one of the above, or prints what another command goes on with.
        #expect(
            looking == ["Presenters", "ProfileVault", "DirectLogin", "SupabaseDesk", "SupabaseDesk+Factors"])
    }

    @Test("what destroys something wants a yes on the command line, and says so; no other word will do")
    func destroying() async throws {
        let project = try Project()
        try await project.signIn()
        for words in [["log", "erase"], ["store", "wipe"]] {
            for more in [[], ["--json"]] {
                let result = try await project.tool.start(words + more).wait()
                #expect(result.status == 2 && result.output.isEmpty, "\(result.errors)")
                if more.isEmpty { #expect(result.errors.contains(/hint: .*add --yes/), "\(result.errors)") }
            }
            #expect(try await project.tool.start(words, input: "yes\n").wait().status == 2)
        }
        #expect(try await project.run("token").status == 0)
        for words in [["log", "erase"], ["store", "wipe"]] {
            let done = try await project.tool.start(words + ["--yes"]).wait()
            #expect(done.status == 0, "\(done.errors)")
        }
    }
}
