import FoundationEssentials
import Testing

@testable import LatchkeyCommand

@Suite("The documents say what is so")
struct DocumentTests {
    @Test("Every test that the laws name exists")
    func laws() throws {
        let sources = try Repository.swiftFiles(under: "Tests")
        let named = try Repository.text("Documentation/Laws.md").matches(of: /(?m)^- "(.+)"$/).map { String($0.1) }
        #expect(!named.isEmpty)
        for name in named {
            let literal = "\"\(name.replacing("\"", with: "\\\""))\""
            #expect(sources.contains { $0.contains(literal) }, "no test is called: \(name)")
        }
    }

    @Test("The table of errors has a row for every reason, and no other")
    func errors() throws {
        let reasons = try Self.enums(in: "Sources/Latchkey/Values/AuthErrorReasons.swift")
        let rows = Set(
            try Repository.text("Documentation/Errors.md").matches(of: /(?m)^\|[^|]*\| `(\w+)` \|/).map { String($0.1) }
        )
        #expect(!reasons.isEmpty)
        #expect(reasons == rows)
    }

    @Test("The table of errors has a row for every code")
    func codes() throws {
        let source = try Repository.text("Sources/Latchkey/Values/AuthError.swift")
        let enumeration = source.prefix(
            upTo: source.firstRange(of: "/// What happened.")?.lowerBound ?? source.endIndex)
        let codes = Set(enumeration.matches(of: /(?m)^        case (\w+)/).map { String($0.1) })
        let rows = Set(
            try Repository.text("Documentation/Errors.md").matches(of: /(?m)^\| `(\w+)` \|/).map { String($0.1) })
        #expect(codes.contains("cancelled"))
        #expect(codes == rows)
    }

    @Test("The tables of errors name every exit status of the tool, and no other")
    func statuses() throws {
        let document = try Repository.text("Documentation/Errors.md")
        let rows =
            document.matches(of: /(?m)^\|.*\| (\d+) \|$/).map { $0.1 }
            + document.matches(of: /(?m)^\| (\d+) \|/).map { $0.1 }
        #expect(Set(rows.map { Int32($0) }) == Set(ExitStatus.meanings.map { $0.status.code }))
    }

    @Test(
        "Every relative link in the documents leads somewhere",
        arguments: [
            "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "Documentation/Architecture.md",
            "Documentation/Laws.md", "Documentation/Lane.md", "Documentation/Errors.md",
        ])
    func links(document: String) throws {
        let folder = document.contains("/") ? "Documentation/" : ""
        for link in try Repository.text(document).matches(of: /\]\(([^)#:]+)\)/) {
            #expect(Repository.exists(folder + link.1), "\(document) links to \(link.1)")
        }
    }

    /// The names of the cases of every enum in a file of nested enums.
    private static func enums(in path: String) throws -> Set<String> {
        let cases = try Repository.text(path).matches(of: /(?m)^        case (\w+(?:, \w+)*)$/)
        return Set(cases.flatMap { $0.1.split(separator: ", ").map(String.init) })
    }
}
