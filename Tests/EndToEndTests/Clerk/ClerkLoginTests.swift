import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Proofs
import Testing

@Suite("The tool signs in at a Clerk instance") struct ClerkLoginTests {
    struct Instance {
        let tool: Tool
        let server: DevServer

        init(_ change: (inout DevServer.Clerk) -> Void = { _ in }) throws {
            var configuration = DevServer.Configuration()
            configuration.signing = .es256
            change(&configuration.clerk)
            (tool, server) = (try Tool(), try DevServer(configuration))
        }

        static let ada = "ada+clerk_test@example.test"

        func words(_ more: [String]) -> [String] {
            ["login", "--clerk", DevServer.Clerk().publishableKey, "--proxy-url", server.clerkURL] + more
        }

        func login(_ more: String..., input: String = "ada-password\n") async throws -> Program.Result {
            try await tool.start(words(more), input: input).wait()
        }
    }

    @Test("with a password; every other command works with the session", .complaint(.clerk, 28))
    func whole() async throws {
        let instance = try Instance()
        let tool = instance.tool
        let login = try await instance.login("--account", Instance.ada, "--password-from-stdin")
        #expect(login.output.hasPrefix("Signed in as \(Instance.ada) (profile default)."), "\(login.errors)")
        let status = try await tool.run("status", "--json").json
        // Session tokens are in the memory of the process that asked.
        #expect(status?["service"]?.string == "clerk" && status?["state"]?.string == "stale")
        #expect(try await tool.run("status").output.contains("\(instance.server.clerkURL) (Clerk)"))
        let token = try await tool.run("token").line
        #expect(token.hasPrefix("eyJ"))
        let organization = try await tool.run("token", "--audience", "organization:org_engines")
        #expect(organization.line.hasPrefix("eyJ") && organization.line != token, "\(organization.errors)")
        let template = try await tool.run("token", "--audience", "template:backend", "--json").json
        #expect((template?["expiresInSeconds"]?.integer ?? 0) > 100)
        let doctor = try await tool.run("doctor").output
        #expect(doctor.contains("The instance answers native programs"), "\(doctor)")
        let again = try await tool.run(
            "login", "--account", Instance.ada, "--password-from-stdin", input: "ada-password\n")
        #expect(again.status == 0, "\(again.errors)")
        #expect(try await tool.run("logout").line == "Signed out.")
        #expect(try await tool.run("token").status == 3)
    }

    @Test("a lost password: the code, a new password, and the person is signed in")
    func forgot() async throws {
        let instance = try Instance()
        let login = try await instance.login(
            "--forgot", "--account", Instance.ada, "--code-from-stdin", "--password-from-stdin",
            input: "424242\nanother-password\n")
        #expect(login.output.hasPrefix("Signed in as \(Instance.ada) (profile default)."), "\(login.errors)")
    }

    @Test("the person, the sessions and the organizations, of which one is chosen")
    func desk() async throws {
        let instance = try Instance()
        let tool = instance.tool
        #expect(try await instance.login("--account", Instance.ada, "--password-from-stdin").status == 0)
        let me = try await tool.run("clerk", "me", "--json").json
        #expect(me?["user"]?["emails"]?.array?.first?["value"]?.string == Instance.ada)
        #expect(try await tool.run("clerk", "me").output.contains(Instance.ada))
        let sessions = try await tool.run("clerk", "sessions", "--json").json?["sessions"]?.array ?? []
        #expect(sessions.count == 1 && sessions[0]["current"]?.bool == true)
        #expect(try await tool.run("clerk", "organizations").output.contains("  org_engines  The engines  org:admin"))
        let chosen = try await tool.run("clerk", "organizations", "select", "org_engines")
        #expect(chosen.line == "The session's tokens are for org_engines now.", "\(chosen.errors)")
        #expect(try await tool.run("clerk", "organizations").output.contains("* org_engines"))
        #expect(try await tool.run("clerk", "organizations", "select", "personal").status == 0)
        #expect(try await tool.run("clerk", "organizations").output.contains("  org_engines"))
        #expect(try await tool.run("clerk", "sessions", "end", "sess_none").status == 6)
        #expect(try await tool.run("clerk", "sessions", "end").status == 2)
        #expect(try await tool.run("clerk", "me", "end").status == 2)
        let other = try await tool.run("supabase", "user")
        #expect(other.status == 8 && other.errors.contains("not of a Supabase project"))
    }

    @Test("the person's other sessions end, this one stays, and it is told whose")
    func others() async throws {
        let instance = try Instance()
        let tool = instance.tool
        for name in ["default", "second"] {
            let login = try await instance.login(
                "--account", Instance.ada, "--password-from-stdin", "--profile", name)
            try #require(login.status == 0, "\(login.errors)")
        }
        func sessions() async throws -> Int? {
            try await tool.run("clerk", "sessions", "--profile", "second", "--json").json?["sessions"]?.array?.count
        }
        #expect(try await sessions() == 2)
        let none = try await tool.run("logout", "--others", "--account", "grace@example.test", "--json")
        expect(none, 3, "signInRequired.signedOut")
        expect(try await tool.run("logout", "--others", "--everywhere", "--json"), 2, "usage")
        #expect(try await sessions() == 2)
        let result = try await tool.run("logout", "--others", "--profile", "second")
        #expect(result.line == "Ended the other sessions of \(Instance.ada) (profile second); this one stays.")
        #expect(try await sessions() == 1)
        #expect(try await tool.run("token", "--profile", "second").status == 0)
        #expect(try await tool.run("token", "--profile", "default").status == 3)
        // There is none left: that is no error.
        let again = try await tool.run("logout", "--others", "--profile", "second", "--json")
        #expect(again.json?["result"]?.string == "revoked", "\(again.errors)")
        #expect(try await tool.run("token", "--profile", "second").status == 0)
    }

    @Test("a session that is over ends no other, and a profile without a session ends none")
    func othersRefused() async throws {
        let instance = try Instance()
        for name in ["default", "second", "third"] {
            let login = try await instance.login(
                "--account", Instance.ada, "--password-from-stdin", "--profile", name)
            try #require(login.status == 0, "\(login.errors)")
        }
        #expect(try await instance.tool.run("logout", "--others", "--profile", "third").status == 0)
        for _ in 1...2 {
            let over = try await instance.tool.run("logout", "--others", "--profile", "second", "--json")
            #expect(over.status == 3 && over.errorJSON?["code"]?.string?.hasPrefix("signInRequired") == true)
        }
        #expect(try await instance.tool.run("token", "--profile", "third").status == 0)
        #expect(try await instance.tool.run("logout", "--profile", "third").status == 0)
        let signedOut = try await instance.tool.run("logout", "--others", "--profile", "third", "--json")
        expect(signedOut, 3, "signInRequired.signedOut")
    }

    @Test("a further factor is asked for in another process, and a wrong one can be corrected there")
    func detached() async throws {
        let instance = try Instance { $0.asksForClientTrust = true }
        let begun = try await instance.login(
            "--account", Instance.ada, "--password-from-stdin", "--detach", "--json"
        ).json
        #expect(begun?["kind"]?.string == "code")
        let id = try #require(begun?["challenge"]?.string)
        let wrong = try await instance.tool.run("answer", id, "--code-from-stdin", "--json", input: "000000\n")
        #expect(wrong.status == 6)
        let answer = try await instance.tool.run("answer", id, "--code-from-stdin", input: "424242\n")
        #expect(answer.status == 0 && answer.output.contains(Instance.ada), "\(answer.errors)")
    }

    @Test("--sign-up makes the account in the way that was asked for, or is refused before anything is sent")
    func signUp() async throws {
        let instance = try Instance { $0.requiredFields = ["email_address"] }
        let nia = "nia+clerk_test@example.test"
        let code = try await instance.login(
            "--sign-up", "--code", "--account", nia, "--code-from-stdin", input: "424242\n")
        #expect(code.output.hasPrefix("Signed in as \(nia)"), "\(code.errors)")
        #expect(try await instance.tool.run("logout").status == 0)
        // A person who has an account is not signed in by it.
        let known = try await instance.login(
            "--sign-up", "--code", "--account", Instance.ada, "--code-from-stdin", "--json", input: "424242\n")
        expect(known, 6, "refused.other", service: "form_identifier_exists")
        let password = try await instance.login(
            "--sign-up", "--password", "--account", "ben+clerk_test@example.test", "--password-from-stdin",
            "--code-from-stdin", input: "a long enough password\n424242\n")
        #expect(password.output.hasPrefix("Signed in as ben"), "\(password.errors)")
        // Without a terminal and a way to give the code, none is sent.
        let sent = instance.server.clerkMessages.count
        let blind = try await instance.login("--sign-up", "--code", "--account", "zoe@example.test")
        #expect(blind.status == 8 && instance.server.clerkMessages.count == sent, "\(blind.errors)")
        for way in [["--link", "--code"], ["--code", "--provider", "github"], ["--forgot"]] {
            let words = instance.words(["--sign-up", "--account", "zoe@example.test"] + way)
            #expect(try await instance.tool.start(words).wait().status == 2)
        }
    }

    @Test("a wrong password ends with 6, a key that is none with 8 before anybody is asked")
    func wrong() async throws {
        let instance = try Instance()
        let result = try await instance.login(
            "--account", Instance.ada, "--password-from-stdin", "--json", input: "wrong\n")
        #expect(result.status == 6 && !result.errors.contains("wrong\""))
        let key = try await instance.tool.run("login", "--clerk", "sk_test_abc", "--account", "x")
        #expect(key.status == 8 && key.errors.contains("secret key") && !key.errors.contains("sk_test_abc"))
        let mixed = try await instance.tool.run("login", "--clerk", "pk_test_x", "--supabase", "https://x.supabase.co")
        #expect(mixed.status == 2)
        #expect(try await instance.tool.run("profiles", "--names").output.isEmpty)
    }

    @Test("where native programs are not let in, the tool says what to switch on")
    func native() async throws {
        let instance = try Instance()
        #expect(try await instance.login("--account", Instance.ada, "--password-from-stdin").status == 0)
        instance.server.configureClerk { $0.allowsNative = false }
        let doctor = try await instance.tool.run("doctor").output
        #expect(doctor.contains("The Native API is off"), "\(doctor)")
        let refused = try await instance.login("--account", Instance.ada, "--password-from-stdin")
        #expect(refused.status == 8 && refused.errors.contains("Native API"))
    }
}
