import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

/// What a hint says is typed as it stands, by somebody who has two profiles.
@Suite("the commands that hints name") struct HintProfileTests {
    private let scene: SignedIn

    /// Ada is signed in with the profile `default`, which is the default one, and Grace with `other`.
    init() async throws {
        scene = try await SignedIn({ _ in })
        let other = try await SignedIn.login(scene.tool, scene.server, ["--profile", "other", "--hint", "grace"])
        try #require(other.status == 0, "\(other.errors)")
        #expect(other.errors.contains("it was default: latchkey profiles use default"), "\(other.errors)")
        try #require(try await scene.run("profiles", "use", "default").status == 0)
    }

    /// The command in the hint of `words`, without the program's name.
    private func command(
        of words: [String], status: Int32, environment: [String: String] = [:]
    ) async throws -> [String] {
        let result = try await scene.tool.start(words, environment: environment).wait()
        #expect(result.status == status, "\(words): \(result.errors)")
        let last = try #require(result.errors.matches(of: /latchkey ([a-z][^,;"\n]*)/).last)
        return last.1.split(separator: " ").map(String.init)
    }

    private func isSignedIn(_ profile: String) async throws -> Bool {
        try await scene.run("status", "--profile", profile).status == 0
    }

    @Test("a store that is not wiped without --yes: the sign-out is that of its profile")
    func wipe() async throws {
        let words = try await command(of: ["store", "wipe", "--profile", "other"], status: 2)
        #expect(words == ["logout", "--profile", "other"])
        let logout = try await scene.tool.start(words).wait()
        #expect(
            logout.status == 0 && logout.errors.contains("grace@example.test of the profile other"), "\(logout.errors)")
        #expect(try await isSignedIn("default"))
        #expect(try await !isSignedIn("other"))
        // Of the default profile, the line needs no name.
        #expect(try await command(of: ["store", "wipe"], status: 2) == ["logout"])
    }

    @Test("a log that is not erased without --yes: the copy is that of its profile")
    func erase() async throws {
        let words = try await command(of: ["log", "erase", "--profile", "other"], status: 2)
        #expect(words == ["log", "export", "--profile", "other"])
        #expect(try await scene.tool.start(words).wait().status == 0)
    }

    @Test("a name that is nobody's is an error of the log, and never an empty one or an erasure of nothing")
    func nobody() async throws {
        for words in [["log", "--account", "nobody"], ["log", "erase", "--account", "nobody", "--yes"]] {
            let result = try await scene.tool.start(words).wait()
            #expect(result.status == 8 && result.errors.contains("no line about nobody"), "\(result.errors)")
        }
        #expect(try await scene.run("log", "--account", "ada@example.test").status == 0)
    }

    @Test("an origin that is not allowed: the command allows it to its profile, and keeps those that were allowed")
    func origin() async throws {
        #expect(try await scene.run("profiles", "edit", "other", "--allow-origin", "https://a.example").status == 0)
        let request = ["request", "GET", scene.server.issuer + "/resource", "--profile", "other"]
        let words = try await command(of: request, status: 8)
        #expect(try await scene.tool.start(words).wait().status == 0, "\(words)")
        #expect(try await scene.tool.start(request).wait().status == 0)
        let origins = try await scene.run("profiles", "show", "other", "--json").json?["profiles"]?.array?.first?[
            "allowedOrigins"]
        #expect(origins?.array?.count == 2)
        #expect(try await scene.run("request", "GET", scene.server.issuer + "/resource").status == 8)
    }

    @Test("a session that has ended: the sign-in is that of its profile, also where the command finds it by itself")
    func ended() async throws {
        #expect(try await scene.run("logout", "--profile", "other").status == 0)
        for words in [["token", "--profile", "other"], ["whoami", "--profile", "other"]] {
            #expect(try await command(of: words, status: 3) == ["login", "--profile", "other"])
        }
        // The variable holds for the line that is typed, too.
        let variable = ["LATCHKEY_PROFILE": "other"]
        #expect(try await command(of: ["token"], status: 3, environment: variable) == ["login"])
    }

    @Test("a sign-in that only began leaves the default profile as it is")
    func detached() async throws {
        let begun = try await scene.run(
            "login", "--issuer", scene.server.issuer, "--client-id", "dev-native", "--profile", "third", "--detach")
        #expect(begun.status == 0, "\(begun.errors)")
        #expect(try await scene.run("status", "--json").json?["profile"]?.string == "default")
    }

    @Test("a profile that cannot be read keeps nobody from the challenges of the others, and is named")
    func damaged() async throws {
        let begun = try await scene.run(
            "login", "--issuer", scene.server.issuer, "--client-id", "dev-native", "--profile", "third", "--detach",
            "--json")
        let id = try #require(begun.json?["challenge"]?.string, "\(begun.output)\(begun.errors)")
        let path = "\(scene.configuration)/latchkey/profiles/other.json"
        try SystemFiles().remove(path)
        try SystemFiles().writeNew(path, Array("{".utf8))
        let list = try await scene.run("answer", "--json")
        #expect(
            list.status == 0 && list.json?["challenges"]?.array?.first?["challenge"]?.string == id, "\(list.errors)")
        #expect(list.errors.contains("profile other is passed over"), "\(list.errors)")
    }
}
