import Glibc
import Latchkey
import LatchkeyAgent
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import LatchkeyCommand

/// Answers with one token, and keeps what was asked.
private final class OneToken: AgentTokenServing {
    let asked = Locked<[AgentTokenRequest]>([])

    func serve(_ profile: String, of home: String) {}

    func token(_ request: AgentTokenRequest) -> AgentToken {
        asked.withLock { $0.append(request) }
        return AgentToken(AccessToken(Secret("of-the-agent"), scopes: ["read"]), of: AccountID("ada"))
    }
}

@Suite("Tokens that the agent hands out") struct AgentTokenTests {
    /// The agent of a tool, as another program of its user asks it.
    private func agent(_ tool: Tool) throws -> AgentClient {
        AgentClient(at: try AgentPlace(in: "\(tool.data)/latchkey/agent"))
    }

    private func request(_ tool: Tool, _ profile: String = "default") -> AgentTokenRequest {
        AgentTokenRequest(home: TokenDesk.home(tool.variables()), profile: profile)
    }

    private func serving(_ tool: Tool, _ more: String...) async throws -> Child {
        let child = try tool.start(["agent", "serve", "--for", "5m"] + more)
        while try await tool.run("agent", "status").status != 0 {
            try #require(child.errors.isEmpty, "\(child.errors)")
        }
        return child
    }

    @Test("token, exec and credential have the agent's token, and say what they want") func asks() async throws {
        let signedIn = try await SignedIn()
        let (tool, tokens) = (signedIn.tool, OneToken())
        let server = AgentServer(at: try agent(tool).place, serving: tokens, for: .seconds(600))
        let ready = Latch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run { ready.open() } }
            try await ready.wait()
            #expect(try await tool.run("token", "--min-validity", "90s", "--account", "ada").line == "of-the-agent")
            let shown = try await tool.run("exec", "--", "/bin/sh", "-c", "echo $LATCHKEY_ACCESS_TOKEN").line
            #expect(shown == "of-the-agent")
            let cluster = try await tool.run("credential", "kubectl").json
            #expect(cluster?["status"]?["token"]?.string == "of-the-agent")
            // What is sent is to be told of by the one who asks.
            #expect(try await tool.run("token", "--verbose").line.hasPrefix("dat_"))
            server.end()
            try await group.waitForAll()
        }
        let home = TokenDesk.home(tool.variables())
        var first = AgentTokenRequest(home: home, profile: "default", account: "ada", validity: .seconds(90))
        #expect(tokens.asked.withLock { $0.first } == first)
        (first.account, first.validity) = (nil, .zero)
        #expect(tokens.asked.withLock { $0.dropFirst() } == [first, first])
        #expect(try await tool.run("token").line.hasPrefix("dat_"))
    }

    @Test("the agent refreshes, and its token is the one that the tool has") func refreshes() async throws {
        let signedIn = try await SignedIn { $0.accessTokenLifetime = 2 }
        let agent = try agent(signedIn.tool)
        let child = try await serving(signedIn.tool, "--serve-tokens")
        let first = try #require(try await agent.token(request(signedIn.tool)))
        #expect(first.token.value.revealText().hasPrefix("dat_"))
        var wanted = request(signedIn.tool)
        wanted.validity = .seconds(3_600)
        let second = try #require(try await agent.token(wanted))
        #expect(second.token != first.token)
        #expect(second.account == first.account && second.account != nil)
        child.interrupt()
        _ = try await child.wait()
        let isGone3 = try await agent.token(request(signedIn.tool)) == nil
        #expect(isGone3)
    }

    @Test("no token after a sign-out in another process, none of another profile or home, and none unless told to")
    func refuses() async throws {
        let signedIn = try await SignedIn()
        let (tool, agent) = (signedIn.tool, try agent(signedIn.tool))
        let child = try await serving(tool)
        #expect(await code { try await agent.token(request(tool)) } == .configuration(.unsupported))
        #expect(try await tool.run("token").line.hasPrefix("dat_"))
        try await agent.serve("default", of: TokenDesk.home(tool.variables()))
        let isThere1 = try await agent.token(request(tool)) != nil
        #expect(isThere1)
        var other = request(tool, "other")
        #expect(await code { try await agent.token(other) } == .configuration(.unsupported))
        other = request(tool)
        other.home = TokenDesk.home(tool.variables(["XDG_CONFIG_HOME": "/elsewhere"]))
        #expect(await code { try await agent.token(other) } == .configuration(.unsupported))
        #expect(await code { try await agent.serve("default", of: other.home) } == .configuration(.unsupported))
        #expect(try await tool.run("logout").status == 0)
        #expect(await code { try await agent.token(request(tool)) } != nil)
        #expect(try await tool.run("token").status == 3)
        child.interrupt()
        _ = try await child.wait()
    }

    @Test(
        "a profile that is not served, an agent that was killed, and a link in its place: the token is the program's own"
    )
    func own() async throws {
        let signedIn = try await SignedIn()
        let (tool, place) = (signedIn.tool, try agent(signedIn.tool).place)
        try #require(try await SignedIn.login(tool, signedIn.server, ["--profile", "other"]).status == 0)
        let child = try await serving(tool, "--serve-tokens", "--profile", "default")
        let shown = try await tool.run("token", "--profile", "other").line
        #expect(shown.hasPrefix("dat_"))
        #expect(try await tool.run("token", "--profile", "default").line != shown)
        #expect(await code { try await agent(tool).token(request(tool, "other")) } == .configuration(.unsupported))
        // Its socket stays, with no process behind it.
        child.signal(SIGKILL)
        _ = try await child.wait()
        #expect(access(place.socketPath, F_OK) == 0)
        #expect(try await tool.run("token", "--profile", "default").line.hasPrefix("dat_"))
        let (tokens, elsewhere) = (OneToken(), try AgentPlace(in: "\(signedIn.folder.path)/elsewhere"))
        let server = AgentServer(at: elsewhere, serving: tokens, for: .seconds(600))
        let ready = Latch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run { ready.open() } }
            try await ready.wait()
            #expect(unlink(place.socketPath) == 0 && symlink(elsewhere.socketPath, place.socketPath) == 0)
            for words in [["token"], ["exec", "--", "/bin/sh", "-c", "echo $LATCHKEY_ACCESS_TOKEN"]] {
                let result = try await tool.start([words[0], "--profile", "default"] + words.dropFirst()).wait()
                #expect(result.line.hasPrefix("dat_"), "\(words): \(result.errors)")
            }
            server.end()
            try await group.waitForAll()
        }
        #expect(tokens.asked.withLock { $0 }.isEmpty)
    }

    @Test("unlock lets the agent hand tokens of an encrypted session out, and lock ends that") func locked()
        async throws
    {
        let (tool, server) = (try Tool(), try Service.start())
        let passphrase = "correct horse battery staple\n"
        let login = try await tool.start(
            [
                "login", "--issuer", server.issuer, "--client-id", "dev-device", "--device", "--store", "encrypted",
                "--passphrase-from-stdin",
            ], input: passphrase
        ).wait()
        try #require(login.status == 0, "\(login.errors)")
        let unlock = try await tool.run("unlock", "--serve-tokens", "--passphrase-from-stdin", input: passphrase)
        #expect(unlock.status == 0, "\(unlock.errors)")
        let agent = try agent(tool)
        let isThere2 = try await agent.token(request(tool)) != nil
        #expect(isThere2)
        #expect(try await tool.run("token").line.hasPrefix("dat_"))
        #expect(try await tool.run("lock").status == 0)
        let isGone4 = try await agent.token(request(tool)) == nil
        #expect(isGone4)
        #expect(try await tool.run("token").status == 5)
    }
}

private func code<Value>(_ work: () async throws -> Value) async -> AuthError.Code? {
    do {
        _ = try await work()
        return nil
    } catch {
        return (error as? AuthError)?.code
    }
}
