import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@testable import LatchkeyCommand

@Suite("login without a document of the service", .timeLimit(.minutes(2))) struct NamedEndpointTests {
    private func words(_ server: DevServer, client: String = "dev-native") -> [String] {
        let base = server.issuer
        return [
            "login", "--client-id", client, "--authorization-endpoint", "\(base)/authorize", "--token-endpoint",
            "\(base)/token", "--revocation-endpoint", "\(base)/revoke",
        ]
    }

    @Test("the named endpoints are kept, refreshed at, shown, edited and revoked at")
    func signsIn() async throws {
        let (tool, server) = (try Tool(), try Service.start())
        let child = try tool.start(words(server) + ["--no-browser", "--scope", "read offline_access"])
        try await Browser().visit(try await child.find(/(http:\/\/127\.0\.0\.1:\d+\/[a-z]+\?\S+)/))
        let login = try await child.wait()
        #expect(login.status == 0 && login.output.contains("a person without a name"), "\(login.errors)")
        #expect(!server.log().contains { $0.endpoint == .discovery })
        #expect(try await tool.run("refresh").status == 0)
        let shown = try await tool.run("profiles", "show", "default", "--json").json?["profiles"]?.array?.first
        #expect(shown?["endpoints"]?["token"]?.string == "\(server.issuer)/token")
        #expect(shown?["hasIssuer"]?.bool == false && shown?["issuer"]?.string == server.issuer)
        #expect(try await tool.run("doctor").status == 0)
        let edited = try await tool.run("profiles", "edit", "default", "--clear", "revocation-endpoint", "--json")
        #expect(edited.json?["profiles"]?.array?.first?["endpoints"]?["revocation"] == nil)
        #expect(
            try await tool.run(
                "profiles", "edit", "default", "--revocation-endpoint", "\(server.issuer)/revoke"
            ).status == 0)
        #expect(try await tool.run("logout").status == 0)
        #expect(server.log().contains { $0.endpoint == .revocation })
    }

    @Test(
        "an address that no token may be sent to is a wrong command line",
        arguments: [
            "--authorization-endpoint", "--token-endpoint", "--device-endpoint", "--revocation-endpoint",
            "--userinfo-endpoint",
        ], ["http://id.example/x", "ftp://id.example/x", "https://"])
    func refused(_ option: String, _ address: String) async throws {
        let tool = try Tool()
        let line = ["login", "--issuer", "https://id.example", "--client-id", "c", option, address]
        let result = try await tool.start(line).wait()
        #expect(result.status == 2 && result.errors.contains(option), "\(result.errors)")
    }

    @Test("a service that refuses the usual scopes is told the exact command that signs in there")
    func refusedScopes() async throws {
        let server = try Service.start {
            $0.clients.append(
                DevServer.Client(
                    id: "narrow client", redirectURIs: ["http://127.0.0.1/callback"],
                    grants: [.authorizationCode, .refreshToken], scopes: ["read"]))
        }
        let tool = try Tool()
        let refused = try await SignedIn.login(tool, server, client: "narrow client")
        #expect(refused.status == 6, "\(refused.errors)")
        #expect(refused.errors.contains("`openid profile email offline_access`"), "\(refused.errors)")
        let line = try #require(refused.errors.firstMatch(of: /for no scope: latchkey (.*--no-scope)/)).1
        #expect(line.contains("'narrow client'"))
        let typed = try tool.start(["login"] + words(in: String(line)).dropFirst())
        try await Browser().visit(try await typed.find(/(http:\/\/127\.0\.0\.1:\d+\/[a-z]+\?\S+)/))
        let login = try await typed.wait()
        #expect(login.status == 0, "\(login.errors)")
        let shown = try await tool.run("profiles", "show", "default", "--json").json?["profiles"]?.array?.first
        #expect(shown?["defaultScopes"]?.bool == false)
    }

    /// The words of a line with at most one kind of quotes.
    private func words(in line: String) -> [String] {
        line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
            index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
        }
    }
}
