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

/// A person with one answer.
private final class Person: AgentConfirming {
    let asked = Locked<[AgentUse]>([])
    let trusted = Locked<[Int32]>([])
    private let answer: Locked<Bool>
    private let canAnswer: Bool

    init(_ answer: Bool, canAnswer: Bool = true) {
        self.answer = Locked(answer)
        self.canAnswer = canAnswer
    }

    func prepare() throws {
        guard canAnswer else { throw AuthError(.configuration(.unsupported), "nobody is there") }
    }

    func allows(_ process: Int32, _ use: AgentUse) -> Bool {
        asked.withLock { $0.append(use) }
        return process == getpid() && answer.withLock { $0 }
    }

    func trust(_ process: Int32) { trusted.withLock { $0.append(process) } }
}

private struct AnyToken: AgentTokenServing {
    func serve(_ profile: String, of home: String) {}
    func token(_ request: AgentTokenRequest) -> AgentToken { AgentToken(AccessToken(Secret("dat_1")), of: nil) }
}

@Suite("An agent that asks first", .serialized) struct AgentConfirmationTests {
    private static let cost = ScryptCost(logN: 15)

    /// Runs an agent that takes requests of this process for another's, with `own` for its own number.
    private func withAgent(
        _ person: (any AgentConfirming)?, own: Int32 = 0, _ work: @escaping @Sendable (AgentClient) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let place = try AgentPlace(in: folder["agent"])
            let keeper = AgentVaults(keeper: LocalKeeper(context: .system))
            let server = AgentServer(
                at: place, keeping: keeper, serving: AnyToken(), asking: person, own: own, for: .seconds(600),
                context: .system)
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

    private static func newVault(_ keeper: AgentKeeper) async throws -> [UInt8] {
        let slot = NewSlot(UnlockKey(.passphrase, Secret("correct horse")), name: "own", cost: cost)
        return try await keeper.create([slot], suite: VaultSuite.allCases[0], at: 1)
    }

    private static let token = AgentTokenRequest(home: "/home/ada", profile: "work")

    private func code<Value>(_ work: () async throws -> Value) async -> AuthError.Code? {
        do {
            _ = try await work()
            return nil
        } catch { return (error as? AuthError)?.code }
    }

    @Test("a no keeps the token and the vault, and what gives nothing away needs no question") func refused()
        async throws
    {
        let person = Person(false)
        try await withAgent(person) { agent in
            let keeper = AgentKeeper(agent)
            let file = try await Self.newVault(keeper)
            #expect(await code { try await agent.token(Self.token) } == nil)
            #expect(try await keeper.unseal(file).count > 0)
            #expect(person.asked.withLock { $0 }.isEmpty)
            try await agent.confirm()
            #expect(await code { try await agent.token(Self.token) } == .declined)
            #expect(await code { try await keeper.unseal(file) } == .declined)
            #expect(await code { try await keeper.seal(Secret("{}"), after: file, at: 2) } == .declined)
            #expect(await code { try await keeper.advance(Secret("{}"), after: file, to: 9, at: 2) } == .declined)
            #expect(await code { try await keeper.change(.remove(0), of: file, at: 2) } == .declined)
            #expect(person.asked.withLock { $0 } == [.token(profile: "work"), .vault, .vault, .vault, .vault])
            // None of these gives anything away.
            #expect(try await agent.status()?.open.count == 1)
            try await agent.remember(for: .seconds(60))
            try await agent.serve("work", of: "/home/ada")
            #expect(try await agent.stop())
            #expect(person.asked.withLock { $0 }.count == 5)
        }
    }

    @Test("a yes gives both") func allowed() async throws {
        let person = Person(true)
        try await withAgent(person) { agent in
            let keeper = AgentKeeper(agent)
            let file = try await Self.newVault(keeper)
            try await agent.confirm()
            let token = try await agent.token(Self.token)
            #expect(token != nil)
            #expect(try await keeper.unseal(file).count > 0)
            #expect(person.asked.withLock { $0 } == [.token(profile: "work"), .vault])
        }
    }

    @Test("a program that gave the key is noted, one whose key was wrong is not") func trusted() async throws {
        let person = Person(false)
        try await withAgent(person) { agent in
            let keeper = AgentKeeper(agent)
            try await agent.confirm()
            let file = try await Self.newVault(keeper)
            #expect(person.trusted.withLock { $0 } == [getpid()])
            await keeper.close(nil)
            let wrong = UnlockKey(.passphrase, Secret("wrong horse"))
            #expect(await code { try await keeper.open(file, with: wrong) } == .refused(.wrongInput))
            #expect(person.trusted.withLock { $0 } == [getpid()])
            try await keeper.open(file, with: UnlockKey(.passphrase, Secret("correct horse")))
            #expect(person.trusted.withLock { $0 } == [getpid(), getpid()])
        }
    }

    @Test("an agent that cannot ask refuses to be told to, and goes on without") func cannot() async throws {
        for person in [nil, Person(false, canAnswer: false)] as [Person?] {
            try await withAgent(person) { agent in
                let code = await code { try await agent.confirm() }
                #expect(code == .configuration(.unsupported))
                let token = try await agent.token(Self.token)
                #expect(token != nil)
            }
        }
    }

    @Test("the agent's own process is not asked about") func own() async throws {
        let person = Person(false)
        try await withAgent(person, own: getpid()) { agent in
            try await agent.confirm()
            let token = try await agent.token(Self.token)
            #expect(token != nil)
            #expect(person.asked.withLock { $0 }.isEmpty)
        }
    }
}
