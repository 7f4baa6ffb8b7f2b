import FoundationEssentials
import Latchkey
import LatchkeyEncryptedStore
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import LatchkeyAgent

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Answers from a script, and keeps what was asked.
private final class ScriptedTokens: AgentTokenServing {
    let asked = Locked<[AgentTokenRequest]>([])
    let served = Locked<[String]>([])
    private let answer: Result<AgentToken, AuthError>

    init(_ answer: Result<AgentToken, AuthError>) { self.answer = answer }

    func serve(_ profile: String, of home: String) { served.withLock { $0.append("\(profile) of \(home)") } }

    func token(_ request: AgentTokenRequest) throws -> AgentToken {
        asked.withLock { $0.append(request) }
        return try answer.get()
    }
}

/// Answers once it may.
private final class HeldTokens: AgentTokenServing {
    let (asked, go) = (Latch(), Latch())

    func serve(_ profile: String, of home: String) {}

    func token(_ request: AgentTokenRequest) async throws -> AgentToken {
        asked.open()
        try await go.wait()
        return AgentToken(AccessToken(Secret("dat_1")), of: nil)
    }
}

@Suite("Tokens of an agent", .serialized) struct AgentTokensTests {
    private static let lifetime = Lifetime(
        receivedAt: MonotonicInstant(nanoseconds: 123_456_789), boot: "first-boot",
        wall: Date(timeIntervalSince1970: 1_800_000_000.25), lasts: .milliseconds(3_599_500))

    private func withAgent(
        _ tokens: (any AgentTokenServing)?, _ work: @escaping @Sendable (AgentClient) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let place = try AgentPlace(in: folder["agent"])
            let server = AgentServer(at: place, serving: tokens, for: .seconds(600))
            let ready = Latch()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run { ready.open() } }
                try await ready.wait()
                let result: Result<Void, any Error>
                do { result = .success(try await work(AgentClient(at: place))) } catch { result = .failure(error) }
                server.end()
                try await group.waitForAll()
                try result.get()
            }
        }
    }

    @Test(
        "a token comes through as it is, with its end, its scopes and its account",
        arguments: [Self.lifetime, nil], [nil, [], ["read"], ["read", "write:all"]] as [[String]?])
    func unchanged(lifetime: Lifetime?, scopes: [String]?) async throws {
        let token = AccessToken(Secret("dat_1"), scheme: "DPoP", lifetime: lifetime, scopes: scopes)
        for account in ["ada", nil] as [String?] {
            let tokens = ScriptedTokens(.success(AgentToken(token, of: account.map { AccountID($0) })))
            let request = AgentTokenRequest(
                home: "/home/ada", profile: "work", account: account, audience: Audience("api"), validity: .seconds(60))
            try await withAgent(tokens) { agent in
                let answer = try #require(try await agent.token(request))
                #expect(answer.token == token)
                #expect(answer.token.lifetime == lifetime)
                #expect(answer.token.scopes == scopes)
                #expect(answer.account?.value == account)
                #expect(tokens.asked.withLock { $0 } == [request])
            }
        }
    }

    @Test("an agent that was not told to hand out tokens hands out none") func switchedOff() async throws {
        try await withAgent(nil) { agent in
            let request = AgentTokenRequest(home: "/home/ada", profile: "work")
            #expect(await code { try await agent.token(request) } == .configuration(.unsupported))
            #expect(await code { try await agent.serve("work", of: "/home/ada") } == .configuration(.unsupported))
        }
    }

    @Test(
        "whatever keeps the agent from handing a token out, its client gets an error and no token",
        arguments: [
            AuthError(.signInRequired(.signedOut), "signed out"), AuthError(.locked, "locked"),
            AuthError(.busy, "busy"),
            AuthError(.offline(.unreachable), "offline"), AuthError(.store(.damaged), "damaged"),
            AuthError(.configuration(.unsupported), "another profile"), AuthError(.cancelled, "cancelled"),
        ])
    func refused(_ error: AuthError) async throws {
        try await withAgent(ScriptedTokens(.failure(error))) { agent in
            let request = AgentTokenRequest(home: "/home/ada", profile: "work")
            #expect(await code { try await agent.token(request) } != nil)
        }
    }

    @Test("requests of another form, or too long, get no token, and the agent goes on") func hostile() async throws {
        let tokens = ScriptedTokens(.success(AgentToken(AccessToken(Secret("dat_1")), of: nil)))
        try await withAgent(tokens) { agent in
            let good = AgentTokenRequest(home: "/home/ada", profile: "work").parts
            var requests = [[], Array(good.dropLast()), good + [Secret("")]]
            for index in good.indices {
                var parts = good
                parts[index] = Secret([UInt8](repeating: 0x61, count: 4_097))
                requests.append(parts)
            }
            for parts in requests {
                #expect(
                    await code { try await agent.ask(AgentMessage("token", parts)) } == .untrusted(.malformed))
            }
            #expect(
                await code { try await agent.ask(AgentMessage("serve", [Secret("work")])) } == .untrusted(.malformed))
            #expect(tokens.asked.withLock { $0 }.isEmpty && tokens.served.withLock { $0 }.isEmpty)
            let isThere1 = try await agent.status() != nil
            #expect(isThere1)
        }
    }

    @Test("answers of another form are no token") func untrueAnswers() {
        let good = AgentToken(AccessToken(Secret("dat_1"), lifetime: Self.lifetime), of: nil).parts
        for count in [0, 3, 5, 7, 9] {
            let parts = (good + good).prefix(count)
            #expect(throws: AuthError.self) { try AgentToken(AgentMessage("token", Array(parts))) }
        }
        #expect(throws: AuthError.self) { try AgentToken(AgentMessage("status", good)) }
        #expect(throws: AuthError.self) {
            try AgentToken(AgentMessage("token", Array(good.prefix(4)) + Array(repeating: Secret("short"), count: 4)))
        }
    }

    @Test("a client that says nothing keeps no other from its token") func silent() async throws {
        let tokens = ScriptedTokens(.success(AgentToken(AccessToken(Secret("dat_1")), of: nil)))
        try await withAgent(tokens) { agent in
            let silent = try (0..<8).map { _ in
                try AgentSocket.connected(to: agent.place.socketPath, patience: .seconds(1))
            }
            #expect(silent.allSatisfy { $0 != nil })
            let request = AgentTokenRequest(home: "/home/ada", profile: "work")
            #expect(try await agent.token(request)?.token.value.revealText() == "dat_1")
        }
    }

    @Test("where no agent is, or only the socket of one that died, there is no token and no error") func gone()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let place = try AgentPlace(in: folder["agent"])
            let (agent, request) = (AgentClient(at: place), AgentTokenRequest(home: "/home/ada", profile: "work"))
            let isGone2 = try await agent.token(request) == nil
            #expect(isGone2)
            #expect(mkdir(place.directory, 0o700) == 0)
            let isGone3 = try await agent.token(request) == nil
            #expect(isGone3)
            _ = try AgentSocket.listening(at: place.socketPath)
            #expect(try SystemFiles().status(place.socketPath) != nil)
            let isGone4 = try await agent.token(request) == nil
            #expect(isGone4)
        }
    }

    @Test("an agent is not asked over a link, wherever that leads", arguments: [true, false]) func link(leads: Bool)
        async throws
    {
        let tokens = ScriptedTokens(.success(AgentToken(AccessToken(Secret("dat_1")), of: nil)))
        let request = AgentTokenRequest(home: "/home/ada", profile: "work")
        try await withAgent(tokens) { agent in
            try await TemporaryFolder.with { folder in
                let place = try AgentPlace(in: folder["agent"])
                #expect(mkdir(place.directory, 0o700) == 0)
                #expect(symlink(leads ? agent.place.socketPath : folder["nothing"], place.socketPath) == 0)
                let other = AgentClient(at: place)
                #expect(await code { try await other.token(request) } == .store(.insecurePermissions))
                #expect(await code { try await other.status() } == .store(.insecurePermissions))
                #expect(await code { try await other.serve("work", of: "/home/ada") } == .store(.insecurePermissions))
                #expect(tokens.asked.withLock { $0 }.isEmpty && tokens.served.withLock { $0 }.isEmpty)
                // The next agent there has a socket of its own.
                let server = AgentServer(at: place, serving: tokens, for: .seconds(600))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    let ready = Latch()
                    group.addTask { try await server.run { ready.open() } }
                    try await ready.wait()
                    let token = try await other.token(request)
                    server.end()
                    try await group.waitForAll()
                    #expect(token?.token.value.revealText() == "dat_1")
                }
                let isThere2 = try await agent.status() != nil
                #expect(isThere2)
            }
        }
    }

    @Test("an agent that ends while it gets a token hands none out, and is as if it were not there") func ends()
        async throws
    {
        let tokens = HeldTokens()
        try await TemporaryFolder.with { folder in
            let place = try AgentPlace(in: folder["agent"])
            let server = AgentServer(at: place, serving: tokens, for: .seconds(600))
            let ready = Latch()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run { ready.open() } }
                try await ready.wait()
                let agent = AgentClient(at: place)
                let asking = Task { try await agent.token(AgentTokenRequest(home: "/home/ada", profile: "work")) }
                try await tokens.asked.wait()
                server.end()
                let isGone5 = try await asking.value == nil
                #expect(isGone5)
                tokens.go.open()
                try await group.waitForAll()
                let isGone6 = try await agent.token(AgentTokenRequest(home: "/home/ada", profile: "work")) == nil
                #expect(isGone6)
            }
        }
    }

    @Test("nobody is asked in a directory that others may enter, or that a link leads to") func insecure() async throws
    {
        try await TemporaryFolder.with { folder in
            let request = AgentTokenRequest(home: "/home/ada", profile: "work")
            #expect(mkdir(folder["open"], 0o755) == 0)
            #expect(mkdir(folder["own"], 0o700) == 0)
            #expect(symlink(folder["own"], folder["link"]) == 0)
            for name in ["open", "link"] {
                let agent = AgentClient(at: try AgentPlace(in: folder[name]))
                #expect(await code { try await agent.token(request) } == .store(.insecurePermissions), "\(name)")
            }
        }
    }
}
