import Latchkey
import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("The tool's profiles of Supabase projects") struct ProjectProfileTests {
    private func jwt(_ role: String) -> String {
        let part = { (text: String) in Base64URL.encode(Array(text.utf8)) }
        return "\(part(#"{"alg":"HS256","typ":"JWT"}"#)).\(part("{\"role\":\"\(role)\",\"iss\":\"supabase\"}")).c2ln"
    }

    @Test("a secret key is refused before anything is sent or kept, and is not repeated")
    func secretKey() async throws {
        let tool = try Tool()
        let project = try Project(tool)
        for key in ["sb_secret_abcdefgh", jwt("service_role")] {
            let result = try await tool.run(
                "login", "--supabase", project.server.supabaseURL, "--key", key, "--account", Project.ada,
                "--password-from-stdin", "--json", input: "\(Project.password)\n")
            expect(result, 8, "configuration.invalid")
            #expect(result.errorJSON?["message"]?.string?.contains("secret one") == true)
            #expect(!result.errors.contains(key))
        }
        #expect(project.server.log().isEmpty)
        #expect(FilesBelow.list(tool.folder.path).isEmpty)
    }

    @Test("a wrong key, a wrong address and a paused project are told apart, and no profile is made")
    func wrongPlace() async throws {
        let project = try Project()
        func login(_ url: String, _ key: String) async throws -> Program.Result {
            try await project.run(
                "login", "--supabase", url, "--key", key, "--account", Project.ada, "--password-from-stdin", "--json",
                input: "\(Project.password)\n")
        }
        let url = project.server.supabaseURL
        expect(try await login(url, "sb_publishable_other"), 8, "configuration.clientRefused")
        expect(try await login(url, jwt("anon")), 8, "configuration.clientRefused")
        expect(try await login(url + "/elsewhere", Project.key), 4, "serviceTrouble")
        expect(try await login("http://project.example.test", Project.key), 2, "usage")
        project.server.inject(DevServer.Fault(.status, at: .supabaseToken, status: 540))
        let paused = try await login(url, Project.key)
        expect(paused, 4, "serviceTrouble")
        #expect(paused.errorJSON?["message"]?.string == "The project is paused")
        project.server.inject(DevServer.Fault(.html, at: .supabaseToken, status: 502))
        expect(try await login(url, Project.key), 4, "serviceTrouble")
        #expect(try await project.run("profiles", "--names").output.isEmpty)
        project.server.stop()
        expect(try await login(url, Project.key), 4, "offline.signIn")
    }

    @Test("the address may be copied with its slash or path, and the same project is the same profile")
    func spellings() async throws {
        let project = try Project()
        for ending in ["", "/", "/auth/v1", "/auth/v1/"] {
            let result = try await project.run(
                "login", "--supabase", project.server.supabaseURL + ending, "--key", Project.key, "--account",
                Project.ada, "--password-from-stdin", input: "\(Project.password)\n")
            #expect(result.status == 0, "\(result.errors)")
        }
        let profiles = try await project.run("profiles", "--json").json?["profiles"]?.array
        #expect(profiles?.count == 1)
        #expect(profiles?.first?["issuer"]?.string == project.server.supabaseURL)
        #expect(profiles?.first?["service"]?.string == "supabase")
        #expect(profiles?.first?["method"]?.string == "password")
    }

    @Test("a new key replaces the old one and signs nobody out; the project needs no second naming")
    func newKey() async throws {
        let project = try Project()
        try await project.signIn()
        project.server.configure { $0.supabase.publishableKey = "sb_publishable_new" }
        expect(try await project.run("refresh", "--json"), 8, "configuration.clientRefused")
        #expect(try await project.run("refresh").errors.contains("latchkey profiles edit --key KEY"))
        expect(try await project.run("profiles", "edit", "--key", "sb_secret_x", "--json"), 8, "configuration.invalid")
        #expect(try await project.run("profiles", "edit", "--key", "sb_publishable_new").status == 0)
        let before = project.server.log().count
        #expect(try await project.run("refresh").status == 0)
        #expect(project.server.log().count == before + 1)
        let result = try await project.run(
            "login", "--key", "sb_publishable_new", "--account", Project.ada, "--password-from-stdin",
            input: "\(Project.password)\n")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try await project.run("refresh").status == 0)
    }

    @Test("projects and OAuth services live side by side, each with its own sessions")
    func sideBySide() async throws {
        let tool = try Tool()
        let (first, second) = (try Project(tool), try Project(tool))
        try await first.signIn("--profile", "first")
        try await second.signIn("--profile", "second")
        try await SignedIn.login(tool, first.server, ["--profile", "oauth"])
        let tokens = try await [
            tool.run("token", "--profile", "first").line, tool.run("token", "--profile", "second").line,
            tool.run("token", "--profile", "oauth").line,
        ]
        #expect(Set(tokens).count == 3)
        #expect(try await tool.run("logout", "--profile", "first").status == 0)
        #expect(try await tool.run("token", "--profile", "first").status == 3)
        #expect(try await tool.run("token", "--profile", "second").line == tokens[1])
        #expect(try await tool.run("token", "--profile", "oauth").line == tokens[2])
        #expect(first.levels().isEmpty && second.levels() == ["aal1"])
        let elsewhere = try await tool.run(
            "login", "--json", "--profile", "second", "--supabase", first.server.supabaseURL, "--key", Project.key)
        expect(elsewhere, 8, "configuration.changed")
        let oauth = try await tool.run(
            "login", "--json", "--profile", "second", "--issuer", first.server.issuer, "--client-id", "dev-native")
        expect(oauth, 8, "configuration.changed")
    }

    @Test("a token goes to the project itself and to no other place")
    func origins() async throws {
        let project = try Project()
        try await project.signIn()
        expect(
            try await project.run("request", "GET", "https://api.example.test/x", "--json"), 8, "configuration.invalid")
        let other = try Project()
        expect(
            try await project.run("request", "GET", "\(other.server.supabaseURL)/auth/v1/user", "--json"), 8,
            "configuration.invalid")
        #expect(other.server.log().isEmpty)
    }

    @Test(
        "options that do not go together are a wrong command line, and nothing is sent",
        arguments: [
            ["--password", "--code"], ["--code", "--link"], ["--code", "--password-from-stdin"],
            ["--provider", "github", "--sign-up"], ["--issuer", "https://id.example"], ["--client-id", "x"],
            ["--device"], ["--audience", "x"], ["--ask-client-secret"],
        ])
    func conflicts(_ words: [String]) async throws {
        let project = try Project()
        let result = try await project.tool.start(project.words(["--account", Project.ada, "--json"] + words)).wait()
        expect(result, 2, "usage")
        #expect(project.server.log().isEmpty)
    }

    @Test("without a project, what is for Supabase is refused, and a project without a key too")
    func halfNamed() async throws {
        let tool = try Tool()
        expect(try await tool.run("login", "--json", "--key", "x"), 2, "usage")
        expect(try await tool.run("login", "--json", "--code", "--issuer", "https://a", "--client-id", "x"), 2, "usage")
        expect(try await tool.run("login", "--json", "--supabase", "https://a.supabase.co"), 2, "usage")
    }

    @Test("a profile of a kind that this version does not know is shown, used for nothing, and kept as it is")
    func unknownService() async throws {
        let project = try Project()
        try await project.signIn("--profile", "known")
        let path = "\(project.tool.configuration)/latchkey/profiles/later.json"
        let text = #"{"version":1,"service":"telepathy","issuer":"https://a","client_id":"b","waves":[1]}"#
        try SystemFiles().writeNew(path, Array(text.utf8))
        for command in [
            ["status"], ["token"], ["refresh"], ["logout"], ["doctor"], ["supabase", "user"], ["accounts"],
        ] {
            let result = try await project.tool.start(command + ["--json", "--profile", "later"]).wait()
            expect(result, 7, "store.newerVersion")
            #expect(result.errorJSON?["message"]?.string?.contains("telepathy") == true)
        }
        for words in [
            project.words(["--account", Project.ada]),
            ["login", "--issuer", project.server.issuer, "--client-id", "dev-native"],
        ] {
            let result = try await project.tool.start(words + ["--json", "--profile", "later"]).wait()
            expect(result, 7, "store.newerVersion")
        }
        expect(try await project.run("profiles", "--json", "--remove", "later"), 7, "store.newerVersion")
        #expect(try await project.run("profiles", "--names").output == "known\nlater\n")
        #expect(try await project.run("answer", "--json").status == 0)
        #expect(try SystemFiles().read(path, limit: 1 << 20) == Array(text.utf8))
    }

    @Test("doctor looks at the project: all well, a wrong key, a paused project, no project, nobody there")
    func doctor() async throws {
        let project = try Project()
        try await project.signIn()
        func verdicts() async throws -> (Int32, [String]) {
            let result = try await project.run("doctor", "--json")
            let checks = result.json?["checks"]?.array ?? []
            return (
                result.status,
                checks.suffix(3).map { "\($0["check"]?.string ?? "?") \($0["verdict"]?.string ?? "?")" }
            )
        }
        #expect(try await verdicts() == (0, ["tls ok", "discovery ok", "clock ok"]))
        project.server.configure { $0.clockSkew = 86_400 }
        #expect(try await verdicts() == (0, ["tls ok", "discovery ok", "clock warn"]))
        project.server.configure { $0.clockSkew = 0 }
        for (status, verdict) in [(540, Int32(4)), (503, 4), (429, 4), (404, 8), (301, 8)] {
            project.server.inject(DevServer.Fault(.status, at: .supabaseDiscovery, status: status))
            #expect(try await verdicts() == (verdict, ["revocations ok", "tls ok", "discovery fail"]), "\(status)")
        }
        project.server.configure { $0.supabase.publishableKey = "sb_publishable_new" }
        #expect(try await verdicts() == (8, ["revocations ok", "tls ok", "discovery fail"]))
        let words = try await project.run("doctor")
        #expect(
            words.output.contains("fail discovery    The publishable key is not accepted for this project"),
            "\(words.output)")
        project.server.stop()
        #expect(try await verdicts().0 == 4)
    }
}
