import FoundationEssentials
import Latchkey
import LatchkeyAgent
import LatchkeyDevServer
import LatchkeyTesting
import Testing

@testable import LatchkeyCommand

@Suite("The agent asks the person first") struct AgentQuestionTests {
    private static let passphrase = "correct horse battery staple\n"
    private static let yes = "exit 0"

    /// Writes a program that answers for the person, and keeps the questions.
    private func program(_ tool: Tool, _ answer: String) throws -> String {
        let path = tool.folder.path + "/ask"
        let script = """
            #!/bin/sh
            printf '%s|%s\n' "$SSH_ASKPASS_PROMPT" "$1" >> '\(tool.folder.path)/asked'
            \(answer)

            """
        try Data(script.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    private func questions(_ tool: Tool) -> [String] {
        let text = try? String(contentsOf: URL(filePath: tool.folder.path + "/asked"), encoding: .utf8)
        return (text ?? "").split(separator: "confirm|").map(String.init)
    }

    private func signedIn() async throws -> Tool {
        let (tool, server) = (try Tool(), try Service.start())
        let login = try await tool.start(
            [
                "login", "--issuer", server.issuer, "--client-id", "dev-device", "--device", "--store", "encrypted",
                "--passphrase-from-stdin",
            ], input: Self.passphrase
        ).wait()
        try #require(login.status == 0, "\(login.errors)")
        return tool
    }

    private func unlock(
        _ tool: Tool, _ words: [String], _ variables: [String: String] = [:]
    ) async throws -> Program.Result {
        try await tool.start(
            ["unlock", "--passphrase-from-stdin"] + words, environment: variables, input: Self.passphrase
        ).wait()
    }

    @Test("each program is asked about once for tokens and once for the file, with its name and its parent's")
    func allowed() async throws {
        let tool = try await signedIn()
        let ask = try program(tool, Self.yes)
        let unlocked = try await unlock(tool, ["--serve-tokens", "--confirm"], ["SSH_ASKPASS": ask])
        #expect(unlocked.status == 0, "\(unlocked.errors)")
        // The program that gave the passphrase is not asked about.
        #expect(questions(tool).isEmpty)
        #expect(try await tool.run("token").line.hasPrefix("dat_"))
        var asked = questions(tool)
        try #require(asked.count == 1)
        #expect(asked[0].contains("(process "), "\(asked)")
        #expect(asked[0].contains("the access token of the profile default?"))
        #expect(asked[0].contains("It was started by /"))
        #expect(try await tool.run("status").status == 0)
        asked = questions(tool)
        try #require(asked.count == 2)
        #expect(asked[1].contains("read and write your encrypted sessions?"))
        #expect(try await tool.run("token").status == 0)
        #expect(questions(tool).count == 3)
        _ = try await tool.run("lock")
    }

    @Test(
        "no, a cancelled window, a program that dies and one that says something else: nothing is handed out",
        arguments: ["exit 1", "echo no", "kill -9 $$", "echo yes; exit 3", "yes no | head -c 5000"])
    func refused(answer: String) async throws {
        let tool = try await signedIn()
        let ask = try program(tool, answer)
        let unlocked = try await unlock(tool, ["--serve-tokens", "--confirm"], ["LATCHKEY_ASKPASS": ask])
        #expect(unlocked.status == 0, "\(unlocked.errors)")
        let commands = [["token"], ["exec", "--", "/bin/true"], ["status"], ["token", "--verbose"]]
        for (count, words) in commands.enumerated() {
            let result = try await tool.start(words).wait()
            #expect(result.status != 0, "\(words)")
            #expect(!result.output.contains("dat_"))
            #expect(result.errors.contains("did not let this program use the agent"), "\(words): \(result.errors)")
            #expect(questions(tool).count == count + 1, "\(words)")
        }
        // Neither the person nor the agent is needed for these.
        #expect(try await tool.run("lock").status == 0)
        #expect(try await tool.run("token").status == 5)
        #expect(questions(tool).count == 4)
    }

    @Test("\"yes\" and an empty line are a yes, as for ssh-agent", arguments: ["echo yes", "echo", "echo YES"])
    func words(answer: String) throws {
        let tool = try Tool()
        let program = try #require(AskingProgram(["LATCHKEY_ASKPASS": try program(tool, answer)]))
        #expect(program.confirms("Really?", within: 20))
        #expect(questions(tool) == ["Really?\n"])
    }

    @Test("a question that is not answered in time is a no, and its window is closed") func late() throws {
        let tool = try Tool()
        let program = try #require(AskingProgram(["LATCHKEY_ASKPASS": try program(tool, "exec sleep 600")]))
        #expect(!program.confirms("Really?", within: 0))
    }

    @Test("without a program to ask with, unlock refuses, and leaves no agent behind") func none() async throws {
        let tool = try await signedIn()
        for program in ["", "ask", "/nowhere/ask", tool.folder.path] {
            let result = try await unlock(tool, ["--confirm"], ["LATCHKEY_ASKPASS": program])
            #expect(result.status == 8 && result.errors.contains("LATCHKEY_ASKPASS"), "\(program): \(result.errors)")
        }
        #expect(try await tool.run("agent", "status").status != 0)
        // An agent that has none says so, too, and keeps on as it was.
        #expect(try await unlock(tool, []).status == 0)
        let ask = try program(tool, Self.yes)
        let result = try await unlock(tool, ["--confirm"], ["LATCHKEY_ASKPASS": ask])
        #expect(result.status == 8 && result.errors.contains("latchkey lock"), "\(result.errors)")
        #expect(try await tool.run("token").line.hasPrefix("dat_"))
        #expect(questions(tool).isEmpty)
        _ = try await tool.run("lock")
    }
}
