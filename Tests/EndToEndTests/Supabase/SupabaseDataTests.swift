import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("latchkey supabase metadata, claims, passkeys, provider-token and open") struct SupabaseDataTests {
    @Test("metadata is set as text or JSON, removed by null, and shown; other words are refused")
    func metadata() async throws {
        let project = try Project()
        try await project.signIn()
        let set = try await project.run("supabase", "metadata", "city=Paris = x", "age:=36", "--json")
        #expect(set.json?["metadata"]?["city"]?.string == "Paris = x", "\(set.errors)")
        #expect(set.json?["metadata"]?["age"]?.integer == 36)
        #expect(try await project.run("supabase", "metadata").output.contains("city"))
        let gone = try await project.run("supabase", "metadata", "city:=null", "--json")
        #expect(gone.json?["metadata"]?["city"] == nil && gone.json?["metadata"]?["age"]?.integer == 36)
        for word in ["city", "=Paris", ":=1", "age:={", "age:=1,2"] {
            expect(try await project.run("supabase", "metadata", word, "--json"), 2, "usage")
        }
    }

    @Test("claims are checked and shown, without the token")
    func claims() async throws {
        let project = try Project()
        try await project.signIn()
        let token = try await project.run("token").line
        let shown = try await project.run("supabase", "claims", "--json")
        #expect(shown.json?["claims"]?["email"]?.string == Project.ada, "\(shown.errors)")
        #expect(try await project.run("supabase", "claims").output.contains("ada@example.test"))
        #expect(!shown.output.contains(token))
    }

    @Test("passkeys are listed; one that is not there is neither renamed nor removed")
    func passkeys() async throws {
        let project = try Project()
        try await project.signIn()
        #expect(try await project.run("supabase", "passkeys", "--json").json?["passkeys"]?.array?.isEmpty == true)
        #expect(try await project.run("supabase", "passkeys").output == "There are no passkeys.\n")
        let id = "11111111-2222-4333-8444-555555555555"
        for words in [["rename", id, "mine"], ["remove", id]] {
            let result = try await project.tool.start(["supabase", "passkeys"] + words + ["--json"]).wait()
            #expect(result.status == 6 && result.output.isEmpty, "\(result.errors)")
        }
        for words in [["rename", id], ["remove"], ["add"]] {
            expect(try await project.tool.start(["supabase", "passkeys"] + words + ["--json"]).wait(), 2, "usage")
        }
    }

    @Test("the identity provider's token is printed alone after a sign-in there, and is not there after another")
    func providerToken() async throws {
        let project = try Project()
        try await project.signIn()
        expect(try await project.run("supabase", "provider-token", "--json"), 6, "refused.other")
        expect(try await project.run("supabase", "provider-token", "id", "--json"), 2, "usage")
        let social = try Project(sharing: project)
        let child = try social.tool.start(social.words(["--provider", "github", "--no-browser"]))
        _ = try await Project.follow(try await child.find(/(http:\/\/127\.0\.0\.1:\d+\/\S+)/))
        try #require(try await child.wait().status == 0)
        #expect(try await social.run("supabase", "provider-token").line.hasPrefix("at-"))
        let refresh = try await social.run("supabase", "provider-token", "refresh", "--json")
        #expect(refresh.json?["token"]?.string?.hasPrefix("rt-") == true, "\(refresh.errors)")
    }

    @Test("the link of a change of the address is opened from standard input, never from an argument")
    func open() async throws {
        let project = try Project { $0.needsBothAddresses = false }
        try await project.signIn()
        #expect(try await project.run("supabase", "email", "new@example.test").status == 0)
        let mail = try #require(project.server.inbox(of: "new@example.test").last?.link)
        let visit = try await CurlTransport().send(TransportRequest("GET", mail), deadline: .seconds(20))
        let place = try #require(visit.fields["Location"])
        expect(try await project.run("supabase", "open", place, "--json"), 2, "usage")
        let none = try await project.run("supabase", "open")
        #expect(none.status == 8 && none.errors.contains("--redirect-from-stdin"), "\(none.errors)")
        let opened = try await project.run(
            "supabase", "open", "--redirect-from-stdin", "--json", input: place + "\n")
        #expect(opened.json?["opened"]?.string == "addressChanged", "\(opened.output)\(opened.errors)")
        #expect(try await project.run("whoami", "--json").json?["email"]?.string == "new@example.test")
        let again = try await project.run("supabase", "open", "--redirect-from-stdin", "--json", input: "nonsense\n")
        #expect(again.status > 2 && again.errorJSON?["code"] != nil && again.output.isEmpty, "\(again.errors)")
    }

    @Test("the link of a person who is not signed in here signs nobody in, and leaves who is")
    func strangersLink() async throws {
        let project = try Project { $0.needsBothAddresses = false }
        try await project.signIn()
        let stranger = try Project(sharing: project)
        let login = try await stranger.login(
            "--account", "grace@example.test", "--password-from-stdin", input: "grace-password\n")
        try #require(login.status == 0, "\(login.errors)")
        #expect(try await stranger.run("supabase", "email", "new@example.test").status == 0)
        let mail = try #require(project.server.inbox(of: "new@example.test").last?.link)
        let visit = try await CurlTransport().send(TransportRequest("GET", mail), deadline: .seconds(20))
        let place = try #require(visit.fields["Location"])
        let opened = try await project.run("supabase", "open", "--redirect-from-stdin", "--json", input: place + "\n")
        expect(opened, 9, "untrusted.subject", service: "session_not_asked_for")
        #expect(try await project.run("accounts", "--names").output == "ada@example.test\n")
    }
}
