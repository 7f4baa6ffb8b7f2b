import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("A form that a script answers") struct FormTests {
    private static let new = "nia+clerk_test@example.test"
    private let tool: Tool
    private let server: DevServer

    init() throws {
        var configuration = DevServer.Configuration()
        configuration.signing = .es256
        configuration.clerk.requiredFields = ["email_address", "password", "first_name", "last_name"]
        (tool, server) = (try Tool(), try DevServer(configuration))
    }

    /// Begins a sign-up that lacks two names.
    private func form() async throws -> String {
        let words = ["login", "--clerk", DevServer.Clerk().publishableKey, "--proxy-url", server.clerkURL, "--sign-up"]
        let more = ["--account", Self.new, "--password-from-stdin", "--detach", "--json"]
        let begun = try await tool.start(words + more, input: "a-long-password 1\n").wait()
        #expect(begun.json?["kind"]?.string == "fields", "\(begun.output) \(begun.errors)")
        let names = begun.json?["fields"]?.array?.compactMap { $0["name"]?.string }
        #expect(names == ["first_name", "last_name"])
        #expect(begun.json?["fields"]?.array?.allSatisfy { $0["required"] == .bool(true) } == true)
        return try #require(begun.json?["challenge"]?.string)
    }

    @Test("each field is a line, in any order, and the sign-up goes on")
    func answered() async throws {
        let id = try await form()
        #expect(try await tool.run("answer").output.contains("first_name"))
        let input = "last_name=Nightingale = Nia\r\n\nfirst_name=Nia\n"
        let next = try await tool.run("answer", id, "--fields-from-stdin", "--json", input: input)
        #expect(next.json?["kind"]?.string == "code", "\(next.output) \(next.errors)")
        let code = try #require(next.json?["challenge"]?.string)
        let end = try await tool.run("answer", code, "--code-from-stdin", input: "424242\n")
        #expect(end.status == 0 && end.output.contains(Self.new), "\(end.errors)")
    }

    @Test(
        "what is no answer to the form sends nothing, names its fields and no value, and the form stays",
        arguments: [
            "", "first_name=Nia\n", "first_name=\nlast_name=x\n", "first_name\nlast_name=secret-x\n",
            "first_name=a\nfirst_name=secret-b\nlast_name=c\n", "first_name=a\nlast_name=b\nemail=secret-c\n",
        ])
    func wrong(input: String) async throws {
        let id = try await form()
        let wrong = try await tool.run("answer", id, "--fields-from-stdin", "--json", input: input)
        expect(wrong, 2, "usage")
        #expect(wrong.errors.contains("first_name, last_name") && !wrong.errors.contains("secret"), "\(wrong.errors)")
        let again = try await tool.run(
            "answer", id, "--fields-from-stdin", "--json", input: "first_name=Nia\nlast_name=N\n")
        #expect(again.status == 0, "\(again.errors)")
    }

    @Test("an answer without an option names the one for a form, and a form's option answers no code")
    func named() async throws {
        let id = try await form()
        let bare = try await tool.run("answer", id)
        #expect(bare.status == 8 && bare.errors.contains("latchkey answer \(id) --fields-from-stdin"), "\(bare.errors)")
        let code = try await tool.run(
            "answer", id, "--fields-from-stdin", "--json", input: "first_name=Nia\nlast_name=N\n")
        let other = try #require(code.json?["challenge"]?.string)
        expect(try await tool.run("answer", other, "--fields-from-stdin", "--json", input: "code=1\n"), 2, "usage")
    }
}
