import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@testable import LatchkeyCommand

@Suite("latchkey profiles") struct ProfilesTests {
    @Test("an edited profile allows what was added without a new sign-in, and forgets what is cleared")
    func edit() async throws {
        let scene = try await SignedIn()
        let url = scene.server.issuer + "/resource"
        #expect(try await scene.run("request", url).status == 8)
        let edited = try await scene.run("profiles", "edit", "default", "--allow-origin", scene.server.issuer)
        #expect(edited.status == 0 && edited.output == "Changed the profile default.\n")
        #expect(try await scene.run("request", url).status == 0)
        let shown = try await scene.run("profiles", "show", "default", "--json").json?["profiles"]?.array?.first
        #expect(shown?["allowedOrigins"]?.array?.map(\.string) == [scene.server.issuer])
        #expect(try await scene.run("profiles", "edit", "default", "--clear", "allow-origin").status == 0)
        #expect(try await scene.run("request", url).status == 8)
    }

    @Test("login with nothing but an origin asks the service nothing, and keeps the session")
    func local() async throws {
        let scene = try await SignedIn()
        let before = scene.server.log().count
        let login = try await scene.run("login", "--allow-origin", scene.server.issuer)
        #expect(login.status == 0 && login.output == "Changed the profile default.\n", "\(login.errors)")
        #expect(scene.server.log().count == before)
        #expect(try await scene.run("request", scene.server.issuer + "/resource").status == 0)
    }

    @Test("every request names the tool, after the profile's product, which can be changed and forgotten")
    func product() async throws {
        let scene = try await SignedIn({ _ in }, "--product", "Notes/1.2")
        let own = "latchkey/\(LatchkeyTool.version)"
        #expect(Set(scene.server.log().filter { $0.endpoint == .token }.map(\.agent)) == ["Notes/1.2 \(own)"])
        let shown = try await scene.run("profiles", "show", "default", "--json").json?["profiles"]?.array?.first
        #expect(shown?["product"]?.string == "Notes/1.2")
        #expect(try await scene.run("profiles", "edit", "default", "--clear", "product").status == 0)
        #expect(try await scene.run("refresh").status == 0)
        #expect(scene.server.log().last?.agent == own)
        let refused = try await scene.run("profiles", "edit", "default", "--product", "Notes 1,2")
        #expect(refused.status == 2 && refused.errors.contains("The value of --product is not a name and a version"))
    }

    @Test("a profile remembers for how long the service repeats its answers, and forgets it when that is cleared")
    func reuseInterval() async throws {
        let scene = try await SignedIn({ _ in }, "--reuse-interval", "5s")
        func shown() async throws -> JSON? {
            let profile = try await scene.run("profiles", "show", "default", "--json").json?["profiles"]?.array?.first
            return profile?["reuseInterval"]
        }
        #expect(try await shown()?.number == 5)
        let before = scene.server.log().count
        #expect(try await scene.run("profiles", "edit", "default", "--reuse-interval", "1500ms").status == 0)
        #expect(try await shown()?.number == 1.5)
        #expect(try await scene.run("profiles", "show", "default").output.contains("1500ms"))
        #expect(try await scene.run("profiles", "edit", "default", "--clear", "reuse-interval").status == 0)
        #expect(try await shown() == nil)
        #expect(scene.server.log().count == before)
        let refused = try await scene.run("profiles", "edit", "default", "--reuse-interval", "soon")
        #expect(refused.status == 2 && refused.errors.contains("--reuse-interval"))
    }

    @Test(
        "a profile remembers which audiences are trusted and whether consent is asked for, and forgets what is cleared")
    func trust() async throws {
        let scene = try await SignedIn({ _ in }, "--trust-audience", "project", "--consent", "never")
        func shown() async throws -> JSON? {
            try await scene.run("profiles", "show", "default", "--json").json?["profiles"]?.array?.first
        }
        var profile = try await shown()
        #expect(profile?["trustedAudiences"] == ["project"] && profile?["consent"] == "never")
        let before = scene.server.log().count
        let words = ["--trust-audience", "a", "--trust-audience", "b", "--consent", "always"]
        let edited = try await scene.start(["profiles", "edit", "default"] + words).wait()
        #expect(edited.status == 0, "\(edited.errors)")
        profile = try await shown()
        #expect(profile?["trustedAudiences"] == ["a", "b"] && profile?["consent"] == "always")
        let text = try await scene.run("profiles", "show", "default").output
        #expect(text.contains("a b") && text.contains("always asked for"))
        _ = try await scene.run("profiles", "edit", "default", "--clear", "trust-audience", "--clear", "consent")
        profile = try await shown()
        #expect(profile?["trustedAudiences"] == [] && profile?["consent"] == nil)
        #expect(scene.server.log().count == before)
        let refused = try await scene.run("profiles", "edit", "default", "--consent", "sometimes")
        #expect(refused.status == 2 && refused.errors.contains("The value of --consent is none of"))
    }

    @Test(
        "an edit without a change, or without a profile, is a mistake that changes nothing",
        arguments: [
            (["edit", "default"], 2, "No option says what to change"), (["edit"], 2, "No option says what to change"),
            (["edit", "nobody", "--port", "8000"], 8, "There is no profile \"nobody\""),
            (["edit", "default", "--clear", "name"], 2, "The value of --clear is none of"),
            (["edit", "default", "--allow-origin", "ftp://a.example"], 2, "is not an origin"),
            (["frob"], 2, "The operand ACTION is none of"),
        ])
    func refuses(words: [String], status: Int32, message: String) async throws {
        let scene = try await SignedIn()
        let before = FilesBelow.content(scene.configuration)
        let result = try await scene.start(["profiles"] + words).wait()
        #expect(result.status == status && result.errors.contains(message), "\(result.errors)")
        #expect(FilesBelow.content(scene.configuration) == before)
    }

    @Test("a profile in use is removed by force alone, which ends its session at the service and says so")
    func force() async throws {
        let scene = try await SignedIn()
        let token = try await scene.run("token").line
        let refused = try await scene.run("profiles", "remove", "default")
        #expect(refused.status == 8 && refused.errors.contains("or add --force"))
        let removed = try await scene.run("profiles", "remove", "default", "--force")
        #expect(removed.status == 0, "\(removed.errors)")
        #expect(removed.output == "Removed the profile default. 1 session was ended.\n")
        #expect(await Browser().isAccepted(token, at: scene.server.issuer + "/resource") == false)
        #expect(FilesBelow.list("\(scene.data)/latchkey/default").isEmpty)
        #expect(try await scene.run("status").status == 3)
    }

    @Test("by force a profile goes even where the service is away and a record is damaged; what is lost is told")
    func lost() async throws {
        let scene = try await SignedIn()
        scene.server.stop()
        let away = try await scene.run("profiles", "remove", "default", "--force", "--json")
        #expect(away.status == 0, "\(away.errors)")
        #expect(away.json?["untold"]?.integer == 1 && away.json?["signedOut"]?.integer == 1)
        let other = try await SignedIn()
        for file in FilesBelow.list(other.data) where file.contains("/default/") && file.hasSuffix(".record") {
            try SystemFiles().remove(file)
            try SystemFiles().writeNew(file, Array("nonsense".utf8))
        }
        #expect(try await other.run("profiles", "remove", "default", "--force").status == 0)
        #expect(try await other.run("profiles", "--names").output.isEmpty)
    }

    @Test("a profile whose file is damaged hides no other, and every command says how to go on, which works")
    func damaged() async throws {
        let scene = try await SignedIn()
        let other = ["login", "--profile", "other", "--issuer", scene.server.issuer, "--client-id", "dev-native"]
        #expect(try await scene.start(other + ["--detach"]).wait().status == 0)
        let file = "\(scene.configuration)/latchkey/profiles/default.json"
        try SystemFiles().remove(file)
        try SystemFiles().writeNew(file, Array("{".utf8))
        let removal = "latchkey profiles remove default --force"
        let login = ["login", "--profile", "default", "--issuer", scene.server.issuer, "--client-id", "dev-native"]
        for line in [
            ["profiles"], ["status"], ["token"], ["doctor"], ["logout"], login, ["profiles", "remove", "default"],
        ] {
            let result = try await scene.start(line).wait()
            #expect(result.status == 8 && result.errors.contains(removal), "\(line): \(result.errors)")
            if line == ["profiles"] { #expect(result.output.contains("other")) }
        }
        #expect(!FilesBelow.list("\(scene.data)/latchkey/default").isEmpty)
        let removed = try await scene.run("profiles", "remove", "default", "--force")
        #expect(removed.status == 0 && removed.output.contains("could not be read"), "\(removed.errors)")
        #expect(FilesBelow.list("\(scene.data)/latchkey/default").isEmpty)
        let left = try await scene.run("profiles", "--names")
        #expect(left.status == 0 && left.output == "other\n")
    }
}
