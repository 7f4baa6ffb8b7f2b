import Latchkey
import LatchkeyJSON
import Testing

@testable import LatchkeyCommand

@Suite("Profiles") struct ProfileStoreTests {
    private let folder = TemporaryFolder()

    private func store() throws -> ProfileStore {
        try ProfileStore(environment: ["XDG_CONFIG_HOME": folder.path], world: .system)
    }

    private func path(_ name: String) -> String { "\(folder.path)/latchkey/profiles/\(name).json" }

    private static let work = Profile(
        name: "work", issuer: "https://id.example", clientID: "notes", clientSecret: .file("/run/secret"),
        sendsSecretInBody: true, audiences: ["https://api.example"],
        scopes: ["openid", "mail"], redirectPort: 8_080, method: .device, unknown: ["later": ["x": 1]])

    @Test("what is saved is found again, members of later versions included")
    func roundTrip() throws {
        let store = try store()
        let receiver = SecretReceiver(parties: ["https://id.example", "notes"])
        for secret in [Profile.ClientSecret.none, .environment(for: receiver), .prompt, .file("/a b")] {
            var profile = Self.work
            profile.clientSecret = secret
            try store.save(profile)
            #expect(try store.profile("work") == profile)
        }
        #expect(try store.names() == ["work"])
        #expect(try store.profile("home") == nil)
    }

    @Test("the environment's secret of an older version's profile is for the service and the client that it names")
    func olderSecret() throws {
        let store = try store()
        let text = #"{"version":1,"issuer":"https://a","client_id":"b","client_secret":{"from":"environment"}}"#
        try store.save(Self.work)
        try SystemFiles().remove(path("work"))
        try SystemFiles().writeNew(path("work"), Array(text.utf8))
        #expect(
            try store.profile("work")?.clientSecret == .environment(for: SecretReceiver(parties: ["https://a", "b"])))
    }

    @Test("a profile says of which kind its service is; what says nothing is OAuth, and no kind is lost")
    func services() throws {
        let store = try store()
        var project = Profile(name: "work", issuer: "https://a.supabase.co", clientID: "sb_publishable_x")
        (project.service, project.method, project.connection) = (.supabase, .browser, "github")
        try store.save(project)
        #expect(try store.profile("work") == project)
        let texts = [
            (#"{"version":1,"issuer":"https://a","client_id":"b"}"#, Profile.Service.oauth, Profile.Method.browser),
            (#"{"version":1,"service":"oauth","issuer":"https://a","client_id":"b"}"#, .oauth, .browser),
            (#"{"version":1,"service":"supabase","issuer":"https://a","client_id":"b"}"#, .supabase, .password),
            (#"{"version":1,"service":"x","issuer":"https://a","client_id":"b"}"#, .unknown("x"), .browser),
        ]
        for (text, service, method) in texts {
            try SystemFiles().remove(path("work"))
            try SystemFiles().writeNew(path("work"), Array(text.utf8))
            #expect(try store.profile("work")?.service == service)
            #expect(try store.profile("work")?.method == method)
        }
        let error = #expect(throws: ToolError.self) { try store.save(project) }
        #expect(error?.error?.code == .store(.newerVersion))
        #expect(try SystemFiles().read(path("work"), limit: 1 << 20) == Array(texts[3].0.utf8))
    }

    @Test("files are private, and nothing else stays behind")
    func permissions() throws {
        try store().save(Self.work)
        #expect(try SystemFiles().status(path("work"))?.mode == 0o600)
        #expect(try SystemFiles().status("\(folder.path)/latchkey/profiles")?.mode == 0o700)
        #expect(try SystemFiles().list("\(folder.path)/latchkey/profiles") == ["work.json"])
    }

    @Test("a profile that others may change is refused", arguments: [UInt32(0o620), 0o602, 0o666])
    func insecure(_ mode: UInt32) throws {
        try store().save(Self.work)
        folder.setMode(path("work"), mode)
        let error = #expect(throws: ToolError.self) { try store().profile("work") }
        #expect(error?.error?.code == .store(.insecurePermissions))
    }

    @Test("a link in place of a profile is followed, and one that leads nowhere is no profile")
    func link() throws {
        try store().save(Self.work)
        folder.link(path("other"), to: path("work"))
        var other = Self.work
        other.name = "other"
        #expect(try store().profile("other") == other)
        folder.link(path("lost"), to: path("none"))
        #expect(try store().profile("lost") == nil)
        folder.link(path("round"), to: path("round"))
        #expect(throws: AuthError.self) { try store().profile("round") }
    }

    @Test(
        "what is no profile is refused and named, never taken for absent",
        arguments: [
            "", "{", "[]", "{}", #"{"version":1,"issuer":"https://a"}"#,
            #"{"version":1,"issuer":"https://a","client_id":7}"#,
            #"{"version":1,"issuer":"https://a","client_id":"b","redirect_port":0}"#,
            #"{"version":1,"issuer":"https://a","client_id":"b","redirect_uri":"http://evil.example/"}"#,
            #"{"version":1,"issuer":"https://a","client_id":"b","redirect_uri":"http://localhost:1/"}"#,
            #"{"version":1,"issuer":"https://a","client_id":"b","client_secret":{"from":"argument"}}"#,
            #"{"version":1,"issuer":"https://a","issuer":"https://b","client_id":"b"}"#,
        ])
    func damaged(_ text: String) throws {
        try store().save(Self.work)
        try SystemFiles().remove(path("work"))
        try SystemFiles().writeNew(path("work"), Array(text.utf8))
        let error = #expect(throws: ToolError.self) { try store().profile("work") }
        #expect(error?.error?.code == .configuration(.invalid))
        #expect(error?.message.contains("work.json") == true)
    }

    @Test("a profile of a newer version is read and not overwritten")
    func newer() throws {
        try store().save(Self.work)
        try SystemFiles().remove(path("work"))
        let text = #"{"version":2,"issuer":"https://a","client_id":"b","method":"telepathy"}"#
        try SystemFiles().writeNew(path("work"), Array(text.utf8))
        #expect(try store().profile("work")?.method == .browser)
        let error = #expect(throws: ToolError.self) { try store().save(Self.work) }
        #expect(error?.error?.code == .store(.newerVersion))
    }

    @Test("the default is the one last set, and none after its removal")
    func defaultProfile() throws {
        let store = try store()
        #expect(try store.defaultName() == nil)
        try store.save(Self.work)
        try store.setDefault("work")
        #expect(try store.defaultName() == "work")
        try store.remove("work")
        try store.remove("work")
        #expect(try store.defaultName() == nil)
        #expect(try store.names().isEmpty)
    }

    @Test("without XDG_CONFIG_HOME the home directory's .config is used, and a relative one is ignored")
    func directory() throws {
        let home = ["HOME": "/home/ada"]
        #expect(try ProfileStore(environment: home, world: .system).directory == "/home/ada/.config/latchkey")
        let relative = home.merging(["XDG_CONFIG_HOME": "config"]) { $1 }
        #expect(try ProfileStore(environment: relative, world: .system).directory == "/home/ada/.config/latchkey")
        let error = #expect(throws: ToolError.self) { try ProfileStore(environment: [:], world: .system) }
        #expect(error?.error?.code == .configuration(.invalid))
    }

    @Test(
        "names that could leave the directory or hide are no names",
        arguments: ["", ".", "..", ".x", "-x", "a/b", "a b", "a\u{0}", "ä", String(repeating: "a", count: 65)])
    func names(_ name: String) throws {
        #expect(!ProfileName.isValid(name))
        #expect(try store().profile(name) == nil)
    }
}
