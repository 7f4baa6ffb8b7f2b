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

/// A real agent on a real socket, in this process; its clock is the test's.
@Suite("Agent", .serialized)
struct AgentTests {
    private static let passphrase = UnlockKey(.passphrase, Secret("correct horse battery staple"))
    private static let cheap = ScryptCost(logN: 10)

    /// Runs an agent for as long as `work` does.
    private func withAgent(
        for time: Duration = .seconds(600),
        _ work: @escaping @Sendable (AgentClient, ManualClock, String) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let clock = ManualClock()
            var context = PluginContext.system
            context.clock = clock
            let place = try AgentPlace(in: folder["agent"])
            let keeper = LocalKeeper(context: context, leastLogN: 10)
            let server = AgentServer(at: place, keeping: AgentVaults(keeper: keeper), for: time, context: context)
            let ready = Latch()
            let path = folder.path
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run { ready.open() } }
                try await ready.wait()
                do {
                    try await work(AgentClient(at: place), clock, path)
                } catch {
                    server.end()
                    throw error
                }
                server.end()
                try await group.waitForAll()
            }
        }
    }

    private func store(_ path: String, _ agent: AgentClient) -> EncryptedFileStore {
        EncryptedFileStore(
            at: "\(path)/vault", keptBy: AgentKeeper(agent), options: VaultOptions(cost: Self.cheap))
    }

    @Test("what one process opens by the agent, another one reads without a key")
    func shared() async throws {
        try await withAgent { agent, _, path in
            let first = store(path, agent)
            try await first.initialise(with: [NewSlot(Self.passphrase, cost: Self.cheap)])
            _ = try await first.replace(StoreKey(.credential, "ada"), at: nil, with: [1, 2, 3])
            let second = store(path, agent)
            #expect(try await second.read(StoreKey(.credential, "ada"))?.bytes == [1, 2, 3])
            #expect(try await agent.status()?.open.count == 1)
            await second.close()
            #expect(await code { try await first.read(StoreKey(.credential, "ada")) } == .locked)
            #expect(
                await code { try await first.open(with: UnlockKey(.passphrase, Secret("wrong"))) }
                    == .refused(.wrongInput))
            try await first.open(with: Self.passphrase)
            #expect(try await second.read(StoreKey(.credential, "ada"))?.bytes == [1, 2, 3])
        }
    }

    @Test("slots are changed, and the key is, by the agent as well")
    func changes() async throws {
        try await withAgent { agent, _, path in
            let store = store(path, agent)
            try await store.initialise(with: [NewSlot(Self.passphrase, cost: Self.cheap)])
            let holders = UnlockKey(.key(source: "test"), Secret([UInt8](repeating: 3, count: 32)))
            try await store.addSlot(NewSlot(holders, name: "kek"))
            try await store.replaceSlot(0, by: NewSlot(UnlockKey(.passphrase, Secret("another one")), cost: Self.cheap))
            #expect(await code { try await store.rekey(with: [:]) } == .refused(.other))
            try await store.rekey(with: [1: holders, 0: UnlockKey(.passphrase, Secret("another one"))])
            #expect(try store.status().header.epoch == 2)
            try await store.rekey(with: [0: UnlockKey(.passphrase, Secret("another one"))], dropping: [1])
            #expect(try store.status().header.slots.count == 1)
            try store.backup(to: "\(path)/copy")
            try await store.restore(from: "\(path)/copy", with: UnlockKey(.passphrase, Secret("another one")))
        }
    }

    @Test("when its time is over the agent has no key and is gone")
    func timeOver() async throws {
        try await withAgent(for: .seconds(60)) { agent, clock, path in
            let store = store(path, agent)
            try await store.initialise(with: [NewSlot(Self.passphrase, cost: Self.cheap)])
            #expect(try await agent.status()?.rest == .seconds(60))
            try await agent.remember(for: .seconds(90))
            clock.advance(by: .seconds(89))
            #expect(try await agent.status()?.rest == .seconds(1))
            clock.advance(by: .seconds(2))
            while try await agent.status() != nil { await Task.yield() }
            #expect(await code { try await store.read(StoreKey(.credential, "ada")) } == .locked)
        }
    }

    /// Whoever closes a connection with bytes unread resets it, and one that still waits is reset with its socket.
    @Test("an agent that ends before it read a request has ended, and is not one that does not answer")
    func endedUnread() async throws {
        try await TemporaryFolder.with { folder in
            let place = try AgentPlace(in: folder["agent"])
            #expect(mkdir(place.directory, 0o700) == 0)
            let agent = AgentClient(at: place)
            for isAccepted in [true, false] {
                var socket: AgentSocket? = try AgentSocket.listening(at: place.socketPath)
                async let status = agent.status()
                async let asked = code { try await agent.remember(for: .seconds(1)) }
                if isAccepted {
                    for _ in 0..<2 { _ = await socket?.next(patience: .seconds(10)) }
                }
                socket = nil
                #expect(try await status == nil)
                #expect(await asked == .locked)
            }
        }
    }

    @Test("an agent whose socket is gone wipes its keys and ends, because no client can end it")
    func socketGone() async throws {
        try await TemporaryFolder.with { folder in
            let clock = ManualClock()
            var context = PluginContext.system
            context.clock = clock
            let place = try AgentPlace(in: folder["agent"])
            let server = AgentServer(
                at: place, keeping: AgentVaults(keeper: LocalKeeper(context: context, leastLogN: 10)),
                for: .seconds(600),
                context: context)
            let (ready, hasEnded) = (Latch(), Locked(false))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await server.run { ready.open() }
                    hasEnded.withLock { $0 = true }
                }
                try await ready.wait()
                #expect(unlink(place.socketPath) == 0)
                // It may have looked before it slept.
                while clock.sleepers == 0, !hasEnded.withLock(\.self) { await Task.yield() }
                clock.advance(by: .seconds(2))
                try await group.waitForAll()
            }
            #expect(try await AgentClient(at: place).status() == nil)
        }
    }

    @Test("stopping it wipes the keys, and stopping nobody says so")
    func stopping() async throws {
        try await withAgent { agent, _, path in
            let store = store(path, agent)
            try await store.initialise(with: [NewSlot(Self.passphrase, cost: Self.cheap)])
            let wasThere = try await agent.stop()
            #expect(wasThere)
            while try await agent.stop() { await Task.yield() }
            #expect(await code { try await store.read(StoreKey(.credential, "ada")) } == .locked)
        }
    }

    @Test("a second agent for the place does not take over")
    func second() async throws {
        try await withAgent { agent, _, _ in
            #expect(await code { try await AgentServer(at: agent.place, for: .seconds(1)).run() } == .busy)
            let isThere = try await agent.status() != nil
            #expect(isThere)
        }
    }

    @Test("a directory that others may enter is refused, by client and agent")
    func openDirectory() async throws {
        try await TemporaryFolder.with { folder in
            let place = try AgentPlace(in: folder["agent"])
            #expect(mkdir(place.directory, 0o755) == 0)
            #expect(
                await code { try await AgentServer(at: place, for: .seconds(1)).run() } == .store(.insecurePermissions))
            #expect(await code { try await AgentClient(at: place).status() } == .store(.insecurePermissions))
        }
    }

    @Test("a path that no socket can have is refused where it is named")
    func longPath() throws {
        #expect(throws: AuthError.self) { try AgentPlace(in: "/" + String(repeating: "a", count: 107)) }
        #expect(throws: AuthError.self) { try AgentPlace(in: "relative") }
    }

    @Test("messages that no client sends end the connection, and the agent goes on")
    func hostile() async throws {
        try await withAgent { agent, _, path in
            let store = store(path, agent)
            try await store.initialise(with: [NewSlot(Self.passphrase, cost: Self.cheap)])
            for message in [
                AgentMessage("unknown"), AgentMessage("open"), AgentMessage("open", [Secret("x")]),
                AgentMessage("open", [Secret("x"), Secret("key"), Secret("a"), Secret("b")]),
                AgentMessage("seal", [Secret(""), Secret(""), Secret("1")]), AgentMessage("change", [Secret("")]),
                AgentMessage("create", [AgentMessage.number(9), AgentMessage.number(0)]),
                AgentMessage("create", [AgentMessage.number(1), AgentMessage.number(0), Secret("passphrase")]),
                AgentMessage("unseal", [Secret([UInt8](repeating: 0, count: 4_096))]), AgentMessage("isOpen"),
                AgentMessage("remember"),
            ] {
                #expect(await code { try await agent.ask(message) } != nil, "\(message.word)")
            }
            #expect(throws: AuthError.self) {
                try [UInt8]([1, 0, 0, 0, 9, 1]).withUnsafeBytes { try AgentMessage($0) }
            }
            #expect(throws: AuthError.self) { try [UInt8]([2, 0, 0, 0, 0]).withUnsafeBytes { try AgentMessage($0) } }
            #expect(try await agent.status()?.open.count == 1)
        }
    }
}

/// What `work` throws, as the code; `nil` when it does not.
func code<Value>(_ work: () async throws -> Value) async -> AuthError.Code? {
    do {
        _ = try await work()
        return nil
    } catch {
        return (error as? AuthError)?.code
    }
}
