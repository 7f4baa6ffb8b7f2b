import FoundationEssentials
import Latchkey
import LatchkeySystem
import Proofs
import Testing

/// What a service grants, and what is kept of it, if its answer comes late.
@Suite("A service that answers late") struct SlowServiceTests {
    static let delays = [1, 9, 11, 30, 59]
    /// Whether `Scripts/verify slow` wants the table.
    private static let isShown = ProcessInfo.processInfo.environment["LATCHKEY_SLOW"] != nil

    @Test(
        "every session that it grants within a minute is kept, whichever request it granted it to, and however late the answer",
        .law(6),
        arguments: SlowRow.all.map(\.title))
    func kept(_ title: String) async throws {
        let row = try #require(SlowRow.all.first { $0.title == title })
        for delay in Self.delays {
            let scene = try SlowScene(row)
            defer { scene.town.stop() }
            let act = try await row.prepare(scene)
            scene.wire.slow(by: .seconds(delay), row.isSlow)
            var failure: AuthError?
            do { try await act() } catch { failure = AuthError(error) }
            scene.wire.hurry()
            let (spent, cut) = scene.wire.counts
            #expect(spent > 0, "\(title), \(delay) s: \(failure?.description ?? "")")
            let kept = try await scene.isKept()
            note(row, delay, spent, cut, kept, failure)
            switch row.worth {
            case .session: #expect(kept, "\(title), \(delay) s: \(failure?.description ?? "")")
            case .question: #expect(failure == nil && cut == 0, "\(title), \(delay) s")
            case .nothing:
                #expect(kept == row.isSignedIn || row.name == "document", "\(title), \(delay) s")
                // A read is given up after ten seconds, and asking again brings it.
                #expect((failure == nil) == (delay < 10), "\(title), \(delay) s: \(failure?.description ?? "")")
                #expect(failure?.isAnswerLost != true || cut > 0)
            }
        }
    }

    /// Prints a line of the table.
    private func note(
        _ row: SlowRow, _ delay: Int, _ spent: Int, _ cut: Int, _ isKept: Bool, _ failure: AuthError?
    ) {
        guard Self.isShown else { return }
        let isSession = row.worth == .session
        let fate = isSession ? (isKept ? "kept" : "lost") : (cut == 0 ? "answered" : "to ask again")
        let columns = [row.title, "\(delay) s", isSession ? "spent" : "nothing", fate, failure?.code.name ?? "done"]
        print("slow-row: " + columns.joined(separator: "\t"))
    }
}

extension SlowRow {
    /// The row's name in the table.
    var title: String { "\(dialect.rawValue): \(name)" }
}
