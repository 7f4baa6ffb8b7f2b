import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("latchkey supabase password") struct SupabasePasswordTests {
    private static let new = "a new password 1"

    /// Whether this password signs Ada in.
    private func opens(_ password: String, _ project: Project) async throws -> Bool {
        let result = try await Project(sharing: project).login(
            "--account", Project.ada, "--password-from-stdin", input: password + "\n")
        return result.status == 0
    }

    @Test("a script gives the new password, and from then on only that one signs in")
    func script() async throws {
        let project = try Project()
        try await project.signIn()
        let changed = try await project.run(
            "supabase", "password", "--password-from-stdin", "--json", input: Self.new + "\n")
        #expect(changed.status == 0 && changed.json?["changed"]?.bool == true, "\(changed.errors)")
        #expect(!(changed.output + changed.errors).contains(Self.new))
        #expect(try await opens(Self.new, project))
        #expect(try await !opens(Project.password, project))
        #expect(try await project.run("token").status == 0)
    }

    @Test("a weak one is refused with its reasons, the same one too, each with 6; nothing is changed")
    func refused() async throws {
        let project = try Project { $0.passwordLength = 9 }
        try await project.signIn()
        let weak = try await project.run("supabase", "password", "--password-from-stdin", "--json", input: "short\n")
        expect(weak, 6, "refused.passwordNotAccepted", service: "weak_password")
        #expect(weak.errorJSON?["message"]?.string?.contains("length") == true, "\(weak.errors)")
        #expect(weak.errorJSON?["serviceText"]?.string?.contains("9") == true, "\(weak.errors)")
        let same = Project.password + "\n"
        expect(
            try await project.run("supabase", "password", "--password-from-stdin", "--json", input: same), 6,
            "refused.passwordNotAccepted", service: "same_password")
        expect(try await project.run("supabase", "password", "--password-from-stdin", "--json"), 2, "usage")
        let none = try await project.run("supabase", "password")
        #expect(none.status == 2 && none.errors.contains("--password-from-stdin"), "\(none.errors)")
        #expect(try await opens(Project.password, project))
    }

    @Test("at a terminal a weak one is told and asked for again, twice and hidden")
    func terminal() async throws {
        let (project, terminal) = (try Project(), try TestTerminal(columns: 120, rows: 40))
        try await project.signIn()
        let child = try project.tool.start(["supabase", "password"], at: terminal)
        for (count, typed) in [(1, "short"), (2, Self.new)] {
            try await terminal.wait {
                terminal.screen().ranges(of: "New password: ").count == count && !terminal.echoes
            }
            terminal.type(typed + "\n")
            try await terminal.wait {
                terminal.screen().ranges(of: "Once more: ").count == count && !terminal.echoes
            }
            terminal.type(typed + "\n")
        }
        #expect(try await child.wait().status == 0, "\(terminal.screen())")
        #expect(terminal.screen().contains("too weak") && !terminal.screen().contains(Self.new))
        #expect(try await opens(Self.new, project))
    }

    @Test("the current one is given on the next line where the service wants it, and a hint says so")
    func current() async throws {
        let project = try Project { $0.needsCurrentPassword = true }
        try await project.signIn()
        let without = try await project.run("supabase", "password", "--password-from-stdin", input: Self.new + "\n")
        #expect(without.status == 6, "\(without.errors)")
        let hint = "latchkey supabase password --password-from-stdin --current-password-from-stdin"
        #expect(without.errors.contains(hint), "\(without.errors)")
        let words = ["supabase", "password", "--password-from-stdin", "--current-password-from-stdin", "--json"]
        expect(
            try await project.tool.start(words, input: "\(Self.new)\nwrong\n").wait(), 6, "refused.wrongInput",
            service: "current_password_invalid")
        let right = try await project.tool.start(words, input: "\(Self.new)\n\(Project.password)\n").wait()
        #expect(right.status == 0, "\(right.errors)")
        #expect(try await opens(Self.new, project))
    }

    @Test("a code by mail is sent and asked for at a terminal, after a current one that was wrong")
    func everything() async throws {
        let project = try Project {
            $0.needsCurrentPassword = true
            $0.reauthenticationAge = 0
        }
        try await project.signIn()
        let terminal = try TestTerminal(columns: 120, rows: 40)
        let child = try project.tool.start(["supabase", "password"], at: terminal)
        for question in ["New password: ", "Once more: ", "Current password: "] {
            try await terminal.wait { terminal.screen().contains(question) && !terminal.echoes }
            terminal.type((question.hasPrefix("Current") ? "wrong" : Self.new) + "\n")
        }
        try await terminal.wait {
            terminal.screen().ranges(of: "Current password: ").count == 2 && !terminal.echoes
        }
        terminal.type(Project.password + "\n")
        try await terminal.wait { terminal.screen().contains("Code sent to ada@example.test") }
        terminal.type(try project.code() + "\n")
        #expect(try await child.wait().status == 0, "\(terminal.screen())")
        #expect(try await opens(Self.new, project))
    }

    @Test("a script has the code sent by reauthenticate, and gives it with the next command; a wrong one is refused")
    func nonce() async throws {
        let project = try Project { $0.reauthenticationAge = 0 }
        try await project.signIn()
        let without = try await project.run("supabase", "password", "--password-from-stdin", input: Self.new + "\n")
        #expect(without.status == 6 && without.errors.contains("latchkey supabase reauthenticate"), "\(without.errors)")
        let sent = try await project.run("supabase", "reauthenticate", "--json")
        #expect(sent.json?["sentTo"]?.string == Project.ada, "\(sent.errors)")
        let words = ["supabase", "password", "--password-from-stdin", "--code-from-stdin", "--json"]
        expect(
            try await project.tool.start(words, input: "\(Self.new)\n000000\n").wait(), 6, "refused.wrongInput",
            service: "reauthentication_not_valid")
        let right = try await project.tool.start(words, input: "\(Self.new)\n\(try project.code())\n").wait()
        #expect(right.status == 0, "\(right.errors)")
        #expect(try await opens(Self.new, project))
    }

    @Test("of two people in one profile, the named one's password changes and the other's stays")
    func twoPeople() async throws {
        let project = try Project()
        try await project.signIn()
        let grace = try await project.login(
            "--account", "grace@example.test", "--password-from-stdin", input: "grace-password\n")
        try #require(grace.status == 0, "\(grace.errors)")
        let changed = try await project.run(
            "supabase", "password", "--account", Project.ada, "--password-from-stdin", input: Self.new + "\n")
        #expect(changed.status == 0, "\(changed.errors)")
        #expect(try await opens(Self.new, project))
        let other = try await Project(sharing: project).login(
            "--account", "grace@example.test", "--password-from-stdin", input: "grace-password\n")
        #expect(other.status == 0, "\(other.errors)")
    }

    @Test("a factor that must be proven first is named, with the command for the same person, and nothing is changed")
    func factor() async throws {
        let project = try Project()
        try await project.signIn()
        _ = try await project.enroll()
        // Another program that signs in with the password alone, and whose session is taken over.
        let address = project.server.supabaseURL + "/auth/v1/token?grant_type=password"
        var request = TransportRequest("POST", address, fields: ["apikey": Project.key])
        request.fields.add("Content-Type", "application/json")
        request.body = JSON.object(["email": .string(Project.ada), "password": .string(Project.password)]).serialized()
        let body = try await CurlTransport().send(request, deadline: .seconds(20)).body
        let low = try Project(sharing: project)
        let login = try await low.login("--with-token", input: String(decoding: body, as: UTF8.self))
        try #require(login.status == 0, "\(login.errors)")
        let words = ["supabase", "password", "--password-from-stdin", "--account", Project.ada]
        let changed = try await low.tool.start(words, input: Self.new + "\n").wait()
        #expect(changed.status == 6, "\(changed.errors)")
        let hint = "latchkey supabase factors verify --account \(Project.ada)"
        #expect(changed.errors.contains(hint), "\(changed.errors)")
        #expect(try await low.run("token").status == 0)
    }
}
