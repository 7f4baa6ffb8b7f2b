import Foundation
import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySystem
import Testing

@testable import LatchkeyCommand

@Suite("An interrupted command") struct InterruptedCommandTests {
    /// Runs a command in this process, in a task that is cancelled before its first step.
    private func run(_ words: [String], _ tool: Tool) async -> (status: Int32, errors: String) {
        let errors = Locked([UInt8]())
        let console = Console(
            write: { stream, bytes in if stream == .error { errors.withLock { $0 += bytes } } },
            isTerminal: { _ in false },
            // As standard input does: it is waited for in short intervals.
            readLine: { _ in
                try Task.checkCancellation()
                return nil
            },
            readAll: { _ in
                try Task.checkCancellation()
                return []
            })
        let program = LatchkeyTool(environment: tool.variables(), console: console, world: .system)
        let status = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await program.run(words).code
        }.value
        return (status, String(decoding: errors.withLock { $0 }, as: UTF8.self))
    }

    @Test(
        "ends as interrupted or with its result, and takes the interruption for nothing else",
        arguments: MatrixProfile.Kind.allCases)
    func ends(_ kind: MatrixProfile.Kind) async throws {
        let profile = try await MatrixProfile(kind)
        let known = MatrixCommand.all(profile)
        var commands = known.map(\.words)
        if kind == .browser {
            let begun = try await profile.tool.run(
                "login", "--issuer", profile.server.issuer, "--client-id", "dev-native", "--detach", "--json")
            let challenge = try #require(begun.json?["challenge"]?.string)
            commands += [["answer", challenge, "--redirect-from-stdin"], ["answer"]]
        }
        // A program that a command starts would take the place of the tests.
        for words in commands where words.first != "exec" && (words.first != "supabase" || kind == .supabase) {
            let (status, errors) = await run(words, profile.tool)
            // One that is over before it asks whether it goes on ends as ever.
            let isUsual = known.contains { $0.words == words && $0.mayEnd(with: status, in: .signedIn) }
            // The tests' own input may be at its end, which is seen before the interruption.
            let isAtEnd = words.last == "--redirect-from-stdin" && status == 2 && errors.contains("input is empty")
            #expect(status == 130 || status == 0 || isUsual || isAtEnd, "\(words): \(status) \(errors)")
            #expect(!errors.contains("The task was") || status == 130, "\(words): \(errors)")
        }
    }
}
