import Latchkey
import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("latchkey whoami, and latchkey token --id") struct WhoamiTests {
    @Test("one line says who, and where; JSON has every claim; --refresh brings what the sign-in did not")
    func whole() async throws {
        let scene = try await SignedIn()
        let issuer = scene.server.issuer
        #expect(try await scene.run("whoami").output == "ada@example.test at \(issuer)\n")
        let kept = try #require(try await scene.run("whoami", "--json").json)
        #expect(kept["sub"] == "user-ada" && kept["issuer"] == .string(issuer) && kept["name"] == "Ada Lovelace")
        #expect(kept["email"] == "ada@example.test" && kept["claims"]?["family_name"] == nil)
        #expect(scene.server.log().allSatisfy { $0.endpoint != .userinfo })
        scene.server.describe(subject: "user-ada", displayName: "Ada King")
        let asked = try #require(try await scene.run("whoami", "--refresh", "--json").json)
        #expect(asked["name"] == "Ada King" && asked["claims"]?["family_name"] == "King")
        // Another process reads what this one was told, and needs no service for it.
        scene.server.stop()
        #expect(try await scene.run("whoami", "--json").json == asked)
        #expect(try await scene.run("whoami", "--refresh").status == 4)
        #expect(try await scene.run("whoami", "--json").json == asked)
    }

    @Test("the status shows the name, and what the token was granted; both in JSON too")
    func status() async throws {
        let scene = try await SignedIn()
        let shown = try await scene.run("status").output
        #expect(shown.contains("name     Ada Lovelace\n"))
        #expect(shown.contains("scopes   openid profile email offline_access\n"))
        let json = try await scene.run("status", "--json").json
        #expect(json?["name"] == "Ada Lovelace" && json?["scopes"]?.array?.first == "openid")
    }

    @Test("nobody is nobody: never signed in, signed out, or ended by the service")
    func nobody() async throws {
        let fresh = try await Tool().run("whoami", "--json")
        #expect(fresh.status == 3 && fresh.output.isEmpty)
        let scene = try await SignedIn()
        scene.server.revoke(subject: "user-ada")
        #expect(try await scene.run("whoami").status == 0)
        #expect(try await scene.run("refresh").status == 3)
        let ended = try await scene.run("whoami")
        #expect(ended.status == 3 && ended.output.isEmpty && ended.errors.contains("latchkey login"))
        #expect(try await scene.run("logout").status == 0)
        #expect(try await scene.run("whoami", "--refresh").status == 3)
        #expect(try await scene.run("token", "--id").status == 3)
    }

    @Test("what the service refuses, or says of somebody else, ends with its own status, and the rest stays")
    func refusals() async throws {
        let scene = try await SignedIn()
        #expect(scene.server.configure { $0.attack = .foreignPerson })
        let foreign = try await scene.run("whoami", "--refresh")
        #expect(foreign.status == 9 && foreign.output.isEmpty && !foreign.errors.contains("mallory"))
        #expect(scene.server.configure { $0.attack = nil })
        scene.server.inject(DevServer.Fault(.status, at: .userinfo, count: 2, status: 401))
        #expect(try await scene.run("whoami", "--refresh").status == 6)
        scene.server.inject(DevServer.Fault(.html, at: .userinfo))
        #expect(try await scene.run("whoami", "--refresh").status == 4)
        scene.server.inject(DevServer.Fault(.retryAfter, at: .userinfo, seconds: 7))
        #expect(try await scene.run("whoami", "--refresh").status == 4)
        scene.server.inject(DevServer.Fault(.oversize, at: .userinfo))
        #expect(try await scene.run("whoami", "--refresh").status == 9)
        #expect(try await scene.run("whoami").status == 0)
    }

    @Test("without the scope openid there is a session, and nobody to name or to ask about")
    func anonymous() async throws {
        let scene = try await SignedIn({ _ in }, "--scope", "read offline_access")
        let json = try await scene.run("whoami", "--json")
        #expect(json.status == 0 && json.json?["claims"] == nil && json.json?["sub"] == nil)
        let asked = try await scene.run("whoami", "--refresh")
        #expect(asked.status == 8 && asked.errors.contains("openid"))
        #expect(try await scene.run("token", "--id").status == 8)
    }

    @Test("the ID token is the service's own, and one that ends is replaced by a refresh")
    func idToken() async throws {
        let scene = try await SignedIn()
        let first = try await scene.run("token", "--id").line
        #expect(try Self.claims(first)["sub"] == "user-ada" && Self.claims(first)["aud"] == "dev-native")
        let json = try #require(try await scene.run("token", "--id", "--json").json)
        #expect(json["token"] == .string(first) && json["tokenType"] == "id_token" && json["audience"] == "dev-native")
        #expect((json["expiresInSeconds"]?.integer ?? 0) > 250)
        #expect(scene.server.log().allSatisfy { $0.grant != "refresh_token" })
        let second = try await scene.run("token", "--id", "--min-validity", "10m").line
        #expect(second != first)
        #expect(try Self.claims(second)["sub"] == "user-ada")
        #expect(scene.server.log().count { $0.grant == "refresh_token" } == 1)
        let both = try await scene.run("token", "--id", "--audience", "https://api.example")
        #expect(both.status == 2 && both.output.isEmpty)
    }

    private static func claims(_ token: String) throws -> JSON {
        let parts = token.split(separator: ".")
        try #require(parts.count == 3)
        return try JSON.parse(try Base64URL.decode(parts[1]))
    }

    @Test("at a Supabase project and a Clerk instance the id and the address are shown, and there is no ID token")
    func direct() async throws {
        let server = try Service.start()
        let tool = try Tool()
        let user = try #require(DevServer.Supabase().users.first)
        let clerk = try #require(DevServer.Clerk().users.first)
        let logins = [
            (
                "project", user.email,
                ["--supabase", server.supabaseURL, "--key", DevServer.Supabase().publishableKey ?? ""],
                user.password ?? ""
            ),
            (
                "instance", clerk.email,
                ["--clerk", DevServer.Clerk().publishableKey, "--proxy-url", server.clerkURL], clerk.password ?? ""
            ),
        ]
        for (profile, email, words, password) in logins {
            let login = try await tool.start(
                ["login", "--profile", profile, "--account", email, "--password-from-stdin"] + words,
                input: password + "\n"
            ).wait()
            try #require(login.status == 0, "\(login.errors)")
            let kept = try #require(try await tool.run("whoami", "--json").json)
            let id = try #require(kept["sub"]?.string)
            #expect(kept["label"] == .string(email) && kept["service"] != "oauth" && kept["claims"] == nil)
            let line = try await tool.run("whoami", "--refresh").line
            #expect(line.hasPrefix("\(email) (\(id)) at http://127.0.0.1:"), "\(line)")
            let asked = try #require(try await tool.run("whoami", "--refresh", "--json").json)
            #expect(asked["sub"] == .string(id) && asked["email"] == .string(email))
            let token = try await tool.run("token", "--id")
            #expect(token.status == 8 && token.output.isEmpty && token.errors.contains(profile))
        }
    }

    @Test("a French environment is told in French who it is")
    func french() async throws {
        let scene = try await SignedIn()
        let line = try await scene.run("whoami", environment: ["LC_ALL": "fr_FR.UTF-8"]).line
        #expect(line == "ada@example.test, auprès de \(scene.server.issuer)")
    }
}
