import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("The tool behind a gateway that answers in the project's place") struct ProjectGatewayTests {
    @Test(
        "one page says nothing about the session: the next command sends, and needs no patience",
        arguments: [400, 401, 403, 404, 502])
    func page(_ status: Int) async throws {
        let project = try Project()
        try await project.signIn()
        let begun = ContinuousClock.now
        for _ in 0..<3 {
            // A gateway's word that it got no answer is not believed the first time.
            for _ in 0..<(status == 502 ? 2 : 1) {
                project.server.inject(DevServer.Fault(.html, at: .supabaseToken, status: status))
            }
            let result = try await project.run("refresh", "--json")
            #expect(result.status == 4, "\(result.errors)")
            #expect(!result.errors.contains("refused the session"))
            let before = project.server.log().count
            #expect(try await project.run("refresh").status == 0)
            #expect(project.server.log().count == before + 1)
        }
        #expect(ContinuousClock.now - begun < .seconds(8))
    }

    @Test("a lost answer costs nothing: the command asks again by itself")
    func lost() async throws {
        let project = try Project()
        try await project.signIn()
        for fault in [
            DevServer.Fault(.dropAfterActing, at: .supabaseToken), .init(.html, at: .supabaseToken, status: 502),
        ] {
            project.server.inject(fault)
            #expect(try await project.run("refresh").status == 0)
        }
        #expect(project.levels().count == 1)
    }

    @Test("a script that asks for another code too soon is told so, and by its exit status")
    func resendTooSoon() async throws {
        let project = try Project()
        let begun = try await project.login("--code", "--account", Project.ada, "--detach", "--json")
        let id = try #require(begun.json?["challenge"]?.string, "\(begun.errors)")
        expect(
            try await project.run("answer", id, "--resend", "--json"), 4, "rateLimited",
            service: "over_email_send_rate_limit")
        let right = try await project.run("answer", id, "--code-from-stdin", input: try project.code() + "\n")
        #expect(right.status == 0, "\(right.errors)")
    }

    @Test("an identity provider that the project has switched off is refused at once, and no browser is waited for")
    func switchedOff() async throws {
        let project = try Project()
        let result = try await project.login("--provider", "notion", "--no-browser", "--json")
        expect(result, 8, "configuration.unsupported", service: "provider_disabled")
    }

    @Test("factors without a name are told apart, and what was given up can be proven or removed")
    func unnamedFactors() async throws {
        let project = try Project()
        try await project.signIn()
        for _ in 0..<2 {
            let begun = try await project.run("supabase", "factors", "enroll", "--detach")
            #expect(begun.status == 0, "\(begun.errors)")
        }
        let list = try await project.run("supabase", "factors", "--json").json?["factors"]?.array ?? []
        let names = list.compactMap { $0["name"]?.string }
        #expect(names.count == 2 && Set(names).count == 2, "\(names)")
        #expect(names.allSatisfy { $0.contains(", 20") })
        let words = try await project.run("supabase", "factors")
        let id = try #require(list.first?["id"]?.string)
        #expect(words.errors.contains("to remove it: latchkey supabase factors unenroll \(id)"), "\(words.errors)")
        let taken = try await project.run("supabase", "factors", "enroll", "--detach", "--name", names[0])
        #expect(taken.status == 6 && taken.errors.contains("enroll --name NAME"), "\(taken.errors)")
    }
}
