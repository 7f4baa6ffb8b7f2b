import Latchkey
import LatchkeyDevServer
import Testing

@testable import LatchkeyCommand

/// A command that would ask a person, and what it says where there is no terminal.
struct NoTerminalRow: Sendable, CustomTestStringConvertible {
    /// How a row is made ready; returns the command.
    typealias Start = @Sendable (NoTerminalScene) async throws -> [String]

    let kind: TerminalQuestion.Kind
    /// Where the sources name the question: the file, and the first argument of ``TerminalQuestion``.
    let site: String
    let status: Int32
    /// The key of the sentence, and its beginning or what it asks for.
    let key: String
    let says: String
    /// Whether the service is asked nothing before.
    var sendsNothing = false
    /// Whether the answer has to come while the command waits, so that only the hinted command line is looked at.
    var isLive = false
    var scene: @Sendable () throws -> NoTerminalScene = { try NoTerminalScene() }
    let start: Start

    var testDescription: String { "\(site), \(kind), \(key): \(says)" }

    /// Types the command, and then what each hint says, until something succeeds.
    func walk() async throws {
        let scene = try scene()
        let first = try await start(scene)
        let before = scene.project.server.log().count
        var (words, result) = (first, try await scene.run(first))
        #expect(result.status == status, "\(result.errors)")
        #expect(result.output.isEmpty)
        #expect(result.errors.contains(says), "\(result.errors)")
        if sendsNothing {
            #expect(scene.project.server.log().count == before && scene.project.server.inbox().isEmpty)
        }
        var followed = 0
        for _ in 0..<6 {
            guard let next = try next(after: result, words, first, scene) else { break }
            if isLive {
                _ = try Parser().parse(next)
                return
            }
            (words, result, followed) = (next, try await scene.run(next), followed + 1)
        }
        #expect(result.status == 0, "\(words): \(result.errors)")
        #expect(followed > 0, "no hint was followed")
        _ = try await scene.run(["lock"])
    }

    /// What is typed next; `nil` if the end is reached.
    private func next(
        after result: Program.Result, _ words: [String], _ first: [String], _ scene: NoTerminalScene
    ) throws -> [String]? {
        guard result.status != 0 else {
            if let id = NoTerminalScene.challenge(in: result) { return ["answer", id] }
            // What was in the way is gone.
            return ["unlock", "profiles"].contains(words[0]) ? first : nil
        }
        let hint = try #require(result.errors.firstMatch(of: /hint: (.+)/), "\(result.errors)").1
        let file = try scene.secretFile()
        if let line = hint.firstMatch(of: /: latchkey (.+)/) {
            return line.1.split(separator: " ").map { $0 == "FILE" ? file : String($0) }
        }
        if let option = hint.firstMatch(of: /by standard input: (--\S+)/) { return words + [String(option.1)] }
        if hint.contains("Add --account ") { return words + ["--account", Project.ada] }
        let exchange = try #require(hint.firstMatch(of: /Give (--\S+) FILE in place of (--\S+)/), "\(hint)")
        return words.filter { $0 != String(exchange.2) } + [String(exchange.1), file]
    }
}
