import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("latchkey supabase email, phone, confirm and resend") struct SupabaseContactTests {
    private static let new = "ada.new@example.test"

    private func user(_ project: Project) async throws -> JSON? {
        try await project.run("supabase", "user", "--json").json?["user"]
    }

    @Test("both addresses agree at a terminal, after a wrong code, and the session stays")
    func terminal() async throws {
        let (project, terminal) = (try Project(), try TestTerminal(columns: 120, rows: 40))
        try await project.signIn()
        let child = try project.tool.start(["supabase", "email", Self.new], at: terminal)
        try await terminal.wait { terminal.screen().contains("Code sent to \(Self.new): ") }
        terminal.type("000000\n")
        try await terminal.wait { terminal.screen().ranges(of: "Code sent to \(Self.new): ").count == 2 }
        terminal.type(try project.code(Self.new) + "\n")
        try await terminal.wait { terminal.screen().contains("Code sent to \(Project.ada): ") }
        terminal.type(try project.code() + "\n")
        #expect(try await child.wait().status == 0, "\(terminal.screen())")
        #expect(try await user(project)?["email"]?.string == Self.new)
        #expect(project.levels(Self.new).count == 1)
        #expect(try await project.run("refresh").status == 0)
    }

    @Test("other processes confirm one address and then the other; each is told what is still wanted")
    func detached() async throws {
        let project = try Project()
        try await project.signIn()
        let begun = try await project.run("supabase", "email", Self.new, "--json")
        #expect(begun.json?["confirmed"]?.bool == false, "\(begun.errors)")
        #expect(begun.json?["waitingFor"]?.array?.first?.string == Self.new)
        let words = try await project.run("supabase", "confirm", Self.new)
        #expect(words.status == 8 && words.errors.contains("--code-from-stdin"), "\(words.errors)")
        #expect(words.errors.contains(Self.new), "\(words.errors)")
        let wrong = try await project.run(
            "supabase", "confirm", Self.new, "--code-from-stdin", "--json", input: "000000\n")
        expect(wrong, 6, "refused.wrongInput", service: "otp_expired")
        let hint = try await project.run("supabase", "confirm", "--code-from-stdin", input: "000000\n")
        #expect(hint.errors.contains("latchkey supabase resend") && !hint.errors.contains("sign-up"), "\(hint.errors)")
        let half = try await project.run(
            "supabase", "confirm", Self.new, "--code-from-stdin", input: try project.code(Self.new) + "\n")
        #expect(half.output.contains("latchkey supabase confirm \(Project.ada)"), "\(half.output)\(half.errors)")
        #expect(try await user(project)?["email"]?.string == Project.ada)
        let whole = try await project.run(
            "supabase", "confirm", Project.ada, "--code-from-stdin", "--json", input: try project.code() + "\n")
        #expect(whole.json?["confirmed"]?.bool == true && whole.json?["address"]?.string == Self.new, "\(whole.errors)")
        #expect(try await user(project)?["email"]?.string == Self.new)
    }

    @Test("what is not confirmed is sent again, and not before the service's wait is over")
    func resend() async throws {
        let project = try Project()
        try await project.signIn()
        expect(try await project.run("supabase", "resend", "--json"), 6, "refused.other")
        #expect(try await project.run("supabase", "email", Self.new).status == 0)
        let first = try project.code(Self.new)
        let early = try await project.run("supabase", "resend", "--json")
        expect(early, 4, "rateLimited", service: "over_email_send_rate_limit")
        #expect((early.errorJSON?["retryAfterSeconds"]?.integer ?? 0) > 0, "\(early.errors)")
        project.advance(by: 61)
        let sent = try await project.run("supabase", "resend", "--json")
        #expect(sent.json?["sentTo"]?.string == Self.new, "\(sent.errors)")
        #expect(try project.code(Self.new) != first)
        expect(try await project.run("supabase", "resend", "grace@example.test", "--json"), 6, "refused.other")
    }

    @Test("a telephone number is confirmed by its code; words that are none are refused before anything is sent")
    func phone() async throws {
        let project = try Project()
        try await project.signIn()
        for words in [["email", "nobody"], ["email"], ["phone", "ada@example.test"], ["phone", "12"]] {
            expect(try await project.tool.start(["supabase"] + words + ["--json"]).wait(), 2, "usage")
        }
        let begun = try await project.run("supabase", "phone", "+1 555 0100 77")
        #expect(begun.output.contains("latchkey supabase confirm +1555010077"), "\(begun.output)\(begun.errors)")
        project.advance(by: 61)
        #expect(try await project.run("supabase", "resend").output.contains("+1555010077"))
        let done = try await project.run(
            "supabase", "confirm", "--code-from-stdin", input: try project.code("1555010077") + "\n")
        #expect(done.status == 0, "\(done.errors)")
        #expect(try await user(project)?["phone"]?.string == "1555010077")
    }

    @Test("a guest becomes a full user by an address, and stays the same account")
    func guest() async throws {
        let project = try Project()
        let address = project.server.supabaseURL + "/auth/v1/signup"
        var request = TransportRequest("POST", address, fields: ["apikey": Project.key])
        request.fields.add("Content-Type", "application/json")
        request.body = Array("{}".utf8)
        let body = try await CurlTransport().send(request, deadline: .seconds(20)).body
        let login = try await project.login("--with-token", input: String(decoding: body, as: UTF8.self))
        try #require(login.status == 0, "\(login.errors)")
        let before = try await user(project)
        #expect(before?["anonymous"]?.bool == true)
        #expect(try await project.run("supabase", "email", Self.new).status == 0)
        let done = try await project.run(
            "supabase", "confirm", "--code-from-stdin", "--json", input: try project.code(Self.new) + "\n")
        #expect(done.json?["confirmed"]?.bool == true, "\(done.errors)")
        let after = try await user(project)
        #expect(after?["anonymous"]?.bool == false && after?["id"] == before?["id"])
    }

    @Test("of two people in one profile, the named one's address changes, and the other's code is not taken for it")
    func twoPeople() async throws {
        let project = try Project { $0.needsBothAddresses = false }
        try await project.signIn()
        let grace = try await project.login(
            "--account", "grace@example.test", "--password-from-stdin", input: "grace-password\n")
        try #require(grace.status == 0, "\(grace.errors)")
        #expect(try await project.run("supabase", "email", Self.new, "--account", Project.ada).status == 0)
        let code = try project.code(Self.new) + "\n"
        expect(
            try await project.run("supabase", "confirm", Self.new, "--code-from-stdin", "--json", input: code), 6,
            "refused.other")
        let done = try await project.run(
            "supabase", "confirm", Self.new, "--account", Project.ada, "--code-from-stdin", input: code)
        #expect(done.status == 0, "\(done.errors)")
        #expect(try await user(project)?["email"]?.string == "grace@example.test")
        #expect(project.levels(Self.new).count == 1 && project.levels("grace@example.test").count == 1)
    }

    @Test("a taken address, a service that does not answer, and a session that is over end with 6, 4 and 3")
    func refused() async throws {
        let project = try Project()
        try await project.signIn()
        expect(
            try await project.run("supabase", "email", "grace@example.test", "--json"), 6, "refused.other",
            service: "email_exists")
        project.server.revoke(subject: Project.ada)
        expect(
            try await project.run("supabase", "email", Self.new, "--json"), 3, "signInRequired.refused",
            service: "session_not_found")
        let other = try Project()
        try await other.signIn()
        other.server.stop()
        let down = try await other.run("supabase", "email", Self.new, "--json")
        #expect(down.status == 4 && down.output.isEmpty, "\(down.errors)")
    }
}
