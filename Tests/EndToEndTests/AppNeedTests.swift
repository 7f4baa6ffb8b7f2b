import FoundationEssentials
import Testing

@Suite("The table of what five apps needed says what is so") struct AppNeedTests {
    private static func document() throws -> AppNeeds {
        AppNeeds(try Repository.text("Documentation/Internals/Apps.md"))
    }

    @Test("Every need of every app is a row that is whole, in order, and says what shows it or what is missing")
    func whole() throws {
        let rows = try Self.document().rows
        let families = [("N", 23), ("B", 8), ("R", 8), ("L", 6), ("D", 7)]
        #expect(rows.map(\.number) == families.flatMap { app, count in (1...count).map { "\(app)\($0)" } })
        for row in rows {
            #expect(row.cells.count == 4 && row.cells.allSatisfy { !$0.isEmpty }, "row \(row.number) has an empty cell")
            #expect(row.isAnswered, "row \(row.number): \(row.proofs)")
            #expect(!row.calls.isEmpty, "row \(row.number) names no call")
        }
        func count(_ isSuch: (AppNeeds.Proof) -> Bool) -> Int { rows.count { $0.proofs.contains(where: isSuch) } }
        let apple = count { if case .appleOnly = $0 { true } else { false } }
        let missing = count { if case .notThere = $0 { true } else { false } }
        print("needs: rows=\(rows.count) partly_apple_only=\(apple) partly_not_there=\(missing)")
    }

    @Test("Every example and guide that a need names is where its row says")
    func proofs() throws {
        for row in try Self.document().rows {
            for proof in row.proofs {
                switch proof {
                case .page(let path): #expect(Repository.exists(path), "row \(row.number): \(path) is not there")
                case .test, .appleOnly, .notThere, .unreadable: break
                }
            }
        }
    }

    @Test("Every name that a row gives to a call is declared by a library or a plugin")
    func calls() throws {
        let sources = try (Repository.swiftFiles(under: "Sources") + Repository.swiftFiles(under: "Plugins")).joined()
        let declared = Set(
            sources.matches(of: /\b(?:struct|class|actor|enum|protocol|func|var|let|case) (\w+)/).map { $0.1 })
        for row in try Self.document().rows {
            for call in row.calls {
                for name in call.prefix(while: { $0 != "(" }).split(separator: ".") {
                    #expect(declared.contains(name), "row \(row.number): nothing is called \(name)")
                }
            }
        }
    }

    @Test("The check of needs sees a row that is not whole, a reason that is missing, and a link that is none")
    func canFail() {
        let text = """
            | N1 | a | `B.c(_:)`, `D` | ["a"](../Tests/A.swift) `ATests/a`<br>[b](../Examples/b)<br>[C.md](C.md) |
            | N2 | a | `B` | Apple only: the system does it<br>not there: the rest |
            | N3 | a | `B` | Apple only: |
            | N4 | a | `B` | ["a"](../Tests/A.swift) |
            | N5 | a | `B` | [C.md](D.md) |
            | N6 | a | `B` | |
            | N7 | a | `B` |
            """
        let rows = AppNeeds(text).rows
        #expect(rows.map(\.isAnswered) == [true, true, false, false, false, false, false])
        #expect(rows.first?.calls == ["B.c(_:)", "D"])
        #expect(
            rows.first?.proofs == [
                .test(name: "a", path: "Tests/A.swift", suite: "ATests", function: "a"), .page(path: "Examples/b"),
                .page(path: "Documentation/Internals/C.md"),
            ])
    }
}
