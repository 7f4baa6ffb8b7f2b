import FoundationEssentials
import Testing

@Suite("The pages of the documentation")
struct PageTests {
    /// Every page of the repository.
    private static let pages: [String] = {
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: Repository.root)) ?? []
        return files.filter { $0.hasSuffix(".md") && !$0.contains(".build/") }.sorted()
    }()

    /// Code of another library, or of a package that is built on its own.
    private static let elsewhere = ["Examples/README.md", "Plugins/Bridges/README.md"]

    @Test("Every link between pages leads to a file, and to a heading if it names one")
    func links() throws {
        var (count, anchors) = (0, 0)
        #expect(Self.pages.count > 30)
        for path in Self.pages {
            let page = Page(path, try Repository.text(path))
            for link in page.links {
                count += 1
                #expect(link.path.isEmpty || Repository.exists(link.path), "\(path) links to \(link.text)")
                guard let anchor = link.anchor, link.path.isEmpty || link.path.hasSuffix(".md") else { continue }
                anchors += 1
                let target = link.path.isEmpty ? page : Page(link.path, (try? Repository.text(link.path)) ?? "")
                #expect(target.anchors.contains(anchor), "\(path) links to \(link.text)")
            }
        }
        print("links: pages=\(Self.pages.count) links=\(count) anchors=\(anchors)")
    }

    @Test("No Swift in any page is only there: each block is in one piece in a file that is compiled")
    func compiled() throws {
        let files = try CompiledFiles(under: [
            "Examples", "Tests/Consumer", "Tests/Shared/Snippets", "Tests/NotesAppTests",
        ])
        var count = 0
        for path in Self.pages where !Self.elsewhere.contains(path) {
            for block in Page(path, try Repository.text(path)).swift where !block.isManifest {
                count += 1
                let isThere = files.contain(block, in: block.file)
                #expect(isThere, "\(path): not in \(block.file ?? "any file"): \(block.lines.first ?? "")")
            }
        }
        print("code: blocks=\(count)")
        #expect(count > 60)
    }

    @Test("The README has a row for every product, with a guide and an example")
    func products() throws {
        let list = try #require(try Repository.text("Package.swift").firstMatch(of: /let products = \[((?s:.*?))\]/)?.1)
        let rows = try Repository.text("README.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
            .map { $0.split(separator: "|").map { $0.trimmingPrefix(" ") } }.filter { $0.count == 4 }
        let products = list.matches(of: /"(\w+)"/).map { String($0.1) }
        #expect(products.count > 20)
        for product in products {
            let found = rows.filter { $0[0].hasPrefix("`\(product)`") }
            #expect(found.count == 1, "\(product) has no row, or several")
            for cell in found.first?.dropFirst(2) ?? [] { #expect(cell.contains("]("), "\(product): \(cell)") }
        }
    }

    @Test("Every page of the documentation is in its index")
    func index() throws {
        let index = Page("Documentation/README.md", try Repository.text("Documentation/README.md"))
        let listed = Set(index.links.map(\.path))
        for path in Self.pages
        where path.hasPrefix("Documentation/") && !path.contains(".docc/") && !path.contains("/Images/") {
            #expect(listed.contains(path) || path == "Documentation/README.md", "\(path) is in no index")
        }
    }

    @Test("The checks see a link to nothing, a wrong heading, and code that is nowhere or has a line left out")
    func canFail() {
        let page = Page(
            "Documentation/A.md",
            """
            # A title: with *signs*, and `code`
            ## Twice
            ## Twice
            [a](B.md#b) [b](#twice-1) [c](../C.swift) [d](https://example.com/#e)
            `[f](none.md)`
            From `Examples/A.swift`:

            ```swift
            let a = 1  // a comment
            let c = 3
            ```
            """)
        #expect(page.anchors == ["a-title-with-signs-and-code", "twice", "twice-1"])
        #expect(page.links.map(\.path) == ["Documentation/B.md", "", "C.swift"])
        #expect(page.links.map(\.anchor) == ["b", "twice-1", nil])
        let block = page.swift[0]
        #expect(block.file == "Examples/A.swift" && block.lines == ["let a = 1", "let c = 3"])
        #expect(CompiledFiles(["Examples/A.swift": "func f() {\n    let a = 1\n\n    let c = 3\n}"]).contain(block))
        let gapped = "let a = 1\nlet b = 2\nlet c = 3"
        #expect(!CompiledFiles(["Examples/A.swift": gapped]).contain(block))
        let shortened = Page("A.md", "```swift\nlet a = 1\n// …\nlet c = 3\n```").swift[0]
        #expect(CompiledFiles(["Examples/A.swift": gapped]).contain(shortened))
        #expect(!CompiledFiles(["Examples/B.swift": "let a = 1\nlet c = 3"]).contain(block, in: "Examples/A.swift"))
    }
}
