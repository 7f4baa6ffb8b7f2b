import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("latchkey supabase") struct SupabaseCommandTests {
    @Test("shows the person, in lines and as JSON, without any token")
    func user() async throws {
        let project = try Project()
        try await project.signIn()
        let token = try await project.run("token").line
        let words = try await project.run("supabase", "user")
        #expect(words.status == 0, "\(words.errors)")
        #expect(words.output.contains("email            ada@example.test\n"), "\(words.output)")
        #expect(words.output.contains("identities       email\n") && words.output.contains("further factors  none\n"))
        let json = try await project.run("supabase", "user", "--json")
        #expect(json.json?["user"]?["email"]?.string == Project.ada)
        #expect(json.json?["user"]?["emailConfirmed"]?.bool == true)
        #expect(json.json?["identities"]?.array?.first?["provider"]?.string == "email")
        for output in [words.output, json.output] {
            #expect(!output.contains(token) && !output.contains("eyJ") && !output.contains("token"))
        }
    }

    @Test("enrols an authenticator app at the terminal, by a QR code and its first code, and lists it")
    func enroll() async throws {
        let (project, terminal) = (try Project(), try TestTerminal(columns: 120, rows: 60))
        try await project.signIn()
        let child = try project.tool.start(["supabase", "factors", "enroll", "--name", "phone"], at: terminal)
        try await terminal.wait { terminal.screen().contains("Code of the authenticator app: ") }
        let screen = terminal.screen()
        #expect(screen.contains("Scan this") && screen.contains("\u{1B}[30;47m") && screen.contains("▀"))
        let secret = String(try #require(screen.firstMatch(of: /Or type this into it: ([A-Z2-7]+)/)).1)
        terminal.type("000000\n")
        try await terminal.wait { terminal.screen().ranges(of: "Code of the authenticator app: ").count == 2 }
        terminal.type("\(try project.totp(secret))\n")
        #expect(try await child.wait().status == 0, "\(terminal.screen())")
        #expect(project.levels() == ["aal2"])
        let list = try await project.run("supabase", "factors")
        #expect(list.line.hasSuffix("  totp  phone"), "\(list.output)")
        let json = try await project.run("supabase", "factors", "--json")
        #expect(json.json?["factors"]?.array?.first?["verified"]?.bool == true)
        #expect(!(list.output + json.output).contains(secret))
    }

    @Test("a terminal that is too narrow for the picture gets the text alone")
    func narrow() async throws {
        let (project, terminal) = (try Project(), try TestTerminal(columns: 30, rows: 60))
        try await project.signIn()
        let child = try project.tool.start(["supabase", "factors", "enroll", "--detach"], at: terminal)
        #expect(try await child.wait().status == 0)
        #expect(!terminal.screen().contains("▀") && terminal.screen().contains("Or type this into it: "))
    }

    @Test("a wrong code, one in the wrong form, and a factor that is gone end with 6, and nothing counts as verified")
    func wrongCode() async throws {
        let project = try Project()
        try await project.signIn()
        let begun = try await project.run("supabase", "factors", "enroll", "--detach")
        #expect(begun.output.contains("▀") && begun.output.contains("Prove it within minutes: latchkey supabase"))
        let id = String(try #require(begun.output.firstMatch(of: /factor  (\S+)/)).1)
        expect(
            try await project.run(
                "supabase", "factors", "verify", id, "--code-from-stdin", "--json", input: "000000\n"),
            6, "refused.wrongInput", service: "mfa_verification_failed")
        expect(
            try await project.run("supabase", "factors", "verify", id, "--code-from-stdin", "--json"), 2, "usage")
        expect(
            try await project.run(
                "supabase", "factors", "verify", "no-such-factor", "--code-from-stdin", "--json", input: "0\n"), 6,
            "refused.other")
        #expect(project.levels() == ["aal1"])
        #expect(try await project.run("token").status == 0)
    }

    @Test("a verified factor is removed, which lowers the session; one that is gone, and no one, are refused")
    func unenroll() async throws {
        let project = try Project()
        try await project.signIn()
        let (factor, _) = try await project.enroll()
        #expect(project.levels() == ["aal2"])
        #expect(try await project.run("supabase", "factors", "unenroll", factor).status == 0)
        #expect(try await project.run("supabase", "factors", "--json").json?["factors"]?.array?.isEmpty == true)
        #expect(project.levels() == ["aal1"])
        expect(
            try await project.run("supabase", "factors", "unenroll", factor, "--json"), 6, "refused.expired",
            service: "mfa_factor_not_found")
        expect(try await project.run("supabase", "factors", "unenroll", "--json"), 2, "usage")
    }

    @Test("links an identity in a browser and removes it; the last one stays")
    func identities() async throws {
        let project = try Project()
        try await project.signIn()
        let child = try project.tool.start(["supabase", "identities", "link", "github", "--no-browser"])
        _ = try await Project.follow(try await child.find(/(http:\/\/127\.0\.0\.1:\d+\/\S+)/))
        let linked = try await child.wait()
        #expect(linked.line == "Linked github.", "\(linked.errors)")
        #expect(project.levels().count == 1)
        let list = try await project.run("supabase", "identities", "--json").json?["identities"]?.array ?? []
        #expect(Set(list.compactMap { $0["provider"]?.string }) == ["email", "github"])
        let id = try #require(list.first { $0["provider"]?.string == "github" }?["id"]?.string)
        #expect(try await project.run("supabase", "identities", "unlink", id).status == 0)
        let last = try #require(list.first { $0["provider"]?.string == "email" }?["id"]?.string)
        expect(
            try await project.run("supabase", "identities", "unlink", last, "--json"), 6, "refused.other",
            service: "single_identity_not_deletable")
        #expect(try await project.run("supabase", "identities").output.hasPrefix("\(last)  email"))
    }

    @Test("a linked identity is in the security log as one: no sign-in, and no sign-out is left owed")
    func linkIsTold() async throws {
        let project = try Project()
        try await project.signIn()
        let child = try project.tool.start(["supabase", "identities", "link", "github", "--no-browser"])
        _ = try await Project.follow(try await child.find(/(http:\/\/127\.0\.0\.1:\d+\/\S+)/))
        #expect(try await child.wait().status == 0)
        let log = try await project.run("log", "--json").json?["entries"]?.array ?? []
        let actions = log.compactMap { $0["action"]?.string }
        #expect(actions.filter { $0 == "signIn" || $0 == "signedIn" }.count == 2, "\(actions)")
        #expect(actions.filter { $0 == "link" }.count == 1, "\(actions)")
        let status = try await project.run("status", "--json")
        #expect(status.json?["pendingRevocations"] == 0, "\(status.output)")
    }

    @Test("a session that was ended elsewhere is ended here, and asks for a login")
    func revoked() async throws {
        let project = try Project()
        try await project.signIn()
        project.server.revoke(subject: Project.ada)
        expect(
            try await project.run("supabase", "user", "--json"), 3, "signInRequired.refused",
            service: "session_not_found")
        expect(try await project.run("token", "--json"), 3, "signInRequired.refused")
    }

    @Test("for a profile of another service, with nobody signed in, and with words it does not know, it refuses")
    func refusals() async throws {
        let signedIn = try await SignedIn()
        expect(try await signedIn.run("supabase", "user", "--json"), 8, "configuration.unsupported")
        expect(try await Tool().run("supabase", "user", "--json"), 3, "signInRequired.signedOut")
        let project = try Project()
        try await project.signIn()
        for words in [
            ["user", "enroll"], ["factors", "link"], ["identities", "verify"], ["secrets"], ["factors", "x"],
        ] {
            expect(try await project.tool.start(["supabase"] + words + ["--json"]).wait(), 2, "usage")
        }
        #expect(try await project.run("logout").status == 0)
        expect(try await project.run("supabase", "user", "--json"), 3, "signInRequired.signedOut")
    }
}
