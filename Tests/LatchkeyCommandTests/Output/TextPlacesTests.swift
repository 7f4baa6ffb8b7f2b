import Foundation
import Latchkey
import Testing

@testable import LatchkeyCommand

/// The places in the tool's texts (`{name}`), and what fills them.
@Suite("The places in texts") struct TextPlacesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// What names a text without saying it: the names of a command and of an option, and the key of a value.
    private static let namesOnly = ["whoami", "hint", "until"]
    /// Where another type has the values of the texts that a file names.
    private static let valuesElsewhere = [
        "EventKeys.swift": "Output/EventReport.swift", "StoreCheckups.swift": "Output/Hints.swift",
        "DirectLogin.swift": "Output/TerminalQuestion.swift",
    ]

    private static func places(of key: String) -> Set<String> {
        // Without values, the places stay as they are.
        Set(ToolTexts.table.text(key, in: .english).matches(of: /\{([A-Za-z]+)(:[^}]*)?\}/).map { String($0.1) })
    }

    @Test("each use of a text gives a value for each of its places, in both languages")
    func filled() throws {
        let sources = Self.folder.appending(path: "Tools/latchkey")
        let files = try #require(FileManager.default.enumerator(atPath: sources.path)).compactMap { $0 as? String }
            .filter { $0.hasSuffix(".swift") && !$0.contains("/Texts/") && !$0.contains("/Help/HelpWords") }
        let keys = Set(ToolTexts.table.keys).subtracting(Self.namesOnly)
        var count = 0
        for file in files {
            let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
            let other = Self.valuesElsewhere[String(file.split(separator: "/").last ?? "")]
            let more = try other.map { try String(contentsOf: sources.appending(path: $0), encoding: .utf8) } ?? ""
            for use in text.matches(of: /"([A-Za-z.]+)"/) where keys.contains(String(use.1)) {
                let key = String(use.1)
                let needed = Self.places(of: key)
                // A comparison of a key says no text.
                let isCompared = text[..<use.range.lowerBound].hasSuffix("== ")
                guard !needed.isEmpty, !isCompared else { continue }
                count += 1
                let given = needed.filter { place in
                    [text, more].contains { $0.contains("\"\(place)\":") || $0.contains("[\"\(place)\"]") }
                }
                #expect(given == needed, "\(file): \(key)")
                let before = text[..<use.range.lowerBound]
                let isAlone = text[use.range.upperBound...].first == ")"
                let isSaid = ["texts(", "shown(", "ToolText("].contains { before.hasSuffix($0) }
                #expect(!(isAlone && isSaid), "\(file): \(key) is said without values")
            }
        }
        #expect(count > 300 && ToolTexts.table.gaps == [])
    }

    @Test("no text is given a mark in place of a value that is not known")
    func unknown() throws {
        for folder in ["Tools/latchkey", "Sources/Latchkey/Texts", "Plugins/Presenters"] {
            let sources = Self.folder.appending(path: folder)
            let files = try #require(FileManager.default.enumerator(atPath: sources.path)).compactMap { $0 as? String }
            for file in files where file.hasSuffix(".swift") {
                let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
                #expect(!text.contains("?? \"?\"") && !text.contains("?? \"nil\""), "\(file)")
            }
        }
    }
}
