import FoundationEssentials
import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyJSON
import Testing

/// The programs that the guides take their code from, as they are built, against a service over real sockets.
@Suite("The example programs of the guides") struct GuideExampleTests {
    private let folder = TemporaryFolder()
    private static let key = "sb_publishable_development"

    private var variables: [String: String] {
        [
            "HOME": folder.path, "XDG_DATA_HOME": "\(folder.path)/data",
            "BROWSER": "curl --silent --location --noproxy * --output /dev/null",
        ]
    }

    @Test("several-accounts keeps two people signed in, hands out each one's token, and signs one of them out")
    func accounts() async throws {
        let server = try Service.start()
        defer { server.stop() }
        let input = """
            add ada
            add grace
            use ada@example.test
            list
            token grace@example.test
            sign-out grace@example.test
            token grace@example.test
            list
            """
        let result = try await Program.built("several-accounts").run(
            [server.issuer, "dev-native", "\(folder.path)/several"], environment: variables, input: input)
        #expect(
            result.output == """
                added ada@example.test
                added grace@example.test
                * ada@example.test fresh
                - grace@example.test fresh
                a token for grace@example.test: <redacted>
                sign-out: revoked
                token grace@example.test: signInRequired.signedOut
                * ada@example.test fresh

                """, "\(result.errors)")
    }

    @Test("follow-events tells of what another process does over the same folder")
    func events() async throws {
        let server = try Service.start()
        defer { server.stop() }
        let words = [server.issuer, "dev-native", "\(folder.path)/followed"]
        let follower = try Program.built("follow-events").start(words, environment: variables)
        _ = try await follower.find { output, _ in output.contains("signed in now: 0\n") ? true : nil }
        let other = try Program.built("several-accounts")
        for (input, told) in [
            ("add ada\n", "signed in: ada@example.test\n"),
            ("sign-out ada@example.test\n", "signed out by elsewhere\n"),
        ] {
            _ = try await other.run(words, environment: variables, input: input)
            _ = try await follower.find { output, _ in output.contains(told) ? true : nil }
        }
        follower.interrupt()
    }

    @Test("own-screens signs in by its window after a wrong password, and says what is wrong with it")
    func window() async throws {
        let server = try Service.start()
        defer { server.stop() }
        let input = "ada@example.test\nwrong-password\nada@example.test\nada-password\n"
        let result = try await Program.built("own-screens").run(
            [server.supabaseURL, Self.key, "window"], environment: variables, input: input)
        let lines = result.output.split(separator: "\n")
        #expect(lines.last == "Signed in as ada@example.test.", "\(result.output) \(result.errors)")
        #expect(lines.count { $0 == "Password:" } == 2 && lines.count == 6)
        #expect(!result.output.contains("wrong-password"))
    }

    @Test(
        "own-screens signs in by its dialog with a mailed code, and asks again after a wrong one"
    )
    func dialog() async throws {
        let server = try Service.start()
        defer { server.stop() }
        let program = try Program.built("own-screens")
        let words = [server.supabaseURL, Self.key, "dialog", "ada@example.test"]
        let terminal = try TestTerminal()
        let child = try program.start(at: terminal, words, environment: variables)
        try await terminal.wait { terminal.screen().contains("Code sent to") }
        terminal.type("000000\n")
        try await terminal.wait { terminal.screen().matches(of: /Code sent to/).count == 2 }
        let message = try #require(server.inbox(of: "ada@example.test").last)
        terminal.type("\(message.code)\n")
        #expect(try await child.wait().status == 0)
        #expect(terminal.screen().hasSuffix("Signed in as ada@example.test.\r\n"))
    }

    @Test("token-check takes a good token, and refuses one of another audience or issuer, and a changed one")
    func tokens() async throws {
        let server = try Service.start()
        defer { server.stop() }
        let token = try await Self.token(of: server)
        let issuer = server.supabaseURL + "/auth/v1"
        let changed = token.dropLast(4) + (token.hasSuffix("AAAA") ? "BBBB" : "AAAA")
        let input = "\(token)\n\(changed)\n\nno token\n"
        func check(_ issuer: String, _ audience: String, _ keys: String) async throws -> [Substring] {
            try await Program.built("token-check").run([issuer, audience, keys], environment: variables, input: input)
                .output.split(separator: "\n")
        }
        let keys = issuer + "/.well-known/jwks.json"
        let lines = try await check(issuer, "authenticated", keys)
        #expect(lines.count == 4 && lines[0].hasPrefix("200: subject ") && lines[0] != "200: subject unknown")
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("401, ") && $0.contains("the signature: ") })
        #expect(try await check(issuer, "another", keys)[0].hasSuffix("another audience"))
        #expect(try await check("https://id.example.com", "authenticated", keys)[0].hasSuffix("another issuer"))
        #expect(try await check(issuer, "authenticated", issuer + "/nothing")[0].contains("the signature: "))
    }

    @Test("token-check refuses a token that has ended")
    func ended() async throws {
        let server = try Service.start { $0.clockSkew = -7_200 }
        defer { server.stop() }
        let issuer = server.supabaseURL + "/auth/v1"
        let result = try await Program.built("token-check").run(
            [issuer, "authenticated", issuer + "/.well-known/jwks.json"], environment: variables,
            input: Self.token(of: server))
        #expect(result.output.hasSuffix("it has ended\n"), "\(result.output)")
    }

    /// A token that the service gives for a password, as it is.
    private static func token(of server: DevServer) async throws -> String {
        var request = TransportRequest("POST", server.supabaseURL + "/auth/v1/token?grant_type=password")
        request.fields.add("apikey", key)
        request.fields.add("Content-Type", "application/json")
        request.body = Array(#"{"email":"ada@example.test","password":"ada-password"}"#.utf8)
        let answer = try await CurlTransport().send(request, deadline: .seconds(10))
        return try JSONField(JSON.parse(answer.body))["access_token"].string()
    }

    @Test(
        "each says how it is used",
        arguments: ["several-accounts", "follow-events", "own-screens", "token-check"])
    func usage(name: String) async throws {
        #expect(try await Program.built(name).run([], environment: variables).output.hasPrefix("usage: "))
    }
}
