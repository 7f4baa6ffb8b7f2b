import Latchkey
import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("The tool signs in at a Clerk instance, as its dashboard is set", .timeLimit(.minutes(2)))
struct ClerkSettingTests {
    private typealias Instance = ClerkLoginTests.Instance

    private static let ben = "ben+clerk_test@example.test"

    private func instance(_ settings: DevServer.ClerkSetting...) throws -> Instance {
        try Instance { clerk in
            clerk.settings = Set(settings)
            clerk.requiredFields = ["email_address"]
            clerk.users.append(.init(id: "user_ben", email: Self.ben, password: "ben-password"))
        }
    }

    @Test("one session on a client: two people are signed in beside each other, and the same one twice is no error")
    func singleSession() async throws {
        let instance = try instance(.singleSession, .rotation)
        for (who, password) in [
            (Instance.ada, "ada-password"), (Self.ben, "ben-password"), (Instance.ada, "ada-password"),
        ] {
            let login = try await instance.login("--account", who, "--password-from-stdin", input: "\(password)\n")
            #expect(login.output.hasPrefix("Signed in as \(who)"), "\(login.errors)")
        }
        for (who, user) in [(Instance.ada, "user_ada"), (Self.ben, "user_ben")] {
            let token = try await instance.tool.run("token", "--account", who)
            let parts = token.line.split(separator: ".")
            #expect(parts.count == 3, "\(token.errors)")
            #expect(try parts.count < 3 || JSON.parse(Base64URL.decode(parts[1]))["sub"]?.string == user)
        }
        #expect(try await instance.tool.run("logout", "--account", Self.ben).status == 0)
        #expect(try await instance.tool.run("token").status == 0)
    }

    @Test("an instance that wants the previous token gets it, in each new process")
    func sessionMinter() async throws {
        let instance = try instance(.sessionMinter)
        #expect(try await instance.login("--account", Instance.ada, "--password-from-stdin").status == 0)
        for _ in 1...2 {
            let token = try await instance.tool.run("token")
            #expect(token.status == 0, "\(token.errors)")
        }
        let organization = try await instance.tool.run("token", "--audience", "organization:org_engines")
        #expect(organization.status == 0, "\(organization.errors)")
    }

    @Test(
        "an organization that has to be chosen is asked for before anybody is signed in, and again when it is wanted later"
    )
    func pending() async throws {
        let instance = try instance(.chooseOrganization)
        func choose() async throws {
            let begun = try await instance.login(
                "--account", Instance.ada, "--password-from-stdin", "--detach", "--json")
            let id = try #require(begun.json?["challenge"]?.string, "\(begun.errors)")
            #expect(begun.json?["kind"]?.string == "choose")
            let answer = try await instance.tool.run("answer", id, "--choose", "org_engines")
            #expect(answer.status == 0, "\(answer.errors)")
            #expect(try await instance.tool.run("token").status == 0)
        }
        let blind = try await instance.login("--account", Instance.ada, "--password-from-stdin")
        #expect(blind.status != 0)
        #expect(try await instance.tool.run("token").status == 3)
        try await choose()
        // The organization is left, and wanted again.
        instance.server.configureClerk { $0.settings = [] }
        #expect(try await instance.tool.run("clerk", "organizations", "select", "personal").status == 0)
        instance.server.configureClerk { $0.settings = [.chooseOrganization] }
        expect(try await instance.tool.run("token", "--json"), 3, "signInRequired.factorRequired")
        #expect(try await instance.tool.run("status", "--json").json?["account"] != nil)
        try await choose()
    }

    @Test("a browser whose address is not on the instance's list signs in all the same, if the instance says so")
    func allowList() async throws {
        let instance = try instance(.allowList)
        let child = try instance.tool.start(instance.words(["--provider", "github", "--no-browser"]))
        let begin = try await child.find(/(http:\/\/127\.0\.0\.1:\d+\/clerk\/\S+)/)
        let back = try await Browser().destination(of: begin)
        #expect(!back.contains("?"))
        #expect(try await Browser().open(back) == 200)
        let result = try await child.wait()
        #expect(result.status == 0 && result.output.contains(Instance.ada), "\(result.errors)")
    }

    @Test("at an instance without passwords an account is made by a code")
    func passwordless() async throws {
        let instance = try instance(.passwordless)
        let login = try await instance.login(
            "--sign-up", "--code", "--account", "nia+clerk_test@example.test", "--code-from-stdin",
            input: "424242\n")
        #expect(login.output.hasPrefix("Signed in as nia"), "\(login.errors)")
    }

    @Test("a person who signs in only elsewhere is led there, whatever was asked for")
    func elsewhere() async throws {
        let instance = try instance(.ssoOnly)
        let words = instance.words(["--account", "mae@corp.example.test", "--code", "--no-browser"])
        let child = try instance.tool.start(words + ["--code-from-stdin"])
        let begin = try await child.find(/(http:\/\/127\.0\.0\.1:\d+\/clerk\/\S+)/)
        #expect(try await Browser().visit(begin) == 200)
        let result = try await child.wait()
        #expect(result.status == 0 && result.output.contains("mae@corp"), "\(result.errors)")
    }

    @Test("a link signs in, and makes an account where codes do not")
    func link() async throws {
        let instance = try instance(.emailLink)
        for (who, more) in [(Instance.ada, []), ("nia@example.test", ["--sign-up"])] {
            let child = try instance.tool.start(
                instance.words(["--account", who, "--link", "--profile", "p\(more.count)"] + more))
            let link = try await child.find { _, _ in instance.server.clerkMessages.last { $0.to == who }?.link }
            // The message may be there before the tool waits for its link.
            var status = 0
            for _ in 0..<1_000 where status != 200 { status = try await Browser().open(link) }
            let result = try await child.wait()
            #expect(result.status == 0 && result.output.contains(who), "\(result.errors)")
        }
    }
}
