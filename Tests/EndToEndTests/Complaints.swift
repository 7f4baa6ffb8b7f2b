import Foundation

/// What a page of `Tests/Complaints` names.
struct Complaints {
    struct Row {
        var number: String
        /// The display name of each test, the file it is said to be in, and what runs it alone.
        var tests: [(name: String, path: String, suite: String, function: String)]
        /// Everything, number and tests included.
        var cells: [String]

        /// Whether it says that nothing shows it, and why.
        var isOpen: Bool { cells.count > 3 && cells[3].wholeMatch(of: /not shown yet: .+\./) != nil }
    }

    var rows: [Row]

    init(_ document: String) {
        rows = document.split(separator: "\n").filter { $0.firstMatch(of: /^\| \d+ \|/) != nil }
            .map { Self.row(String($0)) }
    }

    private static func row(_ line: String) -> Row {
        let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let links =
            cells.count == 5 && !cells[3].hasPrefix("not shown yet") ? cells[3].components(separatedBy: "<br>") : []
        return Row(
            number: cells.first ?? "",
            tests: links.map { link in
                let parts = link.wholeMatch(of: /\["(.+)"\]\(\.\.\/(\w+\/[^)]+\.swift)\) `(\w+)\/(\w+)`/)
                let path = parts.map { "Tests/\($0.2)" } ?? ""
                return (String(parts?.1 ?? ""), path, String(parts?.3 ?? ""), String(parts?.4 ?? ""))
            },
            cells: cells)
    }
}
