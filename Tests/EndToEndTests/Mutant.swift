import Foundation

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
