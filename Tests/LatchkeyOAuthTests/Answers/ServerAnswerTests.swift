import Foundation
import Testing

/// What the provider makes of everything that real servers answered.
@Suite("Answers of real servers", .serialized) struct ServerAnswerTests {
    /// The servers whose answers were recorded, by the names of the files.
    static let servers = [
        "better-auth", "dex", "gitea", "go-oauth2", "hydra", "jmondi-oauth2-server", "keycloak-26.7", "luikyv-go-oidc",
        "mcp-sdk", "mock-oauth2-server", "mockoidc", "node-oauth2-server", "openauth", "spring", "zitadel-oidc",
    ]

    /// The recordings in the folder that the environment names, or else the project's own cases.
    static func recordings(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> [ServerRecording] {
        guard let folder = environment["LATCHKEY_RECORDED"], !folder.isEmpty else { return [.own] }
        return try servers.map { try ServerRecording($0, in: folder) }
    }

    @Test("each answer is read as what it is, and told without a secret and without an untrue word")
    func everyAnswer() async throws {
        var report = AnswerReport()
        let recordings = try Self.recordings()
        for recording in recordings {
            for answer in recording.answers {
                report.note(answer, await AnswerReader(answer: answer, recording: recording).verdict())
            }
        }
        for row in report.rows { print("recorded-row: \(row)") }
        for line in report.table { print("recorded-verdicts: \(line)") }
        for line in report.surprises { print("recorded-surprise: \(line)") }
        let exchanges = recordings.map(\.answers.count).reduce(0, +)
        print("recorded: exchanges=\(exchanges) judged=\(report.judged) surprises=\(report.surprises.count)")
        #expect(report.surprises.isEmpty && report.judged == exchanges)
    }

    @Test("the project's own cases have each kind of answer at each place")
    func kinds() async throws {
        var report = AnswerReport()
        for answer in ServerRecording.own.answers {
            report.note(answer, await AnswerReader(answer: answer, recording: .own).verdict())
        }
        #expect(report.surprises.isEmpty)
        #expect(Set(report.verdicts.keys) == Set(ServerAnswer.Place.allCases))
        #expect(report.verdicts.values.allSatisfy { $0.count >= 2 })
    }
}
