import Foundation
import Latchkey
import Testing

@testable import LatchkeyCommand

@Suite("The table of the tool's texts") struct TextTableTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test("no language lacks a text")
    func whole() {
        #expect(ToolTexts.table.gaps == [])
        #expect(HelpWords.gaps == [])
    }

    @Test("every key that the tool names has a text, and every text is named")
    func keys() throws {
        let sources = Self.folder.appending(path: "Tools")
        let files = try #require(FileManager.default.enumerator(atPath: sources.path)).compactMap { $0 as? String }
            .filter { $0.hasPrefix("latchkey/") || $0.hasPrefix("latchkey-dev-server/Program/") }
            .filter { $0.hasSuffix(".swift") && !$0.contains("/Texts/") && !$0.contains("/Help/HelpWords") }
        let table = ToolTexts.table
        let roots = Set(table.keys.map { $0.prefix { $0 != "." } })
        var named = Set(ExitStatus.meanings.map(\.meaning))
        for file in files {
            let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
            for literal in text.split(separator: "\"") where roots.contains(literal.prefix { $0 != "." }) {
                named.insert(String(literal))
                guard literal.contains("."), !literal.contains("\\"), !literal.contains(" ") else { continue }
                #expect(table.keys.contains(String(literal)), "\(file): \(literal)")
            }
        }
        // These are named by what the environment calls them.
        #expect(table.keys.filter { !named.contains($0) && !$0.hasPrefix("help.") } == [])
    }
}
