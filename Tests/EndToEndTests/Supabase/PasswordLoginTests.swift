import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("The tool signs in at a Supabase project with a password") struct PasswordLoginTests {
    @Test("from standard input; every other command works with the session")
    func whole() async throws {
        let project = try Project()
        #expect(try await project.signIn().output.hasPrefix("Signed in as ada@example.test (profile default)."))
        let status = try await project.run("status", "--json")
        #expect(status.json?["service"]?.string == "supabase" && status.json?["state"]?.string == "fresh")
        #expect(status.json?["issuer"]?.string == project.server.supabaseURL)
        let token = try await project.run("token").line
        #expect(token.hasPrefix("eyJ"))
        #expect(try await project.run("refresh").status == 0)
        #expect(try await project.run("token").line != token)
        // The key goes along by itself, and the project needs no permission.
        let user = try await project.run("request", "GET", "\(project.server.supabaseURL)/auth/v1/user")
        #expect(user.status == 0 && user.json?["email"]?.string == Project.ada, "\(user.errors)")
        let script = #"[ "$LATCHKEY_ACCESS_TOKEN" ] && echo there"#
        #expect(try await project.run("exec", "--", "sh", "-c", script).line == "there")
        #expect(try await project.run("accounts", "--names").line == Project.ada)
        #expect(try await project.run("logout", "--json").json?["result"]?.string == "revoked")
        #expect(project.levels().isEmpty)
        expect(try await project.run("token", "--json"), 3, "signInRequired.signedOut")
    }

    @Test("at the terminal, where it does not show and neither prompt nor screen keeps it")
    func terminal() async throws {
        let (project, terminal) = (try Project(), try TestTerminal())
        let before = terminal.settings
        let child = try project.tool.start(project.words([]), at: terminal)
        try await terminal.wait { terminal.screen().contains("Mail address or telephone number: ") }
        terminal.type("\(Project.ada)\n")
        try await terminal.wait { terminal.screen().contains("Password: ") && !terminal.echoes }
        terminal.type("\(Project.password)\n")
        #expect(try await child.wait().status == 0, "\(terminal.screen())")
        #expect(!terminal.screen().contains(Project.password))
        #expect(terminal.settings == before)
    }

    @Test("at the terminal a wrong password is asked for again, three times in all, and no line is left for the shell")
    func again() async throws {
        for tries in [2, 3] {
            let (project, terminal) = (try Project(), try TestTerminal())
            let child = try project.tool.start(project.words(["--account", Project.ada]), at: terminal)
            for count in 1...3 {
                try await terminal.wait {
                    terminal.screen().ranges(of: "Password: ").count >= count && !terminal.echoes
                }
                let isRight = count == 3 && tries == 2
                terminal.type(isRight ? "\(Project.password)\n" : "not-this-one\n")
            }
            let result = try await child.wait()
            #expect(result.status == (tries == 2 ? 0 : 6), "\(terminal.screen())")
            #expect(terminal.screen().ranges(of: "Password: ").count == 3)
            #expect(!terminal.screen().contains("not-this-one"))
        }
    }

    @Test("a password that the service does not accept for a new account is asked for again, with the reason")
    func weakAgain() async throws {
        let (project, terminal) = (try Project(), try TestTerminal())
        let child = try project.tool.start(project.words(["--sign-up", "--account", "new@example.test"]), at: terminal)
        for (round, password) in ["abc", "a-good-password"].enumerated() {
            for words in ["New password: ", "Once more: "] {
                try await terminal.wait {
                    terminal.screen().ranges(of: words).count > round && !terminal.echoes
                }
                terminal.type("\(password)\n")
            }
        }
        try await terminal.wait { terminal.screen().contains("Code sent to new@example.test") }
        terminal.type("\(try project.code("new@example.test"))\n")
        #expect(try await child.wait().status == 0, "\(terminal.screen())")
    }

    @Test("a wrong password, and a person that nobody knows, end with 6, alike")
    func wrong() async throws {
        let project = try Project()
        for who in [Project.ada, "nobody@example.test"] {
            let result = try await project.login(
                "--account", who, "--password-from-stdin", "--json", input: "not-this-one\n")
            expect(result, 6, "refused.wrongInput", service: "invalid_credentials")
            #expect(!result.errors.contains("not-this-one"))
        }
        #expect(try await project.run("profiles", "--names").output.isEmpty)
    }

    @Test(
        "is never an argument, and no message repeats what somebody put there",
        arguments: [
            ["--password=hunter2"], ["--password", "hunter2"], ["--password-from-stdin=hunter2"],
            ["--passwort", "hunter2"],
        ])
    func argument(_ words: [String]) async throws {
        let project = try Project()
        let result = try await project.tool.start(project.words(["--account", Project.ada, "--json"] + words)).wait()
        expect(result, 2, "usage")
        #expect(!result.errors.contains("hunter2"))
        #expect(project.server.log().isEmpty)
    }

    @Test("without a terminal and without standard input, what is missing is named and nothing is sent")
    func nobodyToAsk() async throws {
        let project = try Project()
        let noPassword = try await project.login("--account", Project.ada, "--json")
        expect(noPassword, 2, "usage")
        #expect(try await project.login("--account", Project.ada).errors.contains("--password-from-stdin"))
        expect(try await project.login("--account", Project.ada, "--password-from-stdin", "--json"), 2, "usage")
        expect(try await project.login("--json", "--password-from-stdin", input: "x\n"), 2, "usage")
        #expect(project.server.log().isEmpty)
    }

    @Test("an account is made, and the mail's code confirms it; an address that is taken ends with 6")
    func signUp() async throws {
        let project = try Project()
        let new = "new@example.test"
        let begun = try await project.login(
            "--sign-up", "--account", new, "--password-from-stdin", "--detach", "--json", input: "a-good-password\n")
        #expect(begun.status == 0, "\(begun.errors)")
        #expect(begun.json?["kind"]?.string == "code" && begun.json?["sentTo"]?.string == new)
        let id = try #require(begun.json?["challenge"]?.string)
        expect(
            try await project.run("answer", id, "--code-from-stdin", "--json", input: "000000x\n"), 6,
            "refused.wrongInput", service: "otp_expired")
        let answered = try await project.run("answer", id, "--code-from-stdin", input: try project.code(new) + "\n")
        #expect(answered.output.hasPrefix("Signed in as new@example.test (profile default)."), "\(answered.errors)")
        let taken = try await project.login(
            "--profile", "other", "--sign-up", "--account", new, "--password-from-stdin", "--json",
            input: "a-good-password\n")
        expect(taken, 6, "refused.other", service: "user_already_exists")
        let weak = try await project.login(
            "--profile", "other", "--sign-up", "--account", "x@example.test", "--password-from-stdin", "--json",
            input: "abc\n")
        expect(weak, 6, "refused.passwordNotAccepted", service: "weak_password")
        #expect(weak.errorJSON?["message"]?.string?.contains("length") == true)
    }

    @Test("an account is made at the terminal, with the password typed twice")
    func signUpAtTerminal() async throws {
        let (project, terminal) = (try Project(), try TestTerminal())
        let child = try project.tool.start(project.words(["--sign-up", "--account", "new@example.test"]), at: terminal)
        for words in ["New password: ", "Once more: "] {
            try await terminal.wait { terminal.screen().contains(words) && !terminal.echoes }
            terminal.type("a-good-password\n")
        }
        try await terminal.wait { terminal.screen().contains("Code sent to new@example.test") }
        terminal.type("\(try project.code("new@example.test"))\n")
        #expect(try await child.wait().status == 0, "\(terminal.screen())")
    }

    @Test("an address that is not confirmed is asked for its code, and another mail is sent on request")
    func unconfirmed() async throws {
        let project = try Project { $0.resendGap = 1 }
        let new = "new@example.test"
        _ = try await project.login(
            "--sign-up", "--account", new, "--password-from-stdin", "--detach", input: "a-good-password\n")
        let later = try await project.login(
            "--account", new, "--password-from-stdin", "--detach", "--json", input: "a-good-password\n")
        #expect(later.status == 0 && later.json?["kind"]?.string == "code", "\(later.errors)")
        let id = try #require(later.json?["challenge"]?.string)
        project.advance(by: 5)
        let again = try await project.run("answer", id, "--resend", "--json")
        #expect(again.status == 0 && again.json?["challenge"]?.string == id, "\(again.errors)")
        #expect(project.server.inbox(of: new).count == 2)
        let answered = try await project.run("answer", id, "--code-from-stdin", input: try project.code(new) + "\n")
        #expect(answered.status == 0, "\(answered.errors)")
    }

    @Test("a captcha is an error that says what to do instead, and a challenge for whoever can show one")
    func captcha() async throws {
        let project = try Project { $0.captchaToken = "right" }
        let result = try await project.login(
            "--account", Project.ada, "--password-from-stdin", "--json", input: "\(Project.password)\n")
        expect(result, 6, "refused.captcha")
        let words = try await project.login(
            "--account", Project.ada, "--password-from-stdin", input: "\(Project.password)\n")
        #expect(words.errors.contains("hint: Sign in in a browser instead: latchkey login --provider NAME"))
        let asked = try await project.login(
            "--account", Project.ada, "--password-from-stdin", "--detach", "--json", input: "\(Project.password)\n")
        #expect(asked.json?["kind"]?.string == "captcha")
    }
}
