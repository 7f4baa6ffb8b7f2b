import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Proofs
import Testing

@testable import LatchkeyCommand

@Suite("Signing in with a browser") struct BrowserJourneyTests {
    @Test("one login serves every later command, and logout ends it")
    func journey() async throws {
        let signedIn = try await SignedIn()
        let tool = signedIn.tool

        let status = try await tool.run("status", "--json")
        #expect(status.status == 0)
        #expect(status.json?["state"]?.string == "fresh")
        #expect(status.json?["profile"]?.string == "default")
        #expect(status.json?["issuer"]?.string == signedIn.server.issuer)
        #expect(status.json?["store"]?["kind"]?.string == "unencryptedFiles")
        #expect(status.json?["store"]?["path"]?.string?.hasPrefix(tool.data) == true)
        #expect(status.json?["current"]?.bool == true)
        #expect(status.json?["accessUntil"]?.string?.hasSuffix("Z") == true)

        let token = try await tool.run("token")
        #expect(token.status == 0)
        #expect(token.line.hasPrefix("dat_"))
        #expect(token.errors.isEmpty)
        #expect(try await tool.run("token").line == token.line)

        let refreshed = try await tool.run("refresh")
        #expect(refreshed.status == 0)
        let second = try await tool.run("token")
        #expect(second.line.hasPrefix("dat_") && second.line != token.line)

        let logout = try await tool.run("logout", "--json")
        #expect(logout.status == 0)
        #expect(logout.json?["result"]?.string == "revoked")
        #expect(try await tool.run("token").status == 3)
        #expect(try await tool.run("status").status == 3)
        #expect(try await tool.run("logout", "--json").json?["result"]?.string == "nothingToDo")
        #expect(!FilesBelow.content(tool.folder.path).contains("drt_"))
    }

    @Test("the token as JSON says whose, for what and how long")
    func tokenJSON() async throws {
        let signedIn = try await SignedIn()
        let json = try #require(try await signedIn.tool.run("token", "--json").json)
        #expect(Set(json.object?.keys ?? [:].keys) == Set(Command.token.output.map(\.member)))
        #expect(json["tokenType"]?.string == "Bearer")
        #expect(json["audience"]?.string == "")
        let seconds = try #require(json["expiresInSeconds"]?.integer)
        #expect((240...300).contains(seconds))
    }

    @Test("--min-validity refreshes a token that would not last, and keeps one that does")
    func minimumValidity() async throws {
        let tool = try await SignedIn()
        let first = try await tool.run("token").line
        #expect(try await tool.run("token", "--min-validity", "1m").line == first)
        #expect(try await tool.run("token", "--min-validity", "10m").line != first)
    }

    @Test("the next command replaces a token that has ended")
    func expiry() async throws {
        let tool = try await SignedIn({ $0.accessTokenLifetime = 1 })
        let first = try await tool.run("token").line
        let deadline = ContinuousClock.now + .seconds(30)
        var next = first
        while next == first, ContinuousClock.now < deadline { next = try await tool.run("token").line }
        #expect(next != first && next.hasPrefix("dat_"))
    }

    @Test("exec puts the token into one variable of the program, and takes the client's secret out")
    func exec() async throws {
        let tool = try await SignedIn()
        let token = try await tool.run("token").line
        let script =
            #"printf '%s|%s|%s|%s' "$LATCHKEY_ACCESS_TOKEN" "$T" "${LATCHKEY_CLIENT_SECRET-none}" "$*"; exit 7"#
        let plain = try await tool.run(
            "exec", "--", "sh", "-c", script, "sh", "--json", "a b", environment: ["LATCHKEY_CLIENT_SECRET": "s3cr3t"])
        #expect(plain.output == "\(token)||none|--json a b")
        #expect(plain.status == 7)
        #expect(try await tool.run("exec", "--env", "T", "sh", "-c", script).output == "|\(token)|none|")
    }

    @Test("what exec runs has the signals of a fresh program")
    func execSignals() async throws {
        let tool = try await SignedIn()
        let child = try tool.start(["exec", "sh", "-c", #"echo ready; kill -INT $$; echo alive"#])
        #expect(try await child.wait().output == "ready\n")
        let status = try await tool.run("exec", "grep", "^Sig[BI]", "/proc/self/status")
        #expect(status.output.split(separator: "\n").count == 2)
        for line in status.output.split(separator: "\n") {
            let mask = UInt64(line.split(separator: "\t").last ?? "", radix: 16)
            // Signals from 32 on belong to the C library.
            #expect(mask.map { $0 & 0x7FFF_FFFF } == 0, "\(line)")
        }
    }

    @Test(
        "exec says why a program cannot run",
        arguments: [("no-such-program-here", 127), ("HOME/plain", 126), ("HOME/plain/x", 127)] as [(String, Int32)])
    func execFailures(_ word: String, _ status: Int32) async throws {
        let tool = try await SignedIn()
        try SystemFiles().writeNew("\(tool.folder.path)/plain", [])
        let result = try await tool.run("exec", "--", word.replacing("HOME", with: tool.folder.path))
        #expect(result.status == status)
        #expect(result.errors.hasPrefix("latchkey: The program "))
        #expect(result.errors.split(separator: "\n").count == 2)
    }

    @Test("$BROWSER is opened where there is no --no-browser", .standard(21))
    func browserVariable() async throws {
        try #require(Program.onPath("curl") != nil, "curl is not installed; run: Scripts/setup")
        let (tool, server) = (try Tool(), try Service.start())
        let script = "\(tool.folder.path)/browser"
        try SystemFiles().writeNew(script, Array("#!/bin/sh\nexec curl -sL -o /dev/null \"$1\"\n".utf8))
        tool.folder.setMode(script, 0o700)
        let result = try await tool.run(
            "login", "--issuer", server.issuer, "--client-id", "dev-native", environment: ["BROWSER": script])
        #expect(result.status == 0, "\(result.errors)")
        #expect(try await tool.run("status").status == 0)
    }

    @Test(
        "nothing of a sign-in is in an argument of the browser, which gets no descriptor but the usual three",
        .standard(21),
        arguments: [[], ["--expose-address"]])
    func browserArguments(words: [String]) async throws {
        try #require(Program.onPath("curl") != nil, "curl is not installed; run: Scripts/setup")
        let (tool, server) = (try Tool(), try Service.start())
        let folder = tool.folder.path
        let lines = [
            "#!/bin/sh", "tr '\\0' '\\n' < /proc/$$/cmdline > '\(folder)/arguments'",
            "ls /proc/$$/fd > '\(folder)/open'",
            "exec curl -sL -o /dev/null \"$1\"\n",
        ]
        try SystemFiles().writeNew("\(folder)/browser", Array(lines.joined(separator: "\n").utf8))
        tool.folder.setMode("\(folder)/browser", 0o700)
        let result = try await tool.start(
            ["login", "--issuer", server.issuer, "--client-id", "dev-native"] + words,
            environment: ["BROWSER": "\(folder)/browser"]
        ).wait()
        #expect(result.status == 0, "\(result.errors)")
        func text(_ name: String) throws -> String {
            String(decoding: try #require(try SystemFiles().read("\(folder)/\(name)", limit: 1 << 16)), as: UTF8.self)
        }
        let arguments = try text("arguments")
        #expect(arguments.contains("state=") == !words.isEmpty && arguments.contains("/authorize") == !words.isEmpty)
        // What the shell itself has its script open at is one of 10 and more, and its own.
        let open = try text("open").split(separator: "\n").compactMap { Int($0) }.filter { $0 < 10 }
        #expect(Set(open).isSubset(of: [0, 1, 2]), "\(open)")
    }

    @Test("eight commands that need a new token at once spend one refresh token after the other")
    func race() async throws {
        let signedIn = try await SignedIn()
        let children = try (0..<8).map { _ in try signedIn.tool.start(["token", "--min-validity", "10m"]) }
        for child in children {
            let result = try await child.wait()
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.line.hasPrefix("dat_"))
        }
        #expect(try await signedIn.tool.run("refresh").status == 0)
        let refreshes = signedIn.server.log().filter { $0.endpoint == .token && $0.grant == "refresh_token" }
        #expect(!refreshes.isEmpty)
        #expect(refreshes.allSatisfy { $0.outcome == "ok" })
    }

    @Test("two people can be signed in, and the current one is chosen")
    func accounts() async throws {
        let signedIn = try await SignedIn()
        let tool = signedIn.tool
        let second = try await SignedIn.login(tool, signedIn.server, ["--account", "grace"])
        #expect(second.status == 0, "\(second.errors)")
        let accounts = try #require(try await tool.run("accounts", "--json").json?["accounts"]?.array)
        #expect(accounts.count == 2)
        #expect(accounts.filter { $0["current"]?.bool == true }.count == 1)
        let names = try await tool.run("accounts", "--names").output.split(separator: "\n").map(String.init)
        #expect(names.count == 2)
        for name in names {
            #expect(try await tool.run("switch", name).status == 0)
            let status = try await tool.run("status", "--json")
            #expect(status.json?["label"]?.string == name)
            let token = try await tool.run("token").line
            #expect(try await tool.run("token", "--account", name).line == token)
        }
        #expect(try await tool.run("switch", "eve").status == 3)
        #expect(try await tool.run("logout", "--account", names[0]).status == 0)
        #expect(try await tool.run("accounts", "--names").output == "\(names[1])\n")
        #expect(try await tool.run("status").status == 0)
    }
}
