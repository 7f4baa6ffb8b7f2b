import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

@Suite("The development server of the tool") struct DevServerJourneyTests {
    @Test("serves until a signal and then stops cleanly", arguments: [(SIGTERM, 0), (SIGINT, 130)] as [(Int32, Int32)])
    func serves(_ signal: Int32, _ status: Int32) async throws {
        let tool = try Tool()
        let child = try tool.start(["dev-server", "--json", "--auto-approve", "--token-lifetime", "1m"])
        let json = try await child.find { output, _ in try? JSON.parse(Array(output.utf8)) }
        let issuer = try #require(json["issuer"]?.string)
        #expect(json["users"]?.array?.isEmpty == false)
        #expect(json["clients"]?.array?.contains { $0["clientId"]?.string == "dev-native" } == true)
        #expect(json["supabase"]?["url"]?.string == issuer)
        #expect(json["supabase"]?["publishableKey"]?.string?.hasPrefix("sb_publishable_") == true)
        let login = try tool.start(["login", "--issuer", issuer, "--client-id", "dev-native", "--no-browser"])
        try await Browser().visit(try await login.find(/(http:\/\/127\.0\.0\.1:\d+\/[a-z]+\?\S+)/))
        #expect(try await login.wait().status == 0)
        let seconds = try await tool.run("token", "--json").json?["expiresInSeconds"]?.integer
        #expect((30...60).contains(seconds ?? 0))
        child.signal(signal)
        let result = try await child.wait()
        #expect(result.status == status)
        #expect(result.errors.isEmpty)
        #expect(try await tool.run("refresh").status == 4)
    }

    @Test("lets a code lead to an address that was added, and to no other")
    func redirects() async throws {
        let tool = try Tool()
        let child = try tool.start([
            "dev-server", "--json", "--auto-approve", "--redirect", "http://localhost:8765", "--redirect", "demo://cb",
        ])
        let json = try await child.find { output, _ in try? JSON.parse(Array(output.utf8)) }
        let issuer = try #require(json["issuer"]?.string)
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        for (redirect, status) in [
            ("http%3A%2F%2Flocalhost%3A8765", 303), ("demo%3A%2F%2Fcb", 303), ("http%3A%2F%2Flocalhost%3A8766", 400),
        ] {
            let answer = try await Browser().open(
                "\(issuer)/authorize?response_type=code&client_id=dev-native&redirect_uri=\(redirect)"
                    + "&code_challenge=\(challenge)&code_challenge_method=S256")
            #expect(answer == status)
        }
        #expect(try await tool.run("dev-server", "--redirect", "nowhere").status == 2)
        child.signal(SIGTERM)
        #expect(try await child.wait().status == 0)
    }

    @Test("access tokens last as long as they were told to, in each of its dialects", arguments: ["supabase", "clerk"])
    func lifetime(_ dialect: String) async throws {
        let tool = try Tool()
        let child = try tool.start(["dev-server", "--json", "--token-lifetime", "20s"])
        let json = try await child.find { output, _ in try? JSON.parse(Array(output.utf8)) }
        let place = try #require(json[dialect])
        let key = try #require(place["publishableKey"]?.string)
        let words =
            dialect == "clerk"
            ? ["--clerk", key, "--proxy-url", place["proxyUrl"]?.string ?? ""]
            : ["--supabase", place["url"]?.string ?? "", "--key", key]
        let person = try #require(place["users"]?.array?.first?["email"]?.string)
        let login = try await tool.start(
            ["login"] + words + ["--account", person, "--password-from-stdin"], input: "ada-password\n"
        ).wait()
        #expect(login.status == 0, "\(login.errors)")
        let seconds = try await tool.run("token", "--json").json?["expiresInSeconds"]?.integer
        #expect((1...20).contains(seconds ?? 0))
        child.signal(SIGTERM)
        #expect(try await child.wait().status == 0)
    }

    @Test("a port that is taken, and a lifetime below a second, are refused")
    func refuses() async throws {
        let server = try Service.start()
        #expect(try await Tool().run("dev-server", "--port", "\(server.port)").status == 8)
        #expect(try await Tool().run("dev-server", "--token-lifetime", "0s").status == 2)
        #expect(try await Tool().run("dev-server", "--token-lifetime", "1500ms").status == 2)
    }
}
