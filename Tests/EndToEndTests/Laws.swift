import Foundation

/// What `Documentation/Internals/Laws.md` names.
struct Laws {
    struct Row {
        /// The law's number, or the counterexample's.
        var number: String
        /// Display names.
        var tests: [String]
        var mutants: [String]
    }

    /// The sections of the laws.
    var laws: [Row] = []
    /// The table of counterexamples.
    var counterexamples: [Row] = []

    init() throws {
        let document = try Repository.text("Documentation/Internals/Laws.md")
        for section in document.split(separator: "\n## ").dropFirst() {
            guard let number = section.firstMatch(of: /^(\d+)\.\s/)?.1 else { continue }
            laws.append(
                Row(
                    number: String(number),
                    tests: section.matches(of: /(?m)^- "(.+)"$/).map { String($0.1) },
                    mutants: Self.mutants(section)))
        }
        for line in document.split(separator: "\n") where line.firstMatch(of: /^\| D?\d+ \| "/) != nil {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3 else { continue }
            let tests = cells[1].components(separatedBy: "<br>").map { String($0.dropFirst().dropLast()) }
            counterexamples.append(Row(number: cells[0], tests: tests, mutants: Self.mutants(cells[2])))
        }
    }

    private static func mutants(_ text: some StringProtocol) -> [String] {
        String(text).matches(of: /`((?:law|ce)-[a-z0-9-]+)`/).map { String($0.1) }
    }
}

/// A patch that breaks a law, or takes a rule out.
struct Mutant {
    var name: String
    /// The lines before the patch itself.
    var heads: [(key: String, text: String)]

    var path: String { "Tests/Mutants/\(name).patch" }

    /// Every one there is, by name.
    static func all() throws -> [Mutant] {
        try FileManager.default.contentsOfDirectory(atPath: "\(Repository.root)/Tests/Mutants").sorted()
            .filter { $0.hasSuffix(".patch") }
            .map { file in
                let lines = try Repository.text("Tests/Mutants/\(file)").split(separator: "\n")
                let heads = lines.prefix { !$0.hasPrefix("diff ") }.map { line in
                    let parts = line.split(separator: ":", maxSplits: 1)
                    return (String(parts.first ?? ""), parts.count > 1 ? String(parts[1].dropFirst()) : "")
                }
                return Mutant(name: String(file.dropLast(6)), heads: heads)
            }
    }
}
