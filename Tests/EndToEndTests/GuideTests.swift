import Testing

@Suite("The guide for authors of plugins")
struct GuideTests {
    private static let pages = [
        "Documentation/Extend/WritingAProvider.md", "Documentation/Extend/WritingAStore.md",
        "Documentation/Extend/FarStores.md", "Documentation/Extend/WritingAnUnlock.md",
        "Documentation/Extend/WritingATransport.md", "Documentation/Extend/WritingAPresenter.md",
        "Documentation/Extend/WritingAnObserver.md",
    ]

    @Test(
        "No line of its code is only in the guide: each block is in the compiled file that is named above it",
        arguments: pages)
    func compiled(page: String) throws {
        let blocks = try GuideBlock.all(in: Repository.text(page))
        #expect(!blocks.isEmpty, "\(page) shows hardly any code")
        for block in blocks {
            let file = try #require(block.file, "\(page): a block names no file: \(block.lines.first ?? "")")
            #expect(file.hasPrefix("Tests/Consumer/"), "\(file) is not compiled as an outsider's")
            #expect(block.isIn(try Repository.text(file)), "\(page): not in \(file): \(block.lines.first ?? "")")
        }
    }

    @Test("The check sees a block that names no file, one that is not in it, and one with a line left out")
    func canFail() {
        let page = """
            From `Tests/Consumer/A.swift`:

            ```swift
            let a = 1
            let c = 3
            ```

            Without a file:

            ```swift
            let a = 1
            ```
            """
        let blocks = GuideBlock.all(in: page)
        #expect(blocks.map(\.file) == ["Tests/Consumer/A.swift", nil])
        #expect(!blocks[0].isIn("let a = 1\nlet b = 2\nlet c = 3\n"))
        #expect(blocks[0].isIn("func f() {\n    let a = 1\n    let c = 3\n}\n"))
        #expect(blocks[1].isIn("let a = 1"))
        #expect(!blocks[1].isIn("let a = 10"))
    }
}

/// A block of Swift in a page, and the file that the paragraph above it names.
private struct GuideBlock {
    var file: String?
    var lines: [Substring]

    static func all(in page: String) -> [GuideBlock] {
        var blocks: [GuideBlock] = []
        var open: GuideBlock?
        var above: Substring = ""
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if let block = open {
                if line == "```" { blocks.append(block) }
                open = line == "```" ? nil : GuideBlock(file: block.file, lines: block.lines + [line])
            } else if line == "```swift" {
                let named = above.firstMatch(of: /`([A-Za-z\/+]+\.swift)`/)
                open = GuideBlock(file: named.map { String($0.1) }, lines: [])
            } else if !line.isEmpty {
                above = line
            }
        }
        return blocks
    }

    /// Whether the lines follow one another in `text`, however far they are indented there.
    func isIn(_ text: String) -> Bool {
        let trimmed = { (line: Substring) in line.drop { $0 == " " } }
        let wanted = lines.map(trimmed)
        let found = text.split(separator: "\n", omittingEmptySubsequences: false).map(trimmed)
        guard !wanted.isEmpty, found.count >= wanted.count else { return false }
        return (0...(found.count - wanted.count)).contains { Array(found[$0..<($0 + wanted.count)]) == wanted }
    }
}
