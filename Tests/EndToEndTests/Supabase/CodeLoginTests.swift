import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("The tool signs in at a Supabase project with what is sent, or in a browser") struct CodeLoginTests {
    @Test("a code typed at the terminal, after a wrong one")
    func code() async throws {
        let (project, terminal) = (try Project(), try TestTerminal())
        let child = try project.tool.start(project.words(["--code", "--account", Project.ada]), at: terminal)
        let prompt = "Code sent to ada@example.test"
        try await terminal.wait { terminal.screen().contains(prompt) }
        terminal.type("000000x\n")
        try await terminal.wait { terminal.screen().ranges(of: prompt).count == 2 }
        terminal.type("\(try project.code())\n")
        #expect(try await child.wait().status == 0, "\(terminal.screen())")
        #expect(project.server.inbox().count == 1)
    }

    @Test("three wrong codes end with 6, and nobody can answer any more")
    func wrong() async throws {
        let (project, terminal) = (try Project(), try TestTerminal())
        let child = try project.tool.start(project.words(["--code", "--account", Project.ada]), at: terminal)
        for count in 1...3 {
            try await terminal.wait { terminal.screen().ranges(of: "Code sent to").count == count }
            terminal.type("000000x\n")
        }
        #expect(try await child.wait().status == 6)
        #expect(terminal.screen().contains("The code is wrong, was used, or is too old"))
        #expect(try await project.run("answer", "--json").json?["challenges"]?.array?.isEmpty != false)
        #expect(project.levels().isEmpty)
    }

    @Test("another process answers, once; a code that is too old is refused")
    func detached() async throws {
        let project = try Project { $0.resendGap = 0 }
        func begin() async throws -> String {
            let begun = try await project.login("--code", "--account", Project.ada, "--detach", "--json")
            return try #require(begun.json?["challenge"]?.string, "\(begun.errors)")
        }
        let old = try await begin()
        project.advance(by: 3_700)
        let late = try await project.run("answer", old, "--code-from-stdin", "--json", input: try project.code() + "\n")
        expect(late, 6, "refused.wrongInput", service: "otp_expired")
        let id = try await begin()
        let code = try project.code() + "\n"
        #expect(try await project.run("answer", id, "--code-from-stdin", input: code).status == 0)
        expect(try await project.run("answer", id, "--code-from-stdin", "--json", input: code), 6, "refused.expired")
    }

    @Test("a second code within the project's gap ends with 4 and the seconds to wait")
    func tooSoon() async throws {
        let project = try Project()
        #expect(try await project.login("--code", "--account", Project.ada, "--detach").status == 0)
        let result = try await project.login("--code", "--account", Project.ada, "--detach", "--json")
        expect(result, 4, "rateLimited", service: "over_email_send_rate_limit")
        #expect((30...61).contains(result.errorJSON?["retryAfterSeconds"]?.integer ?? 0))
        let words = try await project.login("--code", "--account", Project.ada, "--detach")
        #expect(words.errors.contains(/hint: Try again in (\d+s|1m)/), "\(words.errors)")
    }

    @Test("a text message to a number; nobody gets an account without asking for one")
    func message() async throws {
        let project = try Project()
        // Whether there is an account is not told; the code that is asked for was never sent, and the hint says what to do.
        let unknown = try await project.login("--code", "--account", "+15550100", "--detach", "--json")
        let asked = try #require(unknown.json?["challenge"]?.string, "\(unknown.errors)")
        let wrong = try await project.run("answer", asked, "--code-from-stdin", input: "000000\n")
        #expect(wrong.status == 6 && wrong.errors.contains("--sign-up"), "\(wrong.errors)")
        #expect(project.server.inbox().isEmpty)
        let begun = try await project.login("--code", "--sign-up", "--account", "+15550100", "--detach", "--json")
        let id = try #require(begun.json?["challenge"]?.string, "\(begun.errors)")
        let answered = try await project.run(
            "answer", id, "--code-from-stdin", input: try project.code("15550100") + "\n")
        #expect(answered.output.hasPrefix("Signed in as +15550100 (profile default)."), "\(answered.errors)")
    }

    @Test("a link that is opened on this machine comes back by itself, with a terminal and without")
    func link() async throws {
        let project = try Project { $0.resendGap = 0 }
        let child = try project.tool.start(project.words(["--link", "--account", Project.ada]))
        _ = try await child.find(/(A link was sent to ada@example\.test)/)
        _ = try await Project.follow(try #require(project.server.inbox().last?.link))
        #expect(try await child.wait().status == 0)

        let terminal = try TestTerminal()
        let before = terminal.settings
        let second = try project.tool.start(
            project.words(["--link", "--account", Project.ada, "--profile", "second"]), at: terminal)
        try await terminal.wait {
            terminal.screen().contains("A link was sent to ada@example.test") && !terminal.echoes
        }
        _ = try await Project.follow(try #require(project.server.inbox().last?.link))
        #expect(try await second.wait().status == 0, "\(terminal.screen())")
        #expect(terminal.settings == before)
    }

    @Test("where a link arrived may be given to another process, or the code beside it; a used link may not")
    func linkElsewhere() async throws {
        let project = try Project { $0.resendGap = 0 }
        func begin() async throws -> String {
            let begun = try await project.login("--link", "--account", Project.ada, "--detach", "--json")
            #expect(begun.json?["kind"]?.string == "openedLink")
            return try #require(begun.json?["challenge"]?.string, "\(begun.errors)")
        }
        var id = try await begin()
        let link = try #require(project.server.inbox().last?.link)
        let arrived = try await Project.follow(link, opening: false)
        let first = try await project.run("answer", id, "--redirect-from-stdin", input: arrived + "\n")
        #expect(first.status == 0, "\(first.errors)")
        id = try await begin()
        let used = try await Project.follow(link, opening: false)
        let late = try await project.run("answer", id, "--redirect-from-stdin", "--json", input: used + "\n")
        #expect(late.status == 6, "\(late.errors)")
        id = try await begin()
        let typed = try await project.run("answer", id, "--code-from-stdin", input: try project.code() + "\n")
        #expect(typed.status == 0, "\(typed.errors)")
    }

    @Test("an identity provider in the browser; the profile remembers which")
    func browser() async throws {
        let project = try Project()
        func visit(_ words: [String]) async throws -> Program.Result {
            let child = try project.tool.start(words)
            _ = try await Project.follow(try await child.find(/(http:\/\/127\.0\.0\.1:\d+\/auth\/v1\/authorize\S+)/))
            return try await child.wait()
        }
        let result = try await visit(project.words(["--provider", "github", "--no-browser"]))
        #expect(result.status == 0, "\(result.errors)")
        #expect(try await project.run("logout").status == 0)
        #expect(try await visit(["login", "--no-browser"]).status == 0)
        // One that is switched off is not visited: its page would be raw JSON, and the browser would not come back.
        let off = try await project.login("--provider", "gitlab", "--no-browser", "--json")
        expect(off, 8, "configuration.unsupported", service: "provider_disabled")
    }

    @Test(
        "a browser that comes back with a no, with another's code or with tokens signs nobody in",
        arguments: [
            ("error=access_denied&error_description=no", Int32(6)), ("code=00000000-0000-4000-8000-000000000000", 6),
            ("access_token=x&refresh_token=y&expires_in=3600&token_type=bearer", 9), ("nothing=1", 9),
        ])
    func wrongReturn(_ query: String, _ status: Int32) async throws {
        let project = try Project()
        let child = try project.tool.start(project.words(["--provider", "github", "--no-browser"]))
        let shown = try await child.find(/redirect_to=http%3A%2F%2F127\.0\.0\.1%3A(\d+%2Fcallback%2F[0-9a-f]{32})/)
        let place = "http://127.0.0.1:\(shown.replacing("%2F", with: "/"))"
        // Whoever knows the port alone ends nothing.
        let short = String(place.prefix { $0 != "c" }) + "callback"
        for forged in ["\(short)?\(query)", "\(short)/?\(query)", "\(place)0?\(query)"] {
            #expect(try await Browser().open(forged) == 404)
        }
        _ = try await Browser().open("\(place)?\(query)")
        let result = try await child.wait()
        #expect(result.status == status, "\(result.errors)")
        #expect(project.levels().isEmpty)
        #expect(try await project.run("profiles", "--names").output.isEmpty)
    }
}
