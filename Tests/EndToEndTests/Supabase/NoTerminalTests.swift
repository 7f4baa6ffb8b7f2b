import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("Without a terminal, an open question says how to answer it") struct NoTerminalTests {
    /// The command that a result's hint names, without its first word.
    private func command(_ result: Program.Result) throws -> [String] {
        #expect(result.status == 8, "\(result.errors)")
        let found = try #require(result.errors.firstMatch(of: /hint: Run: latchkey (.+)/), "\(result.errors)")
        return found.1.split(separator: " ").map(String.init)
    }

    @Test("the named command answers: a mail's code, an app's code, and a new password")
    func named() async throws {
        let project = try Project()
        try await project.signIn()
        let secret = try await project.enroll().secret
        #expect(try await project.run("logout").status == 0)
        let begun = try await project.login("--forgot", "--account", Project.ada, "--detach", "--json")
        var id = try #require(begun.json?["challenge"]?.string, "\(begun.errors)")
        let inputs = [try project.code(), try project.totp(secret), "another-password"]
        for (input, option) in zip(inputs, ["--code-from-stdin", "--code-from-stdin", "--password-from-stdin"]) {
            let words = try command(try await project.run("answer", id))
            #expect(words.prefix(3) == ["answer", id, option])
            let answered = try await project.tool.start(words + ["--json"], input: input + "\n").wait()
            #expect(answered.status == 0, "\(answered.errors)")
            if let next = answered.json?["challenge"]?.string { id = next }
        }
        #expect(project.levels() == ["aal2"])
    }

    @Test(
        "an answer without the challenge's id is a mistake of use that names where the ids are, and reads nothing",
        arguments: ["--code-from-stdin", "--password-from-stdin", "--redirect-from-stdin", "--resend", "--decline"])
    func answerWithoutID(option: String) async throws {
        let result = try await Project().run("answer", option)
        #expect(result.status == 2 && result.errors.contains(option), "\(result.errors)")
        #expect(result.errors.contains("hint: List the ids: latchkey answer\n"), "\(result.errors)")
    }

    @Test("an option that is missing is named")
    func option() async throws {
        let project = try Project()
        try await project.signIn()
        let begun = try await project.run("supabase", "factors", "enroll", "--json")
        let factor = try #require(begun.json?["factor"]?.string, "\(begun.errors)")
        let result = try await project.run("supabase", "factors", "verify", factor)
        #expect(result.status == 8)
        #expect(result.errors.contains("--code-from-stdin"), "\(result.errors)")
    }
}
