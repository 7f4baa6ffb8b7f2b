import Foundation

/// What `Documentation/Internals/Apps.md` names.
struct AppNeeds {
    /// What stands in the last column of a row.
    enum Proof: Equatable {
        case test(name: String, path: String, suite: String, function: String)
        /// An example or a guide, by its path in the repository.
        case page(path: String)
        /// The part that needs a framework of Apple's, with the reason.
        case appleOnly(String)
        case notThere(String)
        /// None of the above.
        case unreadable(String)
    }

    struct Row {
        /// A letter for the app, and a number.
        var number: String
        /// The names that the third column puts into backticks.
        var calls: [String]
        var proofs: [Proof]
        var cells: [String]

        /// Whether something shows the need, or the row says plainly that nothing does.
        var isAnswered: Bool {
            !proofs.isEmpty && proofs.allSatisfy { if case .unreadable = $0 { false } else { true } }
        }
    }

    var rows: [Row]

    init(_ document: String) {
        rows = document.split(separator: "\n").filter { $0.firstMatch(of: /^\| [A-Z]\d+ \|/) != nil }.map { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            return Row(
                number: cells[0], calls: cells.count == 4 ? Self.calls(cells[2]) : [],
                proofs: cells.count == 4 ? cells[3].components(separatedBy: "<br>").map(Self.proof) : [], cells: cells)
        }
    }

    private static func calls(_ cell: String) -> [String] {
        cell.matches(of: /`([^`]+)`/).map { String($0.1) }
    }

    private static func proof(_ item: String) -> Proof {
        if let test = item.wholeMatch(of: /\["(.+)"\]\((?:\.\.\/)+(Tests\/[^)]+\.swift)\) `(\w+)\/(\w+)`/) {
            return .test(
                name: String(test.1), path: String(test.2), suite: String(test.3), function: String(test.4))
        }
        if let example = item.wholeMatch(of: /\[[\w-]+\]\((?:\.\.\/)+(Examples\/[^)]+)\)/) {
            return .page(path: String(example.1))
        }
        if let guide = item.wholeMatch(of: /\[(\w+\.md)\]\((?:\.\.\/(\w+\/))?(\w+\.md)\)/), guide.1 == guide.3 {
            return .page(path: "Documentation/\(guide.2 ?? "Internals/")\(guide.1)")
        }
        if let reason = item.wholeMatch(of: /Apple only: (.+)/) { return .appleOnly(String(reason.1)) }
        if let what = item.wholeMatch(of: /not there: (.+)/) { return .notThere(String(what.1)) }
        return .unreadable(item)
    }
}
