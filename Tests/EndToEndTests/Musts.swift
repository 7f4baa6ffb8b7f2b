import Foundation

/// What `Documentation/Internals/Standards.md` names.
struct Musts {
    struct Row {
        var number: String
        /// The section of the standard, or the step.
        var place: String
        /// The display name of each test, with the file it is said to be in.
        var tests: [(name: String, path: String)]
        /// Everything, number and tests included.
        var cells: [String]
    }

    /// The tables, by the heading above each.
    var tables: [(title: String, rows: [Row])] = []

    var rows: [Row] { tables.flatMap(\.rows) }

    init(_ document: String) {
        for section in document.split(separator: "\n## ").dropFirst() {
            let lines = section.split(separator: "\n").map(String.init)
            let rows = lines.filter { $0.firstMatch(of: /^\| \d+ \|/) != nil }.map(Self.row)
            if !rows.isEmpty { tables.append((lines[0], rows)) }
        }
    }

    private static func row(_ line: String) -> Row {
        let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let links = cells.count == 6 ? cells[4].components(separatedBy: "<br>") : []
        return Row(
            number: cells.first ?? "", place: cells.count > 1 ? cells[1] : "",
            tests: links.map { link in
                let parts = link.wholeMatch(of: /\["(.+)"\]\((?:\.\.\/)+(Tests\/[^)]+\.swift)\)/)
                return (String(parts?.1 ?? ""), String(parts?.2 ?? ""))
            },
            cells: cells)
    }
}
