import Latchkey
import LatchkeyTesting
import RedisServing
import RedisStore
import Testing

@Suite("A store behind a network, over a real redis-server", .serialized, .enabled(if: RedisServer.isInstalled))
struct RedisStoreTests {
    private func withServer(_ body: @Sendable (RedisServer) async throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            let server = try await RedisServer(in: folder.path)
            do { try await body(server) } catch {
                await server.kill()
                throw error
            }
            await server.kill()
        }
    }

    private func store(_ port: UInt16, _ place: String, _ context: PluginContext) -> RedisStore {
        RedisStore(port: port, prefix: place, patience: .seconds(1), context: context)
    }

    @Test("it keeps the contract of stores") func contract() async throws {
        try await withServer { server in
            try await StoreContract(reopening: { self.store(server.port, $0.prefix, $1) }) {
                self.store(server.port, $0.randomName(), $0)
            }.run()
        }
    }

    @Test("it says what the server promises, and that there is none") func health() async throws {
        try await withServer { server in
            let store = self.store(server.port, "health", .system)
            let health = try await store.health()
            #expect(health.durability == .onReturn && health.findings.isEmpty)
            #expect(health.place?.hasPrefix("Redis ") == true && health.place?.hasSuffix(":\(server.port)") == true)
            await server.kill()
            await #expect(throws: AuthError.self) { try await store.health() }
        }
    }

    @Test("its locks keep theirs") func locks() async throws {
        try await withServer { server in
            try await CrossProcessStoreContract {
                let place = $0.randomName()
                return (self.store(server.port, place, $0), self.store(server.port, place, $0))
            }.run()
        }
    }

    @Test("what it tells keeps theirs") func changes() async throws {
        try await withServer { server in
            try await WatchableStoreContract {
                let place = $0.randomName()
                return (self.store(server.port, place, $0), self.store(server.port, place, $0))
            }.run()
        }
    }

    @Test("it keeps the contract of stores behind a network") func far() async throws {
        try await withServer { server in
            try await FarStoreContract(at: server.port, patience: .seconds(1)) {
                self.store($0, $1, $2)
            }.run()
        }
    }
}
