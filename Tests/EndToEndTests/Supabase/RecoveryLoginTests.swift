import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

@Suite("The tool helps somebody who has lost a password at a Supabase project") struct RecoveryLoginTests {
    private static let new = "another-password"

    private func begin(_ project: Project, _ who: String = Project.ada) async throws -> String {
        let begun = try await project.login("--forgot", "--account", who, "--detach", "--json")
        #expect(begun.json?["kind"]?.string == "code" && begun.json?["sentTo"]?.string == who)
        return try #require(begun.json?["challenge"]?.string, "\(begun.errors)")
    }

    /// What a command asks for next.
    private func next(_ result: Program.Result, _ kind: String) throws -> String {
        #expect(result.json?["kind"]?.string == kind, "\(result.output)\(result.errors)")
        return try #require(result.json?["challenge"]?.string, "\(result.errors)")
    }

    /// Types a new password twice.
    private func set(_ password: String, _ count: Int, _ terminal: TestTerminal) async throws {
        for prompt in ["New password: ", "Once more: "] {
            try await terminal.wait { terminal.screen().ranges(of: prompt).count == count && !terminal.echoes }
            terminal.type("\(password)\n")
        }
    }

    @Test("at the terminal: the mail's code, then a new password, corrected when it is weak or the old one")
    func terminal() async throws {
        let (project, terminal) = (try Project { $0.passwordLength = 9 }, try TestTerminal())
        let child = try project.tool.start(project.words(["--forgot", "--account", Project.ada]), at: terminal)
        try await terminal.wait { terminal.screen().contains("Code sent to ada@example.test") }
        terminal.type("\(try project.code())\n")
        try await set("short", 1, terminal)
        try await set(Project.password, 2, terminal)
        try await set(Self.new, 3, terminal)
        #expect(try await child.wait().status == 0, "\(terminal.screen())")
        let screen = terminal.screen()
        #expect(screen.contains("The password is too weak: length."))
        #expect(screen.contains("at least 9 characters"))
        #expect(screen.contains("The new password is the old one."))
        #expect(screen.contains("Signed in as ada@example.test"))
        #expect(!screen.contains(Self.new) && !screen.contains("short"))
        #expect(project.levels() == ["aal1"])
        let old = try await project.login(
            "--account", Project.ada, "--password-from-stdin", "--json", input: Project.password + "\n")
        expect(old, 6, "refused.wrongInput", service: "invalid_credentials")
        let again = try await project.login("--account", Project.ada, "--password-from-stdin", input: Self.new + "\n")
        #expect(again.status == 0, "\(again.errors)")
    }

    @Test("who says no at the new password ends with 6, with the old password and without a session")
    func declined() async throws {
        let (project, terminal) = (try Project(), try TestTerminal())
        let child = try project.tool.start(project.words(["--forgot", "--account", Project.ada]), at: terminal)
        try await terminal.wait { terminal.screen().contains("Code sent to") }
        terminal.type("\(try project.code())\n")
        try await terminal.wait { terminal.screen().contains("New password: ") && !terminal.echoes }
        #expect(project.levels().count == 1)
        terminal.type("\u{4}")
        #expect(try await child.wait().status == 6)
        #expect(project.levels().isEmpty)
        #expect(try await project.signIn().status == 0)
    }

    @Test("a script gives the code and the new password by standard input, a line each")
    func script() async throws {
        let project = try Project()
        let pipe = "\(project.tool.folder.path)/input"
        try #require(mkfifo(pipe, 0o600) == 0)
        let words = project.words([
            "--forgot", "--account", Project.ada, "--code-from-stdin", "--password-from-stdin",
        ])
        let child = try Program("/bin/sh").start(
            ["-c", "exec \"$0\" \"$@\" <> \"\(pipe)\"", project.tool.path] + words,
            environment: project.tool.variables())
        let code = try #require(try await Child.poll(within: 60) { project.server.inbox(of: Project.ada).last?.code })
        let file = open(pipe, O_WRONLY)
        defer { close(file) }
        let input = "\(code)\n\(Self.new)\n"
        #expect(write(file, input, input.utf8.count) == input.utf8.count)
        let result = try await child.wait()
        #expect(result.output.hasPrefix("Signed in as ada@example.test (profile default)."), "\(result.errors)")
    }

    @Test("a wrong code from standard input ends with 6; the line after it is not tried in its place")
    func wrongInput() async throws {
        let project = try Project()
        let result = try await project.login(
            "--forgot", "--account", Project.ada, "--code-from-stdin", "--password-from-stdin", "--json",
            input: "000000x\n\(Self.new)\n")
        expect(result, 6, "refused.wrongInput", service: "otp_expired")
        #expect(try await project.run("answer", "--json").json?["challenges"]?.array?.isEmpty != false)
        #expect(project.levels().isEmpty)
        #expect(try await project.signIn().status == 0)
    }

    @Test("another process answers; a weak password and the old one end with 6, and may be corrected")
    func detached() async throws {
        let project = try Project { $0.passwordLength = 9 }
        let mail = try await begin(project)
        let wrong = try await project.run("answer", mail, "--code-from-stdin", "--json", input: "000000x\n")
        expect(wrong, 6, "refused.wrongInput", service: "otp_expired")
        let typed = try await project.run(
            "answer", mail, "--code-from-stdin", "--json", input: try project.code() + "\n")
        let id = try next(typed, "newPassword")
        func answer(_ password: String) async throws -> Program.Result {
            try await project.run("answer", id, "--password-from-stdin", "--json", input: password + "\n")
        }
        let weak = try await answer("short")
        #expect(weak.status == 6 && weak.errorJSON?["serviceCode"]?.string == "weak_password", "\(weak.errors)")
        #expect(weak.errorJSON?["serviceText"]?.string?.contains("9") == true, "\(weak.errors)")
        let same = try await answer(Project.password)
        #expect(same.status == 6 && same.errorJSON?["serviceCode"]?.string == "same_password", "\(same.errors)")
        let right = try await answer(Self.new)
        #expect(right.status == 0 && right.json?["label"]?.string == Project.ada, "\(right.errors)")
        expect(try await answer(Self.new), 6, "refused.expired")
    }

    @Test("another code is sent on request, not before the service's wait is over, and only the newest one counts")
    func resend() async throws {
        let project = try Project()
        let id = try await begin(project)
        let first = try project.code() + "\n"
        let early = try await project.run("answer", id, "--resend", "--json")
        expect(early, 4, "rateLimited", service: "over_email_send_rate_limit")
        #expect((1...60).contains(early.errorJSON?["retryAfterSeconds"]?.integer ?? 0), "\(early.errors)")
        #expect(project.server.inbox(of: Project.ada).count == 1)
        project.advance(by: 61)
        let sent = try await project.run("answer", id, "--resend", "--json")
        #expect(try next(sent, "code") == id)
        #expect(sent.json?["sentTo"]?.string == Project.ada && project.server.inbox(of: Project.ada).count == 2)
        let old = try await project.run("answer", id, "--code-from-stdin", "--json", input: first)
        expect(old, 6, "refused.wrongInput", service: "otp_expired")
        let typed = try await project.run(
            "answer", id, "--code-from-stdin", "--json", input: try project.code() + "\n")
        let password = try next(typed, "newPassword")
        let again = try await project.run("answer", password, "--resend", "--json")
        #expect(again.status != 0 && project.server.inbox(of: Project.ada).count == 2, "\(again.output)")
        let set = try await project.run("answer", password, "--password-from-stdin", input: Self.new + "\n")
        #expect(set.status == 0, "\(set.errors)")
        expect(try await project.run("answer", id, "--resend", "--json"), 6, "refused.expired")
    }

    @Test("another code for an address without an account looks the same, and nothing is sent")
    func resendToNobody() async throws {
        let project = try Project()
        let id = try await begin(project, "nobody@example.test")
        let sent = try await project.run("answer", id, "--resend", "--json")
        #expect(try next(sent, "code") == id)
        #expect(project.server.inbox().isEmpty)
    }

    @Test("a code that is too old ends with 6, and nobody is signed in")
    func late() async throws {
        let project = try Project()
        let id = try await begin(project)
        project.advance(by: 3_700)
        let late = try await project.run("answer", id, "--code-from-stdin", "--json", input: try project.code() + "\n")
        expect(late, 6, "refused.wrongInput", service: "otp_expired")
        #expect(project.levels().isEmpty)
    }

    @Test("an address without an account, and a number, are asked for a code like any other, and nothing is sent")
    func unknown() async throws {
        let project = try Project()
        for who in ["nobody@example.test", "+15550199"] {
            let id = try await begin(project, who)
            let wrong = try await project.run("answer", id, "--code-from-stdin", "--json", input: "000000\n")
            expect(wrong, 6, "refused.wrongInput", service: "otp_expired")
        }
        #expect(project.server.inbox().isEmpty)
    }

    @Test("somebody with an authenticator app proves it before the new password")
    func factor() async throws {
        let project = try Project()
        try await project.signIn()
        let secret = try await project.enroll().secret
        #expect(try await project.run("logout").status == 0)
        let mail = try await begin(project)
        let typed = try await project.run(
            "answer", mail, "--code-from-stdin", "--json", input: try project.code() + "\n")
        let proven = try await project.run(
            "answer", try next(typed, "totp"), "--code-from-stdin", "--json", input: try project.totp(secret) + "\n")
        let id = try next(proven, "newPassword")
        let set = try await project.run("answer", id, "--password-from-stdin", input: Self.new + "\n")
        #expect(set.status == 0, "\(set.errors)")
        #expect(project.levels() == ["aal2"])
    }

    @Test("without a terminal and without the answers, it ends before a mail is sent, and says how it goes on")
    func noTerminal() async throws {
        let project = try Project()
        for more in [[], ["--code-from-stdin"], ["--password-from-stdin"]] {
            let words = project.words(["--forgot", "--account", Project.ada] + more)
            let result = try await project.tool.start(words).wait()
            #expect(result.status == 8 && result.errors.contains("so nothing was sent"), "\(result.errors)")
            let way = more == ["--code-from-stdin"] ? "--password-from-stdin" : "--detach"
            #expect(result.errors.contains(/hint: .*/) && result.errors.contains(way), "\(result.errors)")
            expect(try await project.tool.start(words + ["--json"]).wait(), 8, "configuration.unsupported")
        }
        #expect(project.server.log().isEmpty)
        #expect(try await project.run("profiles", "--names").output.isEmpty)
    }

    @Test("--forgot goes with no other way to sign in, and is not for an OAuth service; then nothing is sent")
    func refusals() async throws {
        let project = try Project()
        for other in [["--code"], ["--link"], ["--provider", "github"], ["--sign-up"], ["--password"]] {
            let words = project.words(["--forgot", "--account", Project.ada, "--json"] + other)
            expect(try await project.tool.start(words).wait(), 2, "usage")
        }
        expect(
            try await Tool().run(
                "login", "--issuer", "http://127.0.0.1:1", "--client-id", "x", "--forgot", "--json"), 2, "usage")
        #expect(project.server.inbox().isEmpty)
    }
}
