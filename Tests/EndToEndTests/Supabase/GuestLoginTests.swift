import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("The tool signs in as a guest of a Supabase project") struct GuestLoginTests {
    @Test("a guest has a name in each language, by which --account finds the account too")
    func name() async throws {
        let project = try Project()
        let login = try await project.login("--guest")
        let found = login.output.firstMatch(of: /^Signed in as guest ([0-9a-f]{8}) \(profile default\)\./)
        let short = String(try #require(found, "\(login.output)\(login.errors)").1)
        #expect(try await project.run("accounts").output.contains("guest \(short)"))
        #expect(try await project.run("status").output.contains("guest \(short)"))
        #expect(try await project.run("whoami").output.contains("guest \(short)"))
        #expect(try await project.run("whoami", "--refresh", "--json").json?["label"]?.string == "guest \(short)")
        let french = try await project.tool.start(["accounts"], environment: ["LANG": "fr_FR.UTF-8"]).wait()
        #expect(french.output.contains("invité \(short)"), "\(french.output)")
        for word in ["guest \(short)", "invité \(short)"] {
            #expect(try await project.run("token", "--account", word).status == 0)
        }
        #expect(try await project.run("token", "--account", "guest").status == 3)
    }

    @Test("a guest who gets an address is shown by it from the next refresh on, in the same account")
    func upgrade() async throws {
        let project = try Project { $0.autoconfirms = true }
        #expect(try await project.login("--guest").status == 0)
        let before = try await project.run("whoami", "--json").json?["account"]?.string
        let token = try await project.run("token").line
        var request = TransportRequest("PUT", "\(project.server.supabaseURL)/auth/v1/user")
        request.fields["apikey"] = Project.key
        request.fields["Authorization"] = "Bearer \(token)"
        request.fields["Content-Type"] = "application/json"
        request.body = Array(#"{"email":"new@example.test"}"#.utf8)
        let changed = try await CurlTransport().send(request, deadline: .seconds(20))
        try #require(changed.status == 200)
        // It leads to the project's own site at the end, which is not there.
        let link = try #require(project.server.inbox(of: "new@example.test").last?.link)
        _ = try? await Project.follow(link)
        #expect(try await project.run("refresh").status == 0)
        #expect(try await project.run("accounts").output.contains("new@example.test"))
        let after = try await project.run("whoami", "--json").json
        #expect(after?["label"]?.string == "new@example.test" && after?["account"]?.string == before)
    }

    @Test("what a guest has not got, another service, and a project that takes none are refused with the reason")
    func refusals() async throws {
        let project = try Project { $0.allowsAnonymous = false }
        expect(
            try await project.login("--guest", "--json"), 8, "configuration.unsupported",
            service: "anonymous_provider_disabled")
        for other in [["--account", Project.ada], ["--code"], ["--password"], ["--sign-up"], ["--forgot"]] {
            expect(try await project.tool.start(project.words(["--guest", "--json"] + other)).wait(), 2, "usage")
        }
        expect(
            try await Tool().run("login", "--clerk", DevServer.Clerk().publishableKey, "--guest", "--json"), 2, "usage")
        #expect(try await project.run("profiles", "--names").output.isEmpty)
    }

    @Test("a later login without --guest asks who signs in, as before")
    func later() async throws {
        let project = try Project()
        #expect(try await project.login("--guest").status == 0)
        let result = try await project.run("login", "--json")
        expect(result, 2, "usage")
        #expect(
            result.errorJSON?["message"]?.string
                == "There is no terminal to ask at for the mail address or telephone number of the account")
    }
}
