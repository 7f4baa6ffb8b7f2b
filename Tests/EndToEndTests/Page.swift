import FoundationEssentials

/// A page of the repository: its headings, its links and its code.
struct Page {
    /// A link to another place of the repository.
    struct Link {
        /// As it is written.
        var text: String
        /// The file, from the root of the repository; empty for the page itself.
        var path: String
        var anchor: String?
    }

    /// A block of Swift, without comments and empty lines. Where the comment `// …` stands, lines are left out.
    struct Block {
        /// The file that the paragraph above it names.
        var file: String?
        var lines: [String]
        /// Whether it is a part of a package's manifest, which is compiled when somebody follows the page.
        var isManifest: Bool { lines.contains { $0.contains(".package(") || $0.contains("PackageDescription") } }
    }

    private let path: String
    private let prose: [Substring]
    let swift: [Block]

    init(_ path: String, _ text: String) {
        self.path = path
        (prose, swift) = Self.read(text)
    }

    /// The anchors of the headings, as GitHub makes them.
    var anchors: [String] {
        var seen: [String: Int] = [:]
        return prose.filter { $0.wholeMatch(of: /#{1,6} .*/) != nil }.map { line in
            let title = line.drop { $0 == "#" }.dropFirst().replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }
            let kept = title.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == " " }
            let anchor = kept.replacing(" ", with: "-")
            seen[anchor, default: -1] += 1
            return seen[anchor] == 0 ? anchor : "\(anchor)-\(seen[anchor] ?? 0)"
        }
    }

    /// The links to places of the repository.
    var links: [Link] {
        prose.map { $0.replacing(/`[^`]*`/, with: "") }.flatMap { line in
            line.matches(of: /\]\(([^()\s]+)\)/).map { String($0.1) }
        }.filter { $0.firstMatch(of: /^[a-z]+:/) == nil }.map(link)
    }

    private func link(_ text: String) -> Link {
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        var folders = path.split(separator: "/").dropLast().map(String.init)
        for part in parts[0].split(separator: "/") {
            if part == ".." { _ = folders.popLast() } else { folders.append(String(part)) }
        }
        let target = parts[0].isEmpty ? "" : folders.joined(separator: "/")
        return Link(text: text, path: target, anchor: parts.count > 1 ? String(parts[1]) : nil)
    }

    private static func read(_ text: String) -> (prose: [Substring], swift: [Block]) {
        var (prose, blocks): ([Substring], [Block]) = ([], [])
        var (fence, above): (Substring?, Substring) = (nil, "")
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if fence != nil, line == "```" {
                let named = above.firstMatch(of: /`([A-Za-z0-9\/+_-]+\.swift)`/).map { String($0.1) }
                let isPath = named?.contains("/") == true && named?.hasPrefix("Sources/") == false
                if fence == "```swift" { blocks.append(Block(file: isPath ? named : nil, lines: lines)) }
                (fence, lines) = (nil, [])
            } else if fence != nil {
                if let code = CompiledFiles.code(line) { lines.append(code) }
            } else if line.hasPrefix("```") {
                fence = line
            } else {
                prose.append(line)
                if !line.isEmpty { above = line }
            }
        }
        return (prose, blocks)
    }
}

/// Files that are compiled, without comments and empty lines.
struct CompiledFiles {
    private let files: [String: [String]]

    init(_ files: [String: String]) {
        self.files = files.mapValues { text in text.split(separator: "\n").compactMap(Self.code) }
    }

    init(under folders: [String]) throws {
        var files: [String: String] = [:]
        for folder in folders {
            let paths = try FileManager.default.subpathsOfDirectory(atPath: "\(Repository.root)/\(folder)")
            for path in paths where path.hasSuffix(".swift") && !path.contains(".build") {
                files["\(folder)/\(path)"] = try Repository.text("\(folder)/\(path)")
            }
        }
        self.init(files)
    }

    /// Whether one of the files, or the one with this name, has the block's lines one after the other. Imports may
    /// stand anywhere in it.
    func contain(_ block: Page.Block, in name: String? = nil) -> Bool {
        let imports = block.lines.filter { $0.hasPrefix("import ") }
        let pieces = block.lines.filter { !$0.hasPrefix("import ") }.split(separator: Self.gap)
        return files.contains { path, lines in
            (name == nil || path == name) && imports.allSatisfy(lines.contains)
                && pieces.allSatisfy { piece in lines.indices.contains { lines[$0...].starts(with: piece) } }
        }
    }

    /// The comment that stands for lines that are left out.
    private static let gap = "// …"

    /// What a line does: without its comment, and with single spaces.
    static func code(_ line: some StringProtocol) -> String? {
        let bare = line.split(separator: " ").joined(separator: " ")
        guard bare != gap else { return gap }
        let end =
            bare.hasPrefix("//") ? bare.startIndex : bare.firstMatch(of: #/ +// /#)?.range.lowerBound ?? bare.endIndex
        return end == bare.startIndex ? nil : String(bare[..<end])
    }
}
