import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("latchkey login without a page") struct OtherLoginTests {
    private let tool: Tool
    private let server: DevServer

    init() throws { (tool, server) = (try Tool(), try Service.start()) }

    private var secretFile: String {
        get throws {
            let path = "\(tool.folder.path)/secret"
            try SystemFiles().writeNew(path, Array("dev+secret/100%".utf8))
            return path
        }
    }

    @Test("a client signs itself in with its secret, and asks for another token when one has ended")
    func service() async throws {
        let login = try await tool.run(
            "login", "--issuer", server.issuer, "--client-id", "dev-service", "--client-credentials",
            "--client-secret-file", try secretFile)
        #expect(login.status == 0, "\(login.errors)")
        #expect(login.output.hasPrefix("Signed in as dev-service"))
        let token = try await tool.run("token").line
        let later = try await tool.run("token", "--min-validity", "10h").line
        #expect(!token.isEmpty && !later.isEmpty && token != later)
    }

    @Test("every command opens a profile of client credentials, though its secret is not at hand")
    func everyCommand() async throws {
        let secret = ["LATCHKEY_CLIENT_SECRET": "dev+secret/100%"]
        let login = try await tool.run(
            "login", "--issuer", server.issuer, "--client-id", "dev-service", "--client-credentials",
            "--client-secret-env", environment: secret)
        try #require(login.status == 0, "\(login.errors)")
        for words in [
            ["status"], ["whoami"], ["accounts"], ["doctor"], ["doctor", "--offline"], ["events"],
            ["switch", "dev-service"],
            ["profiles"], ["profiles", "show", "default"], ["answer"], ["log"], ["store", "status"],
            ["store", "verify"],
        ] {
            let result = try await tool.start(words).wait()
            #expect(result.status == 0, "\(words): \(result.errors)\(result.output)")
        }
        let kept = try await tool.run("profiles", "remove", "default")
        #expect(kept.status == 8 && kept.errors.contains("--force"), "\(kept.errors)")
        let removed = try await tool.run("profiles", "remove", "default", "--force", environment: secret)
        #expect(removed.status == 0 && removed.output.contains("1"), "\(removed.errors)\(removed.output)")
        #expect(server.log().contains { $0.endpoint == .revocation })
    }

    @Test("a client without a secret cannot sign itself in, and the service is not asked")
    func noSecret() async throws {
        let login = try await tool.run(
            "login", "--issuer", server.issuer, "--client-id", "dev-service", "--client-credentials")
        #expect(login.status == 2 && login.errors.contains("needs its secret"))
        #expect(server.log().isEmpty)
    }

    @Test("a session that another program had is taken over by its refresh token, with the person")
    func takeOver() async throws {
        let other = try await SignedIn()
        let credential = FilesBelow.content(other.data)
        let refresh = try #require(credential.firstMatch(of: /"renewal":\s*"([^"]+)"/)).1
        let login = try await tool.run(
            "login", "--issuer", other.server.issuer, "--client-id", "dev-native", "--with-token",
            input: "\(refresh)\n")
        #expect(login.status == 0, "\(login.errors)")
        #expect(login.output.hasPrefix("Signed in as ada@example.test"))
        #expect(!login.errors.contains(refresh) && !login.output.contains(refresh))
        #expect(try await tool.run("refresh").status == 0)
    }

    @Test(
        "a refresh token that the service does not know signs nobody in, and is not shown",
        arguments: ["wrong", "", " \n"])
    func refused(_ token: String) async throws {
        let login = try await tool.run(
            "login", "--issuer", server.issuer, "--client-id", "dev-native", "--with-token", input: token)
        #expect(login.status == (token == "wrong" ? 6 : 2), "\(login.errors)")
        #expect(!login.errors.contains("wrong"))
        #expect(try await tool.run("status").status == 3 || token != "wrong")
    }

    @Test("scopes of a later login come to the usual ones, where the profile names none")
    func addedToUsual() async throws {
        try await SignedIn.login(tool, server)
        try await SignedIn.login(tool, server, ["--scope", "read"])
        func accounts() async throws -> [JSON] {
            try await tool.run("accounts", "--json").json?["accounts"]?.array ?? []
        }
        #expect(try await accounts().map { $0["label"]?.string } == ["ada@example.test"])
        #expect(try await tool.run("refresh").status == 0)
        let granted = try await tool.run("status", "--json").json?["scopes"]?.array?.compactMap(\.string) ?? []
        #expect(Set(granted).isSuperset(of: ["openid", "profile", "email", "offline_access", "read"]), "\(granted)")
        // So it stays for later logins, until the profile names its scopes.
        try await SignedIn.login(tool, server)
        try await SignedIn.login(tool, server, ["--scope", "write"])
        let shown = try await tool.run("profiles", "show", "default", "--json").json?["profiles"]?.array?.first
        #expect(shown?["scopes"]?.array?.map(\.string) == ["read", "write"] && shown?["defaultScopes"] == true)
        #expect(try await tool.run("profiles", "show", "default").output.contains("and read write"))
        #expect(try await accounts().count == 1)
        let edited = try await tool.run("profiles", "edit", "default", "--scope", "openid", "--json")
        #expect(edited.json?["profiles"]?.array?.first?["defaultScopes"] == nil, "\(edited.output)")
    }

    @Test("scopes of a later login come to those that the profile has")
    func scopes() async throws {
        try await SignedIn.login(tool, server, ["--scope", "openid", "--scope", "email"])
        try await SignedIn.login(tool, server, ["--scope", "offline_access email"])
        let scopes = try await tool.run("profiles", "show", "default", "--json").json?["profiles"]?.array?.first?[
            "scopes"]
        #expect(scopes?.array?.map(\.string) == ["openid", "email", "offline_access"])
    }

    @Test(
        "an address that no token may be sent to is refused by name, before anything is sent",
        arguments: [
            ("ftp://id.example", "begins with ftp://"),
            ("http://id.example", "--issuer http://id.example nothing would be encrypted"),
            ("https://a:b@id.example", "is not an address such as"),
        ])
    func addresses(issuer: String, message: String) async throws {
        let login = try await tool.run("login", "--issuer", issuer, "--client-id", "x")
        #expect(login.status == 2 && login.errors.contains(message), "\(login.errors)")
        #expect(!login.errors.contains("provider") && !login.errors.contains("a:b"))
        #expect(try await tool.run("profiles", "--names").output.isEmpty)
    }
}
