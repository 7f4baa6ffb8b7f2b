import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("The tool asks for further factors as part of signing in") struct FactorLoginTests {
    /// A project whose Ada has an authenticator app, and is signed out.
    private func guarded() async throws -> (Project, secret: String) {
        let project = try Project()
        try await project.signIn()
        let secret = try await project.enroll().secret
        #expect(try await project.run("logout").status == 0)
        try #require(project.levels().isEmpty)
        return (project, secret)
    }

    /// A login at a terminal that has come to the question for the app's code.
    private func asked(_ project: Project, _ terminal: TestTerminal) async throws -> Child {
        let child = try project.tool.start(project.words(["--account", Project.ada]), at: terminal)
        try await terminal.wait { terminal.screen().contains("Password: ") && !terminal.echoes }
        terminal.type("\(Project.password)\n")
        try await terminal.wait { terminal.screen().contains("Code of the authenticator app: ") }
        return child
    }

    @Test("the app's code at the terminal, after a wrong one, makes a session of two factors")
    func totp() async throws {
        let (project, secret) = try await guarded()
        let terminal = try TestTerminal()
        let child = try await asked(project, terminal)
        terminal.type("000000\n")
        try await terminal.wait { terminal.screen().ranges(of: "Code of the authenticator app: ").count == 2 }
        terminal.type("\(try project.totp(secret))\n")
        #expect(try await child.wait().status == 0, "\(terminal.screen())")
        #expect(project.levels() == ["aal2"])
        #expect(try await project.run("refresh").status == 0)
    }

    @Test("whoever says no ends with 6 and leaves no session behind, neither here nor there")
    func declined() async throws {
        let (project, _) = try await guarded()
        let terminal = try TestTerminal()
        let child = try await asked(project, terminal)
        #expect(project.levels() == ["aal1"])
        terminal.type("\u{4}")
        #expect(try await child.wait().status == 6)
        #expect(project.levels().isEmpty)
        #expect(try await project.run("accounts", "--json").json?["accounts"]?.array?.isEmpty == true)
    }

    @Test("three wrong codes end with 6 and leave no session behind, neither here nor there")
    func wrong() async throws {
        let (project, _) = try await guarded()
        let terminal = try TestTerminal()
        let child = try await asked(project, terminal)
        for count in 1...3 {
            try await terminal.wait {
                terminal.screen().ranges(of: "Code of the authenticator app: ").count == count
            }
            terminal.type("000000\n")
        }
        #expect(try await child.wait().status == 6)
        #expect(terminal.screen().contains("The code of the factor is wrong"))
        #expect(project.levels().isEmpty)
        #expect(try await project.run("token").status == 3)
    }

    @Test("without a terminal it is said how to go on, and no session is left behind")
    func noTerminal() async throws {
        let (project, _) = try await guarded()
        let result = try await project.login(
            "--account", Project.ada, "--password-from-stdin", "--json", input: "\(Project.password)\n")
        expect(result, 8, "configuration.unsupported")
        #expect(result.errorJSON?["message"]?.string?.contains("--detach") == true)
        #expect(project.levels().isEmpty)
    }

    @Test("another process gives the code, or says no")
    func detached() async throws {
        let (project, secret) = try await guarded()
        func begin() async throws -> String {
            let begun = try await project.login(
                "--account", Project.ada, "--password-from-stdin", "--detach", "--json",
                input: "\(Project.password)\n")
            #expect(begun.json?["kind"]?.string == "totp")
            return try #require(begun.json?["challenge"]?.string, "\(begun.errors)")
        }
        let no = try await begin()
        expect(try await project.run("answer", no, "--decline", "--json"), 6, "declined")
        #expect(project.levels().isEmpty)
        let id = try await begin()
        expect(
            try await project.run("answer", id, "--code-from-stdin", "--json", input: "000000\n"), 6,
            "refused.wrongInput", service: "mfa_verification_failed")
        let right = try await project.run("answer", id, "--code-from-stdin", input: try project.totp(secret) + "\n")
        #expect(right.output.hasPrefix("Signed in as ada@example.test (profile default)."), "\(right.errors)")
        #expect(project.levels() == ["aal2"])
    }

    @Test("between several factors the person chooses; a telephone gets its message")
    func choice() async throws {
        let (project, terminal) = (try Project(), try TestTerminal())
        try await project.signIn()
        let app = try await project.enroll("--name", "mine").factor
        let child = try project.tool.start(["supabase", "factors", "enroll", "--phone", "+15550100"], at: terminal)
        try await terminal.wait { terminal.screen().contains("Code sent to +15550100") }
        terminal.type("\(try project.code("15550100"))\n")
        #expect(try await child.wait().status == 0, "\(terminal.screen())")
        #expect(try await project.run("logout").status == 0)

        let begun = try await project.login(
            "--account", Project.ada, "--password-from-stdin", "--detach", "--json", input: "\(Project.password)\n")
        #expect(begun.json?["kind"]?.string == "choose")
        let choices = begun.json?["choices"]?.array ?? []
        #expect(choices.compactMap { $0["label"]?.string } == ["Authenticator app mine", "Text message to +15550100"])
        #expect(choices.first?["id"]?.string == app)
        let id = try #require(begun.json?["challenge"]?.string)
        expect(try await project.run("answer", id, "--choose", "neither", "--json"), 6, "refused.wrongInput")
        let phone = try #require(choices.last?["id"]?.string)
        // The service leaves a person a while between two messages.
        project.advance(by: 90)
        let chosen = try await project.run("answer", id, "--choose", phone, "--json")
        #expect(chosen.json?["kind"]?.string == "code", "\(chosen.errors)")
        let asked = try #require(chosen.json?["challenge"]?.string)
        let code = try project.code("15550100") + "\n"
        let answered = try await project.run("answer", asked, "--code-from-stdin", input: code)
        #expect(answered.status == 0, "\(answered.errors)")
        #expect(project.levels() == ["aal2"])
    }
}
