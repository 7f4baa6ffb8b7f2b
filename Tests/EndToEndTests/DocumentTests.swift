import FoundationEssentials
import Testing

@testable import LatchkeyCommand

@Suite("The documents say what is so")
struct DocumentTests {
    @Test("Every check of Scripts/verify has a line for contributors, and each line a check")
    func checks() throws {
        let checks = try FileManager.default.contentsOfDirectory(atPath: "\(Repository.root)/Scripts/verify.d").sorted()
        let page = try Repository.text("CONTRIBUTING.md")
        let lines = page.split(separator: "\n").compactMap { $0.prefixMatch(of: /Scripts\/verify ([a-z-]+)/)?.1 }
        #expect(checks.count > 15 && Set(lines.map(String.init)).sorted() == checks)
    }

    @Test("The page of pictures shows each in four forms")
    func pages() throws {
        for file in ["Documentation/Screens/Pages.md", "Documentation/Images/Pages/README.md"] {
            let names = try Repository.text(file)
                .matches(of: /\]\((?:\.\.\/Images\/Pages\/)?([a-z-]+)-(?:360|1280)-(?:light|dark)\.png\)/).map(\.1)
            #expect(Set(names).count >= 7 && names.count == 4 * Set(names).count)
        }
    }

    @Test(
        "Every complaint of others about a client has tests, or says why not",
        arguments: [("Supabase", 28), ("Clerk", 38)])
    func complaints(_ page: String, _ count: Int) throws {
        let rows = Complaints(try Repository.text("Tests/Complaints/\(page).md")).rows
        #expect(rows.map(\.number) == (1...count).map { "\($0)" })
        for row in rows {
            #expect(row.cells.count == 5 && row.cells.allSatisfy { !$0.isEmpty }, "row \(row.number) has an empty cell")
            #expect(row.isOpen == row.tests.isEmpty, "row \(row.number) has no test, and does not say why")
        }
        print("complaints: rows=\(rows.count) open=\(rows.count(where: \.isOpen))")
    }

    @Test("The check of complaints sees a row without a test, and one that is not whole")
    func complaintsCanFail() {
        let text = """
            | 1 | a | b | ["a"](../ATests/A.swift) `ATests/a`<br>["b"](../BTests/B.swift) `BTests/b` | c |
            | 2 | a | b | not shown yet: there is none. | c |
            | 3 | a | b | not shown yet | c |
            | 4 | a | b | ["a"](../ATests/A.swift) | c |
            | 5 | a | b | | c |
            | 6 | a | b | c |
            """
        let rows = Complaints(text).rows
        #expect(rows.map { $0.tests.map(\.function) } == [["a", "b"], [], [], [""], [""], []])
        #expect(rows.map(\.isOpen) == [false, true, false, false, false, false])
        #expect(rows.first?.tests.map(\.suite) == ["ATests", "BTests"])
    }

    @Test("Every mutant says which rule it breaks, how, and which tests see it")
    func heads() throws {
        let sources = try Repository.swiftFiles(under: "Tests")
        for mutant in try Mutant.all() {
            #expect(mutant.heads.map(\.key).starts(with: ["Rule", "Patch", "Test"]), "\(mutant.name)")
            let filter = mutant.heads.first { $0.key == "Test" }?.text ?? ""
            let suite = filter.prefix { $0 != "/" }
            let function = filter.dropFirst(suite.count + 1)
            // An alternation names several: the test runner knows them, this does not.
            guard !filter.contains("(") else { continue }
            let places = ["struct", "extension"].map { "\($0) \(suite) " }
            #expect(
                sources.contains { file in places.contains { file.contains($0) } && file.contains("func \(function)") },
                "\(mutant.name) names no test: \(filter)")
        }
    }

    @Test(
        "Every mutant can still be applied",
        .enabled(if: Program.onPath("git") != nil && Repository.exists(".git"), "this is no git checkout"))
    func applies() async throws {
        let git = try #require(Program.onPath("git"))
        for mutant in try Mutant.all() {
            let path = "\(Repository.root)/\(mutant.path)"
            let result = try await Program(git).run(["-C", Repository.root, "apply", "--check", path])
            #expect(result.status == 0, "\(mutant.name): \(result.errors)")
        }
    }

    @Test("The page for authors of providers names every question, every answer, and every rule")
    func providers() throws {
        let page = try Repository.text("Documentation/Extend/WritingAProvider.md")
        let declared = [
            ("Conversation/Challenge.swift", "enum Ask:"), ("Conversation/Challenge.swift", "enum Answer:"),
            ("Provider/ProviderRules.swift", "enum RefreshRule:"),
            ("Provider/ProviderCapability.swift", "enum ProviderCapability:"),
            ("Conversation/Turn.swift", "enum Elsewhere:"),
        ]
        for (file, type) in declared {
            let text = try Repository.text("Sources/Latchkey/\(file)")
            let start = try #require(text.firstRange(of: type)?.upperBound, "\(file) has no \(type)")
            // The cases come first in each of them.
            let lines = text[start...].split(separator: "\n").dropFirst()
                .map { $0.drop { $0 == " " } }
                .prefix { $0.hasPrefix("///") || $0.hasPrefix("case ") }
            let names = lines.filter { $0.hasPrefix("case ") }.map { $0.dropFirst(5).prefix { $0.isLetter } }
            #expect(names.count > 2, "\(type) has hardly any cases")
            for name in names {
                #expect(page.contains("`\(name)`") || page.contains("`.\(name)`"), "\(type) \(name) is not there")
            }
        }
    }

    @Test("Every demand of the standards has tests, and says what comes of the attack")
    func musts() throws {
        let document = Musts(try Repository.text("Documentation/Internals/Standards.md"))
        #expect(document.rows.map(\.number) == (1...max(1, document.rows.count)).map { "\($0)" })
        let standards = ["RFC 9700", "RFC 8252", "OpenID Connect Core 1.0, section 3.1.3.7"]
        for standard in standards {
            #expect(document.tables.contains { $0.title.hasPrefix(standard) }, "no table for \(standard)")
        }
        let places = document.rows.map(\.place).joined(separator: "\n")
        for step in 1...13 {
            #expect(places.contains(try Regex("steps? (\\d, )?\(step)\\b")), "no row for step \(step)")
        }
        for row in document.rows {
            #expect(row.cells.count == 6 && row.cells.allSatisfy { !$0.isEmpty }, "row \(row.number) has an empty cell")
            #expect(!row.tests.isEmpty, "row \(row.number) has no test")
        }
        print("musts: rows=\(document.rows.count) tests=\(Set(document.rows.flatMap { $0.tests.map(\.name) }).count)")
    }

    @Test("The check of demands sees a row without a test, and one that is not whole")
    func mustsCanFail() {
        let text = """
            # Title

            ## RFC 9700, first

            | 1 | 2.1 | demand | attack | ["a"](../Tests/A.swift)<br>["b"](../Tests/B.swift) | result |
            | 2 | 2.1 | demand | attack |  | result |
            | 3 | 2.1 | demand | attack | "a" | result |
            | 4 | 2.1 | demand | ["a"](../Tests/A.swift) | result |
            """
        let rows = Musts(text).rows
        #expect(rows.map { $0.tests.map(\.name) } == [["a", "b"], [""], [""], []])
        #expect(rows.map(\.cells.count) == [6, 6, 6, 5])
        #expect(rows.first?.tests.map(\.path) == ["Tests/A.swift", "Tests/B.swift"])
    }

    @Test("The table of errors has a row for every reason, and no other")
    func errors() throws {
        let reasons = try Self.enums(in: "Sources/Latchkey/Values/AuthErrorReasons.swift")
        let rows = Set(
            try Repository.text("Documentation/Start/Errors.md").matches(of: /(?m)^\|[^|]*\| `(\w+)` \|/).map {
                String($0.1)
            }
        )
        #expect(!reasons.isEmpty)
        #expect(reasons == rows)
    }

    @Test("The table of errors has a row for every code")
    func codes() throws {
        let source = try Repository.text("Sources/Latchkey/Values/AuthError.swift")
        // Its other enums stand behind the code's own.
        let end = try #require(source.firstRange(of: "    public var code: Code")).lowerBound
        let enumeration = source.prefix(upTo: end)
        let codes = Set(enumeration.matches(of: /(?m)^        case (\w+)/).map { String($0.1) })
        let rows = Set(
            try Repository.text("Documentation/Start/Errors.md").matches(of: /(?m)^\| `(\w+)` \|/).map { String($0.1) })
        #expect(codes.contains("cancelled"))
        #expect(codes == rows)
    }

    @Test("The tables of errors name every exit status of the tool, and no other")
    func statuses() throws {
        let document = try Repository.text("Documentation/Start/Errors.md")
        let rows =
            document.matches(of: /(?m)^\|.*\| (\d+) \|$/).map { $0.1 }
            + document.matches(of: /(?m)^\| (\d+) \|/).map { $0.1 }
        #expect(Set(rows.map { Int32($0) }) == Set(ExitStatus.meanings.map { $0.status.code }))
    }

    @Test(
        "Every function that the drawing of a token or the models' tables name is one of the engine's",
        arguments: ["Documentation/Internals/Token.md", "Tests/Model/README.md"])
    func functions(document: String) throws {
        let engine = try Repository.swiftFiles(under: "Sources/Latchkey").joined()
        let declared = Set(engine.matches(of: /(?:func|var|let|case) (\w+)/).map { $0.1 })
        let text = try Repository.text(document)
        var named = Set(text.matches(of: /[^\w](?:\w+\.)?([a-z]\w+)\([a-z.]/).map { $0.1 })
        for row in text.split(separator: "\n") where row.hasPrefix("|") {
            let columns = row.split(separator: "|")
            guard columns.count == 4 else { continue }
            named.formUnion(columns[2].matches(of: /`(?:\w+\.)?(\w+)/).map { $0.1 })
        }
        #expect(named.count > 12)
        #expect(named.subtracting(declared).isEmpty)
    }

    /// The names of the cases of every enum in a file of nested enums.
    private static func enums(in path: String) throws -> Set<String> {
        let cases = try Repository.text(path).matches(of: /(?m)^        case (\w+(?:, \w+)*)$/)
        return Set(cases.flatMap { $0.1.split(separator: ", ").map(String.init) })
    }
}
